import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type Page, type Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { seededUsers } from '../../../lib/local/seed.ts';
import { chromiumPath, launchTimeoutMs } from '../../service/chromium.ts';
import { startSeededService } from '../../service/seeded-service.ts';
import { fileOf, mebibyte, repositoryOf, untilTheEnd } from '../upload/upload-fixture.ts';

/**
 * Opens a service, files on the disk, and a Chromium with its own profile. Without a profile, Chromium does not
 * remember dropped files.
 */
async function openFilesFixture() {
  const service = await startSeededService({ users: [...seededUsers, { identity_id: 'ben', name: 'Ben' }] });
  const fixture = await repositoryOf(service);
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-files-'));
  const profile = path.join(folder, 'profile');
  await allowOnEveryVisit(profile, service.apiUrl);
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumPath ?? '',
    timeout: launchTimeoutMs,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  });
  const trouble: string[] = [];

  return {
    service,
    fixture,
    folder,
    context,
    /** Errors and warnings that pages have logged. */
    trouble,
    async openPage(): Promise<Page> {
      const opened = await context.newPage();
      opened.setDefaultTimeout(20_000);
      opened.on('console', (message) => {
        if (/Content Security Policy|Refused to/.test(message.text())) trouble.push(message.text());
      });
      opened.on('pageerror', (error) => trouble.push(String(error)));
      return opened;
    },
    /** Opens a folder of the repository as the user with this name. */
    async openFolder(page: Page, of = '', name = 'Ada') {
      await page.goto(`${service.apiUrl}/-/console/repositories/tide-institute/raw-drafts/files?path=${of}`);
      const signIn = page.getByRole('button', { name: 'Sign in' });
      const files = page.getByText('or drop files and folders');
      // All tabs of a browser context have the same sign-in.
      await signIn.or(files).first().waitFor();
      if (await signIn.isVisible()) await signIn.click();
      // The issuer lists all users, or signs in a remembered user without a page.
      const offered = page.getByRole('button', { name });
      await offered.or(files).first().waitFor();
      if (await offered.isVisible()) await offered.click();
      await files.waitFor();
    },
    /** Writes a file to the disk and resolves with its path. */
    async written(name: string, bytes: number | string): Promise<string> {
      const file = path.join(folder, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, new Uint8Array(await fileOf(name, bytes).arrayBuffer()));
      return file;
    },
    /**
     * Uploads a file to a folder until storage has a part of it. Returns a function that releases the other parts.
     */
    async beginUpload(page: Page, folder: string, bytes = 24 * mebibyte, name?: string) {
      const letGo = await holdParts(page);
      await this.openFolder(page, `${folder}/`, name);
      await inputOf(page, 'Upload files').setInputFiles(await this.written(`${folder}.bin`, bytes));
      await this.untilPartIsStored(`${folder}/`);
      return letGo;
    },
    /** Waits until storage has a part of an upload below the folder. */
    untilPartIsStored: (below: string) =>
      expect.poll(() => storedParts(fixture, below), { timeout: 40_000 }).toBeGreaterThan(0),
    /** Returns the size of a stored object; undefined if it does not exist. */
    async storedBytes(key: string): Promise<number | undefined> {
      return (await fixture.data.objects.find(key, untilTheEnd()))?.bytes;
    },
    async slowLine(page: Page, bytesPerSecond: number) {
      const client = await context.newCDPSession(page);
      const line = { latency: 0, downloadThroughput: -1, uploadThroughput: bytesPerSecond };
      await client.send('Network.enable');
      const set = (offline: boolean, uploadThroughput = bytesPerSecond) =>
        client.send('Network.emulateNetworkConditions', { ...line, offline, uploadThroughput });
      await set(false);
      return { cut: () => set(true), mend: () => set(false, -1) };
    },
    /** Drops a file or a folder from the disk onto the page, as a user does with the mouse. */
    async dropped(page: Page, name: string) {
      const client = await context.newCDPSession(page);
      const data = { items: [], files: [path.join(folder, name)], dragOperationsMask: 1 };
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
        await client.send('Input.dispatchDragEvent', { type, x: 300, y: 200, data });
      }
    },
    async close() {
      await context.close();
      await service.close();
      // Retry the removal of the folder, because the closed browser may still write to its profile.
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/**
 * Opens one fixture for all tests of a suite, and a page for each test. A test fails if its page logs an error. The
 * result is complete when the first test begins.
 */
export function filesInABrowser() {
  const opened = {} as FilesFixture & { page: Page };
  beforeAll(async () => {
    Object.assign(opened, await openFilesFixture());
  });
  afterAll(() => opened.close?.(), 300_000);
  beforeEach(async () => {
    opened.page = await opened.openPage();
  });
  afterEach(async () => {
    await opened.page.close();
    expect(opened.trouble.splice(0)).toEqual([]);
  });
  return opened;
}

type FilesFixture = Awaited<ReturnType<typeof openFilesFixture>>;

/**
 * Stores the permission of "Allow on every visit" for a dropped folder. A test cannot click in the browser's dialog.
 */
async function allowOnEveryVisit(profile: string, origin: string): Promise<void> {
  const exceptions = { file_system_access_extended_permission: { [`${origin},*`]: { setting: 1 } } };
  await mkdir(path.join(profile, 'Default'), { recursive: true });
  await writeFile(
    path.join(profile, 'Default', 'Preferences'),
    JSON.stringify({ profile: { content_settings: { exceptions } } }),
  );
}

/** Holds back all parts of each upload except the first. Returns a function that releases them. */
export async function holdParts(page: Page): Promise<() => Promise<void>> {
  const held: Route[] = [];
  let isOpen = false;
  await page.route(
    ({ searchParams }) => Number(searchParams.get('partNumber')) > 1,
    (route) => {
      if (isOpen) return route.continue();
      held.push(route);
    },
  );
  return async () => {
    isOpen = true;
    // Some of the delayed requests were aborted in the meantime.
    await Promise.allSettled(held.splice(0).map((route) => route.continue()));
  };
}

export const headlineOf = (page: Page) => page.locator('#upload-title');

/** Waits until the upload has this headline. */
export const untilTold = (page: Page, headline: string | RegExp) =>
  expect
    .poll(() => headlineOf(page).textContent(), { timeout: 40_000 })
    .toMatch(typeof headline === 'string' ? new RegExp(`^${headline}$`) : headline);

/** Returns the number of stored parts of the first upload below the folder. */
export async function storedParts({ data }: Awaited<ReturnType<typeof repositoryOf>>, below: string): Promise<number> {
  const [upload] = await data.multipart.listUnfinished(below, untilTheEnd());
  return upload === undefined ? 0 : (await data.multipart.listParts(upload, untilTheEnd())).length;
}

export const inputOf = (page: Page, label: 'Upload files' | 'Upload folder') => page.getByLabel(label);

/** Returns the list of parts that a page sends after this call, as `<key> <part number>`. */
export function partsOf(page: Page): string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    const number = searchParams.get('partNumber');
    if (request.method() === 'PUT' && number !== null) {
      sent.push(`${decodeURIComponent(pathname).split('/').slice(3).join('/')} ${number}`);
    }
  });
  return sent;
}
