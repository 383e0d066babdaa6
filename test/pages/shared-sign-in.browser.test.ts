import type { Page } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { seededUsers } from '../../lib/local/seed.ts';
import { installedBrowsers, type OpenBrowser, openBrowser } from '../service/browsers.ts';
import { type SeededService, startSeededService } from '../service/seeded-service.ts';

let service: SeededService;
let site: string;
const waitMs = 30_000;
const ended = '{"ended":"signed_out"}';

const accountMenu = 'button[aria-label^="Account menu"]';

beforeAll(async () => {
  if (installedBrowsers.length === 0) return;
  service = await startSeededService({ users: seededUsers, withDataSet: true });
  site = service.apiUrl;
});
afterAll(() => service?.close());

describe.each(installedBrowsers)('a sign-in in $name', (installed) => {
  let browser: OpenBrowser;
  let first: Page;
  beforeAll(async () => {
    browser = await openBrowser(installed);
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    first = await browser.newPage({ width: 1280, isFresh: true });
    await signIn(first);
  });
  afterEach(() => first.browserContext().close());

  async function signIn(page: Page): Promise<void> {
    await page.goto(`${site}/-/console`);
    await click(page, 'button ::-p-text(Sign in)');
    await click(page, 'button ::-p-text(Ada)');
    await page.waitForSelector(accountMenu, { timeout: waitMs });
  }

  async function openTab(path: string): Promise<Page> {
    const page = await first.browserContext().newPage();
    await page.goto(site + path);
    return page;
  }

  it('serves a new tab of the console and of a public page', async () => {
    for (const path of ['/-/console/accounts/tide-institute', '/tide-institute', '/-/search', '/nobody/nothing']) {
      const page = await openTab(path);
      await page.waitForSelector(accountMenu, { timeout: waitMs });
      await page.close();
    }
  });

  it('is renewed once when two tabs need it at the same time, also for a public page', async () => {
    const tabs = [first, await openTab('/-/console'), await openTab('/tide-institute')];
    for (let round = 0; round < 2; round += 1) {
      // A page that is reloaded during a renewal loses the new refresh token, which ends the sign-in in all tabs.
      await Promise.all(tabs.map((page) => page.waitForNetworkIdle()));
      const before = await tokensIn(first);
      await first.evaluate(expire);
      // The second use of a refresh token would end the sign-in in all tabs.
      await Promise.all(tabs.map((page) => page.reload()));
      await expect
        .poll(async () => (await tokensIn(first)).access_token, { timeout: waitMs })
        .not.toBe(before.access_token);
      for (const page of tabs) {
        // Browsers draw nothing in tabs in the background, so the test reads the document.
        const isSignedIn = () => page.evaluate(`document.querySelector('${accountMenu}') !== null`);
        await expect.poll(isSignedIn, { timeout: waitMs }).toBe(true);
      }
      expect((await tokensIn(first)).id).toBe(before.id);
    }
  });

  it('ends in all tabs when the user signs out in one of them', async () => {
    const [other, open] = [await openTab('/-/console/accounts/tide-institute'), await openTab('/tide-institute')];
    await first.bringToFront();
    await click(first, accountMenu);
    await click(first, '.menu button');
    // Browsers draw nothing in tabs in the background, so the test reads their text.
    for (const [page, selector] of [
      [other, 'main'],
      [open, 'header'],
    ] as const) {
      const text = () => page.evaluate(`document.querySelector('${selector}')?.textContent`);
      await expect.poll(text, { timeout: waitMs }).toContain('Sign in');
    }
    expect(await other.evaluate(`localStorage.getItem('sluice.tokens')`)).toBe(ended);
  });

  it('is not changed by a message of another page', async () => {
    const before = await tokensIn(first);
    const foreign = await openTab('/tide-institute');
    await foreign.evaluate(`{
      for (const message of ['renewed', { kind: 'signed_out' }, { kind: 'renewed', tokens: { id: 'x' } }]) {
        postMessage(message, '*');
        new BroadcastChannel('sluice-sign-in').postMessage(message);
        dispatchEvent(new StorageEvent('storage', { key: 'sluice.tokens', newValue: '{"ended":"signed_out"}' }));
      }
    }`);
    await foreign.reload();
    await foreign.waitForSelector(accountMenu, { timeout: waitMs });
    expect(await tokensIn(first)).toEqual(before);
  });

  it('of another user reloads a tab that shows the first user', async () => {
    await first.evaluate(`{
      globalThis.isOfFirstUser = true;
    }`);
    const other = await openTab('/tide-institute');
    await other.evaluate(`{
      const tokens = JSON.parse(localStorage['sluice.tokens']);
      localStorage.setItem('sluice.tokens', JSON.stringify({ ...tokens, id: 'other', subject: 'ben' }));
    }`);
    await first.waitForFunction('globalThis.isOfFirstUser === undefined', { timeout: waitMs });
  });

  it('cannot be read by an uploaded page, and the document that renews it cannot be framed by it', async () => {
    const page = await openTab('/tide-institute');
    await page.goto(`${service.dataUrl}/tide-institute/world-borders/README.md`);
    expect(
      await page.evaluate(`{
      let found;
      try { found = localStorage.getItem('sluice.tokens'); } catch { found = 'refused'; }
      found;
    }`),
    ).toSatisfy((found) => found === null || found === 'refused');
    const answer = await fetch(`${site}/-/console?frame=renewal`);
    expect(answer.headers.get('content-security-policy')).toMatch(/frame-ancestors 'self'$/);
    expect(answer.headers.get('content-security-policy')).toContain(
      `connect-src ${new URL(service.identity.people.issuer).origin};`,
    );
  });
});

const expire = `{
  const tokens = JSON.parse(localStorage.getItem('sluice.tokens'));
  localStorage.setItem('sluice.tokens', JSON.stringify({ ...tokens, expires_at: 0 }));
}`;

async function tokensIn(page: Page): Promise<{ id: string; access_token: string }> {
  return JSON.parse(String(await page.evaluate(`localStorage.getItem('sluice.tokens')`)));
}

/** Clicks by script, because a browser in the background may not deliver events of the mouse. */
async function click(page: Page, selector: string): Promise<void> {
  const element = await page.waitForSelector(selector, { timeout: waitMs });
  await element?.evaluate((node) => (node as unknown as { click(): void }).click());
}
