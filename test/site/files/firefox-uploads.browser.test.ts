import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ElementHandle, Page } from 'puppeteer-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { seededUsers } from '../../../lib/local/seed.ts';
import { dropInFirefox, installedBrowsers, type OpenBrowser, openBrowser } from '../../service/browsers.ts';
import { type SeededService, startSeededService } from '../../service/seeded-service.ts';
import { fileOf, mebibyte, repositoryOf, untilTheEnd } from '../upload/upload-fixture.ts';
import { storedParts } from './files-fixture.ts';

// Differences in Firefox: it has no file handles, continues to read a file that has changed, and stores nothing in
// private windows.

const firefox = installedBrowsers.find(({ kind }) => kind === 'firefox');

describe.runIf(firefox !== undefined)('in Firefox,', () => {
  let service: SeededService;
  let fixture: Awaited<ReturnType<typeof repositoryOf>>;
  let folder: string;
  let browser: OpenBrowser;
  let page: Page;
  beforeAll(async () => {
    service = await startSeededService({ users: seededUsers });
    fixture = await repositoryOf(service);
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-firefox-'));
    if (firefox !== undefined) browser = await openBrowser(firefox, { maySeeFolders: true });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
    await rm(folder, { recursive: true, force: true });
  });
  const newPage = async () => {
    page = await browser.newPage();
    page.setDefaultTimeout(40_000);
  };
  beforeEach(newPage);

  const button = (words: string) => page.locator(`::-p-xpath(//button[contains(., "${words}")])`);
  const text = (words: string) => page.waitForSelector(`::-p-text(${words})`);
  async function openFolder(of: string) {
    await page.goto(`${service.apiUrl}/-/console/repositories/tide-institute/raw-drafts/files?path=${of}`);
    // All pages of a browser share the sign-in, so only the first page signs in.
    for (const words of ['Sign in', 'Ada']) {
      const shown = `self::button[contains(., "${words}")] or self::span[contains(., "or drop files and folders")]`;
      const first = await page.waitForSelector(`::-p-xpath(//*[${shown}])`);
      if ((await first?.evaluate((found) => found.tagName)) !== 'BUTTON') return;
      await button(words).click();
    }
    await text('or drop files and folders');
  }
  async function choose(file: string) {
    const input = (await page.$('input[type=file][multiple]')) as ElementHandle<HTMLInputElement>;
    await input.uploadFile(file);
  }
  async function written(name: string, bytes: number): Promise<string> {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, new Uint8Array(await fileOf(name, bytes).arrayBuffer()));
    return file;
  }
  /** Holds back all parts except the first. Returns a function that releases them. */
  async function holdParts() {
    const held: (() => Promise<void>)[] = [];
    let isOpen = false;
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      const isLater = Number(new URL(request.url()).searchParams.get('partNumber')) > 1;
      if (isLater && !isOpen) held.push(() => request.continue());
      else void request.continue();
    });
    return async () => {
      isOpen = true;
      await Promise.all(held.splice(0).map((go) => go()));
    };
  }
  const aPartIsStored = (below: string) =>
    expect.poll(() => storedParts(fixture, below), { timeout: 30_000 }).toBeGreaterThan(0);
  const storedBytes = async (key: string) => (await fixture.data.objects.find(key, untilTheEnd()))?.bytes;

  test('the page uploads a dropped folder with its paths', async () => {
    await written('dropped/one.txt', 3);
    await written('dropped/sub/deep/two.bin', 9 * mebibyte);
    await openFolder('drop/');
    await dropInFirefox(page, path.join(folder, 'dropped'));
    await page.locator('::-p-xpath(//dialog//button[.="Upload"])').click();
    await text('2 files uploaded');
    const { objects } = await fixture.data.objects.list({ prefix: 'drop/' }, untilTheEnd());
    expect(objects.map(({ key }) => key)).toEqual(['drop/dropped/one.txt', 'drop/dropped/sub/deep/two.bin']);
    await page.close();
  }, 120_000);

  test('an upload resumes with the missing parts when the file is chosen again after a reload', async () => {
    const file = await written('again.bin', 17 * mebibyte);
    await openFolder('again/');
    await holdParts();
    await choose(file);
    await aPartIsStored('again/');
    await page.close();
    await newPage();
    await openFolder('again/');
    await text('Started in this browser.');
    const parts: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT') parts.push(request.url());
    });
    await choose(file);
    await text('1 file uploaded');
    expect(parts).toHaveLength(2);
    expect(await storedBytes('again/again.bin')).toBe(17 * mebibyte);
    await page.close();
  }, 120_000);

  test('the page stores no mixture of a file that changes during its upload', async () => {
    const file = await written('mixed.bin', 49 * mebibyte);
    await openFolder('mixed/');
    const letGo = await holdParts();
    await choose(file);
    await aPartIsStored('mixed/');
    // One part is stored and four are in flight. The page has not read the last two parts yet.
    const disk = await open(file, 'r+');
    await disk.write('new', 0);
    await disk.write('new', 49 * mebibyte - 3);
    await disk.close();
    await letGo();
    await text('This file changed during the upload');
    expect(await storedBytes('mixed/mixed.bin')).toBeUndefined();
    await page.close();
  }, 120_000);
});
