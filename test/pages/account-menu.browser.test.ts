import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededUsers, seedNames } from '../../lib/local/seed.ts';
import { violations } from '../service/axe.ts';
import { installedBrowsers, type OpenBrowser, openBrowser } from '../service/browsers.ts';
import { type SeededService, startSeededService } from '../service/seeded-service.ts';
import { signInScript } from '../service/signed-in-page.ts';
import { userToken } from '../service/user-tokens.ts';

let service: SeededService;
let site: string;
const waitMs = 30_000;
const menuButton = 'button[aria-label^="Account menu"]';
const repository = '/tide-institute/world-borders';

beforeAll(async () => {
  if (installedBrowsers.length === 0) return;
  service = await startSeededService({ users: seededUsers, withDataSet: true });
  site = service.apiUrl;
});
afterAll(() => service?.close());

describe.each(installedBrowsers)('the account menu in $name', (installed) => {
  let browser: OpenBrowser;
  beforeAll(async () => {
    browser = await openBrowser(installed);
  });
  afterAll(() => browser?.close());

  async function openAs(identity: string | undefined, path: string, width = 1280): Promise<Page> {
    const page = await browser.newPage({ width, isFresh: true });
    if (identity !== undefined) {
      const access_token = await userToken(service, identity);
      await page.evaluateOnNewDocument(signInScript({ id: identity, access_token }));
    }
    await page.goto(site + path);
    if (identity !== undefined) await page.waitForSelector(menuButton, { timeout: waitMs });
    return page;
  }

  it.each([
    ['wide', 1280],
    ['narrow', 360],
  ])('shows the menu without moving the page, and closes it by the keyboard: %s', async (_, width) => {
    const signedOut = await openAs(undefined, repository, width);
    const places = `JSON.stringify(['header .brand', 'header form', 'main', 'h1'].map((selector) => {
      const { x, y, width } = document.querySelector(selector).getBoundingClientRect();
      return [x, y, width];
    }))`;
    const before = await signedOut.evaluate(places);
    await signedOut.browserContext().close();
    const page = await openAs('ada', repository, width);
    expect(await page.evaluate(places)).toBe(before);
    await page.focus(menuButton);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.menu a', { timeout: waitMs });
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThanOrEqual(0);
    const words = () =>
      page.evaluate(`[...document.querySelectorAll('.menu :is(a, button)')].map((e) => e.innerText.trim())`);
    await expect
      .poll(words, { timeout: waitMs })
      .toEqual(['Dashboard', 'Your account', 'New repository', 'Tide Institute', 'Sign out']);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Dashboard');
    await page.keyboard.press('Escape');
    await page.waitForSelector('.menu a', { hidden: true, timeout: waitMs });
    expect(await page.evaluate('document.activeElement.ariaExpanded')).toBe('false');
    await page.browserContext().close();
  });

  it.each([
    [seedNames.admin.identity_id, '/tide-institute', true],
    ['ada', repository, true],
    ['ada', `${repository}?path=countries.csv`, true],
    ['ada', '/tide-institute', true],
    ['ben', repository, false],
    ['ben', '/tide-institute', false],
    ['ada', '/ada', true],
  ])('shows %s on %s the link to manage it: %s', async (identity, path, isShown) => {
    const page = await openAs(undefined, path);
    const link = `document.querySelector('a[data-manage]').checkVisibility({ visibilityProperty: true })`;
    expect(await page.evaluate(link)).toBe(false);
    const access_token = await userToken(service, identity);
    await page.evaluateOnNewDocument(signInScript({ id: identity, access_token }));
    const answered = page.waitForResponse((response) => response.url().endsWith(`${path.split('?')[0]}/permissions`), {
      timeout: waitMs,
    });
    await page.reload();
    await answered;
    await expect.poll(() => page.evaluate(link), { timeout: isShown ? waitMs : 500 }).toBe(isShown);
    await page.browserContext().close();
  });
});
