import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { crc32 } from '../../../lib/domain/crc.ts';
import { toBase64 } from '../../../site/data/crc32.ts';
import { violations } from '../../service/axe.ts';
import { chromiumPath } from '../../service/chromium.ts';
import { mebibyte, untilTheEnd } from '../upload/upload-fixture.ts';
import { filesInABrowser, headlineOf, inputOf } from './files-fixture.ts';

describe.skipIf(chromiumPath === undefined)('on the files page in a browser,', () => {
  const files = filesInABrowser();
  let page: Page;
  beforeEach(() => {
    page = files.page;
  });
  const headline = () => headlineOf(page);
  const store = (key: string, body: string) =>
    files.fixture.data.objects.put(key, new Blob([body]), {}, { signal: untilTheEnd() });
  const listed = async (prefix: string) => {
    const { objects } = await files.fixture.data.objects.list({ prefix }, untilTheEnd());
    return objects.map(({ key }) => key);
  };

  test('the page uploads files and a folder with their paths, and lists them', async () => {
    await files.openFolder(page, 'first/');
    const small = await files.written('a +é (1).csv', 'a,b\n');
    await files.written('set/README.md', '# A');
    await files.written('set/deep/er/data.bin', 9 * mebibyte);
    await inputOf(page, 'Upload files').setInputFiles(small);
    await expect.poll(() => headline().textContent(), { timeout: 20_000 }).toBe('1 file uploaded');
    await inputOf(page, 'Upload folder').setInputFiles(path.join(files.folder, 'set'));
    const dialog = page.getByRole('dialog', { name: 'Review the upload' });
    await dialog.getByText('2 files (9.4 MB) go to first/set/').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Upload' }).click();
    // Counts the parts of this upload only, because the first upload is complete.
    await expect.poll(() => headline().textContent(), { timeout: 20_000 }).toBe('2 files uploaded');
    expect(await page.getByText('The storage confirmed the checksum of every file.').isVisible()).toBe(true);
    expect(await page.title()).toMatch(/^Uploaded · Files · /);
    await page.getByRole('link', { name: 'set/' }).waitFor();
    await page.getByRole('button', { name: 'a +é (1).csv' }).waitFor();
    expect(await listed('first/')).toEqual(['first/a +é (1).csv', 'first/set/README.md', 'first/set/deep/er/data.bin']);
    expect(await violations(page)).toEqual([]);
  });

  test('the page uploads the contents of a folder without its name if the user chooses that', async () => {
    await store('bare/README.md', 'former');
    await files.openFolder(page, 'bare/');
    await files.written('holding/README.md', '# A');
    await files.written('holding/deep/b.txt', 'b');
    await inputOf(page, 'Upload folder').setInputFiles(path.join(files.folder, 'holding'));
    const dialog = page.getByRole('dialog', { name: 'Review the upload' });
    await dialog.getByText('2 files (4 bytes) go to bare/holding/').waitFor();
    expect(await page.evaluate('document.activeElement.closest(".close")')).toBeNull();
    await dialog.getByRole('button', { name: 'Close dialog' }).click();
    await expect.poll(() => dialog.count()).toBe(0);
    await inputOf(page, 'Upload folder').setInputFiles(path.join(files.folder, 'holding'));
    await dialog.getByLabel('Only the contents:').check();
    await dialog.getByText('2 files (4 bytes) go to bare/', { exact: true }).waitFor();
    await dialog.getByText('1 file already exists.').waitFor();
    await dialog.getByRole('button', { name: 'Skip existing file' }).click();
    await expect.poll(() => headline().textContent()).toBe('1 file uploaded');
    expect(await listed('bare/')).toEqual(['bare/README.md', 'bare/deep/b.txt']);
  });

  test('the page reports a busy storage, retries at once on demand, and fails with a message', async () => {
    for (const key of ['busy/sub/a.txt', 'busy/sub/b.txt']) {
      await store(key, key);
    }
    /** Number of lists that succeed before storage is busy again. */
    let answered = 0;
    let seconds = '300';
    await page.route(/list-type=2/, async (route) => {
      if (route.request().method() === 'OPTIONS') return route.continue();
      if (answered > 0) {
        answered -= 1;
        return route.continue();
      }
      await route.fulfill({
        status: 503,
        headers: {
          'access-control-allow-origin': '*',
          'access-control-expose-headers': '*',
          'retry-after': seconds,
        },
        body: '<Error><Code>ServiceUnavailable</Code></Error>',
      });
    });
    const told = page.getByText('The storage does not answer correctly at the moment.');
    /** Clicks the retry button, because automatic retries would take five minutes. */
    const tryAgain = async (within = page.locator('body')) => {
      await told.waitFor();
      expect(await violations(page)).toEqual([]);
      answered = 1;
      await within.getByRole('button', { name: 'Try again' }).click();
      await expect.poll(() => answered).toBe(0);
    };
    await files.openFolder(page, 'busy/');
    await tryAgain();
    await page.getByRole('link', { name: 'sub/' }).waitFor();
    await page.getByLabel('Select sub/').check();
    await page.getByRole('button', { name: 'Delete' }).click();
    await tryAgain(page.getByRole('dialog'));
    await page.getByText('This deletes 2 files').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Move or rename' }).click();
    await page.getByLabel('New path in this repository').fill('busy/other');
    await page.keyboard.press('Enter');
    await tryAgain(page.getByRole('dialog'));
    await page.getByText('2 files moved.').waitFor();
    await tryAgain();
    await page.getByRole('link', { name: 'other/' }).waitFor();
    await inputOf(page, 'Upload files').setInputFiles(await files.written('new.txt', 'x'));
    await tryAgain();
    await expect.poll(() => headline().textContent()).toBe('1 file uploaded');
    await tryAgain();
    seconds = '0';
    await page.reload();
    await page.getByText('does not answer correctly (ServiceUnavailable). Try again in a few minutes.').waitFor();
    answered = 1;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'other/' }).waitFor();
  });

  test('the page replaces no file without consent', async () => {
    await store('there/one.txt', 'former');
    await files.openFolder(page, 'there/');
    const chosen = [await files.written('one.txt', 'newer!!'), await files.written('two.txt', 'two')];
    await inputOf(page, 'Upload files').setInputFiles(chosen);
    const dialog = page.getByRole('dialog', { name: 'Review the upload' });
    await dialog.getByText('1 file already exists.').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Skip existing file' }).click();
    await expect.poll(() => headline().textContent()).toBe('1 file uploaded');
    expect(await files.storedBytes('there/one.txt')).toBe(6);
    await inputOf(page, 'Upload files').setInputFiles(chosen);
    await dialog.getByRole('button', { name: 'Replace all of them' }).click();
    await expect.poll(() => files.storedBytes('there/one.txt')).toBe(7);
  });

  test('the page moves, shares, and deletes files after it has explained each action', async () => {
    for (const key of ['table/a.csv', 'table/b.csv', 'table/sub/c.csv']) {
      await store(key, key);
    }
    await files.openFolder(page, 'table/');
    await page.getByRole('button', { name: 'a.csv' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('11 bytes').waitFor();
    await dialog.getByRole('button', { name: 'Create link' }).click();
    const url = await dialog.getByRole('textbox', { name: 'Copy link' }).inputValue();
    await dialog.getByText('Valid until').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await (await fetch(url)).text()).toBe('table/a.csv');
    await dialog.getByRole('button', { name: 'Move or rename' }).click();
    const name = page.getByLabel('New path in this repository');
    await name.fill('table/../x');
    await page.getByRole('dialog').getByRole('button', { name: 'Move or rename' }).click();
    await page.getByText('A part of the path must not be . or ..').waitFor();
    await name.fill('table/renamed <b>.csv');
    await page.keyboard.press('Enter');
    await page.getByText('1 file moved.').waitFor();
    await page.getByRole('button', { name: 'renamed <b>.csv' }).waitFor();
    await page.getByLabel('Select everything on this page').check();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('This deletes 3 files').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByLabel('Select sub/').uncheck();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByLabel('Type 2 to confirm').fill('2');
    await page.keyboard.press('Enter');
    await page.getByText('2 files deleted.').waitFor();
    expect(await listed('table/')).toEqual(['table/sub/c.csv']);
  });

  test('hostile names run no script, show no reordered text, and fit a phone, in every dialog', async () => {
    const ran = "document.title='ran'";
    const odd = [
      `<img src=x onerror=${ran}>.csv`,
      `"'><script>${ran}</script>&amp;.csv`,
      'report\u202eftp.exe',
      `${'long'.repeat(220)}.csv`,
      '${7*7}{{7*7}}`.csv',
    ];
    for (const name of [...odd, `<svg onload=${ran}>/a.csv`]) {
      const bytes = new TextEncoder().encode(name);
      const checksum = { 'x-amz-checksum-crc32': toBase64(crc32(bytes)) };
      await files.fixture.data.objects.put(`odd/${name}`, new Blob([bytes]), checksum, { signal: untilTheEnd() });
    }
    const asAda = await files.service.user('ada');
    const repository = '/repositories/tide-institute/raw-drafts';
    const { body: before } = await asAda('GET', repository);
    const meta = { ...before.meta, title: `\u202e<b onclick=${ran}>${'wide'.repeat(30)}` };
    await asAda('PUT', repository, { meta, state: before.state });
    await files.openFolder(page, 'odd/');
    await page.setViewportSize({ width: 360, height: 740 });
    /** Expects that no script ran and that no element is wider than the screen or the dialog. */
    const expectSound = async (what: string) => {
      expect(await page.title(), what).not.toBe('ran');
      const wide = `[document.documentElement, ...document.querySelectorAll('dialog')].map((each) => each.scrollWidth - each.clientWidth)`;
      expect(Math.max(...((await page.evaluate(wide)) as number[])), what).toBeLessThanOrEqual(0);
    };
    await page.getByRole('button', { name: 'report‹U+202E›ftp.exe' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Files' }).count()).toBe(1);
    expect(await page.locator('h1').textContent()).toMatch(/^‹U\+202E›<b onclick/);
    await expectSound('the list');
    expect(await violations(page)).toEqual([]);
    const dialog = page.getByRole('dialog');
    for (const [index, button] of (await page.locator('.files button.plain').all()).entries()) {
      await button.click();
      await dialog.getByText('CRC-32 (hex)').waitFor();
      expect(await dialog.locator('dd code').textContent()).toMatch(/^[0-9a-f]{8}$/);
      await dialog.getByRole('button', { name: 'Create link' }).click();
      await dialog.getByText('Valid until').waitFor();
      await expectSound(`file ${index}`);
      await dialog.getByRole('button', { name: 'Close', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
    }
    await page.locator('.files button.plain').last().click();
    await dialog.getByRole('button', { name: 'Create link' }).click();
    await dialog.getByText('Valid until').scrollIntoViewIfNeeded();
    // The header stays in view while the content scrolls.
    expect(
      await dialog.evaluate(
        (shown) => shown.querySelector('h2')?.getBoundingClientRect().top === shown.getBoundingClientRect().top + 1,
      ),
    ).toBe(true);
    await dialog.getByRole('button', { name: 'Move or rename' }).click();
    await page.getByLabel('New path in this repository').waitFor();
    await expectSound('moving');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByLabel('Select report').check();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByLabel('Type report‹U+202E›ftp.exe to confirm').fill('report\u202eftp.exe');
    await expectSound('deleting');
    await page.keyboard.press('Enter');
    await page.getByText('1 file deleted.').waitFor();
    const uploaded = { name: `<i title="${ran}">.csv`, mimeType: 'text/csv', buffer: Buffer.from('x') };
    await inputOf(page, 'Upload files').setInputFiles(uploaded);
    await expect.poll(() => headline().textContent()).toBe('1 file uploaded');
    await inputOf(page, 'Upload files').setInputFiles(uploaded);
    await dialog.getByText('already exists').waitFor();
    await expectSound('before an upload');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    for (const [tab, heading = tab] of [['Overview'], ['People'], ['API keys'], ['Settings', 'General']]) {
      await page
        .getByRole('navigation', { name: 'Views' })
        .getByRole('link', { name: String(tab) })
        .click();
      await page
        .getByRole('heading', { name: String(heading) })
        .first()
        .waitFor({ state: 'attached' });
      await expectSound(String(tab));
    }
    const tabs = await page.locator('.tabs').boundingBox();
    expect(tabs?.height).toBeLessThan(70);
    await asAda('PUT', repository, { meta: before.meta, state: before.state });
  });
});
