import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { violations } from '../../service/axe.ts';
import { chromiumPath } from '../../service/chromium.ts';
import { mebibyte, untilTheEnd } from '../upload/upload-fixture.ts';
import { filesInABrowser, headlineOf, inputOf, partsOf, untilTold } from './files-fixture.ts';

describe.skipIf(chromiumPath === undefined)('when an upload is interrupted,', () => {
  const files = filesInABrowser();
  let page: Page;
  beforeEach(() => {
    page = files.page;
  });
  const told = (headline: string | RegExp, on = page) => untilTold(on, headline);

  test('the page reports a lost connection, and the upload continues when it returns', async () => {
    await files.openFolder(page, 'line/');
    // The page shows the upload rate after two seconds. On any machine, the upload takes much longer.
    const line = await files.slowLine(page, mebibyte);
    await inputOf(page, 'Upload files').setInputFiles(await files.written('line.bin', 20 * mebibyte));
    await expect.poll(() => page.locator('.numbers').textContent(), { timeout: 20_000 }).toMatch(/\/s .* left/);
    await line.cut();
    await expect.poll(() => headlineOf(page).textContent(), { timeout: 20_000 }).toMatch(/^There is no connection/);
    expect(await violations(page)).toEqual([]);
    await line.mend();
    await expect.poll(() => headlineOf(page).textContent(), { timeout: 40_000 }).toBe('1 file uploaded');
    expect(await files.storedBytes('line/line.bin')).toBe(20 * mebibyte);
  }, 90_000);

  test('a paused upload sends nothing, and repeats no stored part when it resumes', async () => {
    const parts = partsOf(page);
    const letGo = await files.beginUpload(page, 'paused');
    await page.getByRole('button', { name: 'Pause' }).click();
    await told(/^Paused: 0 of 1 file/);
    await letGo();
    expect(await files.storedBytes('paused/paused.bin')).toBeUndefined();
    await page.getByRole('button', { name: 'Resume' }).click();
    await told('1 file uploaded');
    expect(parts.filter((part) => part === 'paused/paused.bin 1')).toHaveLength(1);
    expect(await files.storedBytes('paused/paused.bin')).toBe(24 * mebibyte);
  }, 90_000);

  test('an upload renews expired credentials, and repeats no stored part', async () => {
    let asked = 0;
    page.on('request', (request) => {
      asked += request.method() === 'POST' && request.url().endsWith('/data-credentials') ? 1 : 0;
    });
    const parts = partsOf(page);
    const letGo = await files.beginUpload(page, 'ended');
    files.service.advance(3601);
    await letGo();
    await told('1 file uploaded');
    expect(asked).toBe(2);
    expect(parts.filter((part) => part === 'ended/ended.bin 1')).toHaveLength(1);
    expect(await files.storedBytes('ended/ended.bin')).toBe(24 * mebibyte);
  }, 90_000);

  test('the page renews an expired sign-in when the connection returns', async () => {
    await files.openFolder(page, 'renewed/');
    await page.evaluate(
      `localStorage.setItem('sluice.tokens', JSON.stringify({ ...JSON.parse(localStorage['sluice.tokens']), expires_at: 0 }))`,
    );
    await page.route('**/oauth2/token', (route) => route.abort());
    await page.reload();
    await page.getByText('The site cannot be reached.').waitFor();
    await page.unroute('**/oauth2/token');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('or drop files and folders').waitFor();
  });

  test('the page rejects a file that changes during its upload, and uploads it when it is chosen again', async () => {
    const letGo = await files.beginUpload(page, 'changed');
    const file = await files.written('changed.bin', 23 * mebibyte);
    await letGo();
    await page.getByText('The browser cannot read this file any more').waitFor();
    await told('0 of 1 file uploaded');
    await page.getByRole('button', { name: 'Skip changed/changed.bin' }).click();
    await inputOf(page, 'Upload files').setInputFiles(file);
    await told('1 file uploaded');
    expect(await files.storedBytes('changed/changed.bin')).toBe(23 * mebibyte);
    expect(await files.fixture.data.multipart.listUnfinished('changed/', untilTheEnd())).toEqual([]);
  }, 90_000);

  test('an upload continues when a deployment removes files of the page', async () => {
    const letGo = await files.beginUpload(page, 'deployed');
    await page.route('**/*.js', (route) => route.fulfill({ status: 404, body: 'gone' }));
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByText('A new version of the site is available.').waitFor();
    await page.getByRole('link', { name: 'Files' }).click();
    await told(/^Uploading/);
    await letGo();
    await told('1 file uploaded');
    expect(await files.storedBytes('deployed/deployed.bin')).toBe(24 * mebibyte);
  }, 90_000);

  test('a sign-out in another tab stops the upload', async () => {
    await files.openFolder(page, 'out/');
    await files.slowLine(page, mebibyte / 4);
    const sent = page.waitForRequest((request) => request.method() === 'PUT' && request.url().includes('/out/'));
    await inputOf(page, 'Upload files').setInputFiles(await files.written('out.bin', 20 * mebibyte));
    await sent;
    const stopped = page.waitForEvent('requestfailed', {
      predicate: (request) => request.url().includes('/out/'),
      timeout: 60_000,
    });
    const other = await files.openPage();
    await other.goto(`${files.service.apiUrl}/-/console`);
    await other.evaluate(`localStorage.setItem('sluice.tokens', '{"ended":"signed_out"}')`);
    expect((await stopped).method()).toBe('PUT');
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await other.close();
    expect(await files.storedBytes('out/out.bin')).toBeUndefined();
  }, 90_000);

  test('an upload stops with a message when the permission is revoked, and resumes when it is granted again', async () => {
    const asAda = await files.service.user('ada');
    const asBen = await files.service.user('ben');
    await asBen('POST', '/accounts', { account_id: 'ben', account_type: 'user', profile: { name: 'Ben' } });
    const invite = async () => {
      const { body } = await asAda('POST', '/repositories/tide-institute/raw-drafts/members', {
        account_id: 'ben',
        role: 'write_data',
      });
      await asBen('POST', `/memberships/${body.membership_id}/accept`);
      return body.membership_id;
    };
    const membership = await invite();
    await files.context.clearCookies();
    const letGo = await files.beginUpload(page, 'ben', 24 * mebibyte, 'Ben');
    await asAda('POST', `/memberships/${membership}/revoke`);
    files.service.advance(61);
    await letGo();
    await expect
      .poll(() => headlineOf(page).textContent(), { timeout: 30_000 })
      .toBe('The upload has stopped. No sent data is lost.');
    expect(await page.getByRole('alert').textContent()).not.toBe('');
    expect(await violations(page)).toEqual([]);
    await invite();
    files.service.advance(61);
    await page.getByRole('button', { name: 'Resume' }).click();
    await expect.poll(() => headlineOf(page).textContent(), { timeout: 40_000 }).toBe('1 file uploaded');
  }, 120_000);

  test('an upload continues after the computer was asleep', async () => {
    // This test must be the last one, because it changes the clock of all pages in this browser.
    await page.clock.install();
    const letGo = await files.beginUpload(page, 'asleep');
    // The sign-in and the credentials are valid for one hour. Both must be renewed.
    const seconds = 59 * 60 + 5;
    files.service.advance(seconds);
    await page.clock.fastForward(seconds * 1000);
    await told(/^There is no connection/);
    await letGo();
    await page.clock.fastForward(5_000);
    await told('1 file uploaded');
    expect(await files.storedBytes('asleep/asleep.bin')).toBe(24 * mebibyte);
  }, 90_000);
});
