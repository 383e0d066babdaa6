import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ElementHandle, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptyBucket } from '../../../lib/local/embedded-storage.ts';
import { seededUsers } from '../../../lib/local/seed.ts';
import { installedBrowsers, type OpenBrowser, openBrowser } from '../../service/browsers.ts';
import { type SeededService, startSeededService } from '../../service/seeded-service.ts';

// Required behavior of every browser: sign-in, an upload, storage of an account, the keyboard, and no page in a foreign
// frame.

let service: SeededService;
let folder: string;
/** A server of another origin. Its page shows the URL in its query in a frame. */
let foreign: Server;
beforeAll(async () => {
  service = await startSeededService({ users: seededUsers, withDataSet: true, accountLoopbackEndpoints: true });
  folder = await mkdtemp(path.join(tmpdir(), 'sluice-browsers-'));
  foreign = createServer((request, answer) => {
    const framed = new URL(request.url ?? '/', 'http://localhost').searchParams.get('framed');
    const shown =
      framed === null ? '<h1>In a frame</h1>' : `<iframe src="${framed.replaceAll('&', '&amp;')}"></iframe>`;
    answer.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>Foreign</title>${shown}`);
  });
  await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  foreign?.close();
  await service?.close();
  await rm(folder, { recursive: true, force: true });
});

describe.each(installedBrowsers)('the console in $name', (installed) => {
  let browser: OpenBrowser;
  let page: Page;
  beforeAll(async () => {
    browser = await openBrowser(installed);
    page = await browser.newPage();
    page.setDefaultTimeout(20_000);
  });
  afterAll(() => browser?.close());

  const button = (words: string) => page.locator(`::-p-xpath(//button[contains(., "${words}")])`);
  const link = (words: string) => page.locator(`::-p-xpath(//a[normalize-space()="${words}"])`);
  const text = (words: string) => page.waitForSelector(`::-p-text(${words})`);
  /** Returns the text of the focused element, or its label. */
  const focused = () =>
    page.evaluate(() => {
      const { activeElement: element } = document;
      const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : undefined;
      return element?.textContent || element?.ariaLabel || label || '';
    });
  /** Moves the focus to the next tab stop. A browser may handle the key after it has accepted it. */
  const tab = async () => {
    const before = await page.evaluateHandle(() => document.activeElement);
    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate((was) => document.activeElement !== was, before)).toBe(true);
    return focused();
  };

  test('lets a user sign in and upload a file', async () => {
    await page.goto(`${service.apiUrl}/-/console/repositories/tide-institute/tide-gauges/files`);
    await button('Sign in').click();
    await button('Ada').click();
    await text('or drop files and folders');
    await expect
      .poll(() => new URL(page.url()).pathname)
      .toBe('/-/console/repositories/tide-institute/tide-gauges/files');
    const input = (await page.$('input[type=file][multiple]')) as ElementHandle<HTMLInputElement>;
    const file = `${installed.kind}.csv`;
    await writeFile(path.join(folder, file), 'time,metres\n');
    await input.uploadFile(path.join(folder, file));
    await page.waitForSelector('.upload[data-state=done]');
    await text('The storage confirmed the checksum of every file.');
    const uploaded = await fetch(`${service.dataUrl}/tide-institute/tide-gauges/${file}`);
    expect(await uploaded.text()).toBe('time,metres\n');
    await button('Done').click();
  });

  test('lets a user connect an empty bucket and publish a file without a stored secret', async () => {
    const name = `${installed.kind}-store`;
    await page.goto(`${service.apiUrl}/-/console/accounts/tide-institute/storage`);
    await link('Connect storage').click();
    const fill = (field: string, value: string) =>
      page.locator(`::-p-aria([name="${field}"][role="textbox"])`).fill(value);
    await page.locator('input[value=local]').click();
    await page.locator('input[value=s3_web_identity_role]').click();
    expect(await page.$eval('[name="details.bucket"]', (field) => field.getAttribute('autocorrect'))).toBe('off');
    await fill('Endpoint', service.storage.endpoint);
    await fill('Bucket', emptyBucket);
    await fill('Region', service.storage.region);
    await fill('Base prefix', name);
    await fill('AWS account ID', '1111-2222-3333');
    await fill('Name of the role', name);
    await fill('Name', name);
    await button('Continue').click();
    await text('draft');
    // After a reload, the page continues with the same draft.
    await page.reload();
    await button('Test connection').click();
    await text('AWS does not let this connection assume the role.');
    const policy = await page.$eval('pre[aria-label="Trust policy"]', (shown) => shown.textContent ?? '');
    const role = new URLSearchParams({ Action: 'CreateRole', RoleName: name, AssumeRolePolicyDocument: policy });
    expect((await fetch(service.stsUrl, { method: 'POST', body: role })).status).toBe(200);
    await button('Test connection').click();
    await text('Nothing failed.');
    await link('Create repository').click();
    await fill('Title', `On ${name}`);
    await page.waitForSelector(`option[value="${name}"]:checked`);
    await button('Create repository').click();
    await link('Files').click();
    const input = (await page.waitForSelector('input[type=file][multiple]')) as ElementHandle<HTMLInputElement>;
    await writeFile(path.join(folder, 'length.csv'), 'name,metres\n');
    await input.uploadFile(path.join(folder, 'length.csv'));
    await page.waitForSelector('.upload[data-state=done]');
    const published = await fetch(`${service.dataUrl}/tide-institute/on-${name}/length.csv`);
    expect(await published.text()).toBe('name,metres\n');
    const { body } = await (await service.user('ada'))('GET', `/data-connections/${name}`);
    expect(body.authentication).toEqual({
      type: 's3_web_identity_role',
      role_arn: `arn:aws:iam::111122223333:role/${name}`,
    });
    await button('Done').click();
  });

  test('has every control in the tab order, and returns the focus when a dialog closes', async () => {
    await page.goto(`${service.apiUrl}/-/console/repositories/tide-institute/tide-gauges/settings/danger-zone`);
    await text('Disable …');
    await tab();
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('skip');
    const met: string[] = [];
    // More key presses than the view has tab stops.
    for (let press = 0; press < 60 && met.at(-1) !== 'Disable …'; press += 1) {
      met.push(await tab());
    }
    expect(met).toEqual([
      ...['Sluice', 'Search open data', 'Catalogue', 'API reference', 'Account menu of Ada'],
      ...['Dashboard', 'Tide Institute'],
      ...['Overview', 'Files', 'Versions', 'Usage', 'People', 'API keys', 'Settings'],
      ...['General', 'Visibility', 'Metadata', 'Writing', 'Storage', 'Danger zone'],
      ...['Transfers of Tide Institute', 'Account ID', 'Transfer …', 'Disable …'],
    ]);
    await page.keyboard.press('Enter');
    await page.waitForSelector('dialog[open]');
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog', { hidden: true });
    await expect.poll(focused).toBe('Disable …');
  });

  test('cannot be shown in a frame of another origin, nor can a preview', async () => {
    const origin = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}`;
    const words = async (framed: string) => {
      await page.goto(`${origin}/?framed=${encodeURIComponent(framed)}`);
      const [frame] = page.mainFrame().childFrames();
      // A browser may show its own error page, which scripts cannot read.
      return (await frame?.evaluate(() => document.body.innerText).catch(() => '')) ?? '';
    };
    await expect.poll(() => words(`${origin}/`)).toBe('In a frame');
    const preview = '/-/preview/tide-institute/world-borders?path=countries.geojson&frame=1';
    for (const framed of ['/-/console', preview, '/']) {
      expect((await fetch(service.apiUrl + framed)).status, framed).toBe(200);
      expect(await words(service.apiUrl + framed), framed).not.toMatch(/Console|Sluice|features|scripts/i);
    }
  });
});
