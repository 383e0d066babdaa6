import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { crc32Of, toBase64 } from '../../../site/data/crc32.ts';
import { violations } from '../../service/axe.ts';
import { chromiumPath } from '../../service/chromium.ts';
import { mebibyte, untilTheEnd } from '../upload/upload-fixture.ts';
import { filesInABrowser, headlineOf, holdParts, inputOf, partsOf, untilTold } from './files-fixture.ts';

describe.skipIf(chromiumPath === undefined)('after the tab of an upload is closed,', () => {
  const files = filesInABrowser();
  let page: Page;
  beforeEach(() => {
    page = files.page;
  });
  const told = (headline: string | RegExp, on = page) => untilTold(on, headline);

  test('an upload resumes with the missing parts when the file is chosen again in a new tab', async () => {
    await files.beginUpload(page, 'tab', 20 * mebibyte);
    const file = path.join(files.folder, 'tab.bin');
    await page.close({ runBeforeUnload: false });
    page = files.page = await files.openPage();
    const parts = partsOf(page);
    const elsewhere = await files.fixture.data.multipart.begin('tab/elsewhere.bin', {}, untilTheEnd());
    await files.openFolder(page, 'tab/');
    await page.getByRole('heading', { name: 'Unfinished uploads' }).waitFor();
    await page.getByText('Started in this browser.').waitFor();
    await page.getByRole('button', { name: 'Remove tab/elsewhere.bin' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Started elsewhere.').waitFor({ state: 'detached' });
    const left = await files.fixture.data.multipart.listUnfinished('tab/', untilTheEnd());
    expect(left.map(({ uploadId }) => uploadId)).not.toContain(elsewhere);
    expect(await violations(page)).toEqual([]);
    await inputOf(page, 'Upload files').setInputFiles(file);
    await expect.poll(() => headlineOf(page).textContent(), { timeout: 30_000 }).toBe('1 file uploaded');
    expect(parts.length).toBeLessThan(3);
    expect(await files.storedBytes('tab/tab.bin')).toBe(20 * mebibyte);
  }, 120_000);

  test('an upload of dropped folders resumes by a click after a reload', async () => {
    await files.openFolder(page, 'drop/');
    await files.written('dropped/one.txt', 'one');
    await files.written('dropped/sub/two.bin', 20 * mebibyte);
    await files.written('other.bin', 9 * mebibyte);
    await holdParts(page);
    await files.dropped(page, 'dropped');
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await files.untilPartIsStored('drop/dropped/');
    await files.dropped(page, 'other.bin');
    await page.getByText(/of 3 files done/).waitFor();
    // Wait until the page knows the upload ID. Without the ID, the upload would stay in storage as one of an unknown
    // client.
    await files.untilPartIsStored('drop/other.bin');
    await page.close({ runBeforeUnload: false });
    page = files.page = await files.openPage();
    const parts = partsOf(page);
    await files.openFolder(page, 'drop/');
    await page.getByText('An upload of 2 items did not finish.').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Skip existing file' }).click();
    await told('2 files uploaded');
    expect(parts.filter((part) => part.includes('two.bin')).length).toBeLessThan(3);
    expect(await files.storedBytes('drop/dropped/sub/two.bin')).toBe(20 * mebibyte);
    expect(await files.storedBytes('drop/other.bin')).toBe(9 * mebibyte);
    const dropsKept = () =>
      page.evaluate(
        `new Promise((resolve) => { const opening = indexedDB.open('sluice-uploads'); opening.onsuccess = () => { const counted = opening.result.transaction('drops').objectStore('drops').count(); counted.onsuccess = () => { opening.result.close(); resolve(counted.result); }; }; })`,
      );
    await expect.poll(dropsKept).toBe(0);
    await page.reload();
    await page.getByRole('link', { name: 'dropped/' }).waitFor();
    await page.getByText('or drop files and folders').waitFor();
    expect(await page.getByRole('heading', { name: 'Unfinished uploads' }).count()).toBe(0);
  }, 120_000);

  test('an upload of dropped folders resumes with chosen files when the browser denies access to them', async () => {
    await files.openFolder(page, 'denied/');
    await files.written('denied/one.txt', 'one');
    await files.written('denied/sub/two.bin', 20 * mebibyte);
    await holdParts(page);
    await files.dropped(page, 'denied');
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await expect
      .poll(() => files.fixture.data.objects.find('denied/denied/one.txt', untilTheEnd()), { timeout: 20_000 })
      .toBeDefined();
    await page.close({ runBeforeUnload: false });
    page = files.page = await files.openPage();
    // The user denies the file permission that the browser asks for.
    await page.addInitScript(`FileSystemHandle.prototype.requestPermission = async () => 'denied'`);
    await files.openFolder(page, 'denied/');
    await page.getByText('An upload of 1 item did not finish.').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Choose them again to upload only the missing parts.').waitFor();
    await inputOf(page, 'Upload folder').setInputFiles(path.join(files.folder, 'denied'));
    await page.getByRole('button', { name: 'Skip existing file' }).click();
    await expect.poll(() => headlineOf(page).textContent(), { timeout: 30_000 }).toBe('1 file uploaded');
    expect(await files.storedBytes('denied/denied/sub/two.bin')).toBe(20 * mebibyte);
  }, 90_000);

  test('the second tab with the same file uploads it after the first tab is closed', async () => {
    await files.beginUpload(page, 'tabs', 20 * mebibyte);
    const file = path.join(files.folder, 'tabs.bin');
    const other = await files.openPage();
    const parts = partsOf(other);
    await files.openFolder(other, 'tabs/');
    await other.getByText('Running in another tab of this browser.').waitFor();
    await inputOf(other, 'Upload files').setInputFiles(file);
    await other.getByText('This file is already being uploaded, here or in another tab.').waitFor();
    await page.close({ runBeforeUnload: false });
    // The browser releases the resources of a tab some time after it closes the tab.
    const held = () =>
      other.evaluate(`navigator.locks.query().then(({ held }) => held.map(({ name }) => name).join())`);
    await expect.poll(held).not.toContain('tabs.bin');
    await other.getByRole('button', { name: 'Try again tabs/tabs.bin' }).click();
    await told('1 file uploaded', other);
    expect(parts.length).toBeLessThan(3);
    expect(await files.storedBytes('tabs/tabs.bin')).toBe(20 * mebibyte);
    await other.close();
  }, 120_000);

  test('an upload works without browser storage', async () => {
    await page.goto(files.service.apiUrl);
    const ask = (how: string) =>
      page.evaluate(
        `new Promise((resolve, reject) => { const asked = indexedDB.${how}; asked.onsuccess = () => { asked.result?.close(); resolve(); }; asked.onerror = () => reject(asked.error); })`,
      );
    await ask(`deleteDatabase('sluice-uploads')`);
    // The page must handle a database of a later version, which it cannot open.
    await ask(`open('sluice-uploads', 1000)`);
    await files.openFolder(page, 'nothing/');
    await files.written('kept.bin', 17 * mebibyte);
    await files.dropped(page, 'kept.bin');
    await told('1 file uploaded');
    expect(await files.storedBytes('nothing/kept.bin')).toBe(17 * mebibyte);
    await ask(`deleteDatabase('sluice-uploads')`);
  });

  test('the page removes all uploads older than a week after it has shown their size', async () => {
    const week = 8 * 24 * 60 * 60;
    files.service.advance(-week);
    const { data } = files.fixture;
    for (const key of ['old/one.bin', 'old/two.bin']) {
      const uploadId = await data.multipart.begin(key, {}, untilTheEnd());
      const body = new Blob([new Uint8Array(1024)]);
      const crc32 = toBase64(await crc32Of(body));
      const part = { number: 1, body, crc32 };
      await data.multipart.sendPart({ key, uploadId }, part, { signal: untilTheEnd(), onSent: () => undefined });
    }
    files.service.advance(week);
    const young = await data.multipart.begin('old/young.bin', {}, untilTheEnd());
    await files.openFolder(page, 'old/');
    await page.getByText('and charges for it').waitFor();
    await page.getByRole('button', { name: 'Remove the 2 older than a week' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove 2 unfinished uploads' });
    await dialog.getByText('The storage holds 2.0 kB of them.').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('2 unfinished uploads removed.').waitFor();
    const left = await data.multipart.listUnfinished('old/', untilTheEnd());
    expect(left.map(({ uploadId }) => uploadId)).toEqual([young]);
  });
});
