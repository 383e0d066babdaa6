import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { violations } from '../service/axe.ts';
import { installedBrowsers, type OpenBrowser, openBrowser } from '../service/browsers.ts';
import { type SeededService, startSeededService } from '../service/seeded-service.ts';

const waitMs = 30_000;
const borders = '/tide-institute/world-borders';
let service: SeededService;

beforeAll(async () => {
  if (installedBrowsers.length === 0) return;
  service = await startSeededService({ withDataSet: true });
  const search = async () => {
    service.advance(11);
    expect(await (await fetch(`${service.apiUrl}/-/search`)).text()).toContain('2 repositories');
  };
  await vi.waitFor(search, { timeout: 20_000, interval: 200 });
});
afterAll(() => service?.close());

describe.each(installedBrowsers)('the search field in $name', (installed) => {
  let browser: OpenBrowser;
  beforeAll(async () => {
    browser = await openBrowser(installed);
  });
  afterAll(() => browser?.close());

  async function open(path: string): Promise<{ page: Page; searches: string[] }> {
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    const searches: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname === '/api/v1/repositories') searches.push(search);
    });
    await page.goto(service.apiUrl + path);
    // Loads the code of the search suggestions.
    await page.focus('input[name=q]');
    await page.waitForSelector('input[role=combobox]', { timeout: waitMs });
    return { page, searches };
  }
  const typeWords = async (page: Page, words: string) => {
    await page.type('input[name=q]', words);
    await page.waitForSelector('.suggestions:not([hidden]) [role=option]', { timeout: waitMs });
  };
  const chosen = (page: Page) =>
    page.evaluate(`(() => {
      const field = document.querySelector('input[name=q]');
      return document.getElementById(field.getAttribute('aria-activedescendant'))?.textContent ?? '';
    })()`);
  const isOpen = (page: Page) => page.evaluate(`document.querySelector('input[name=q]').ariaExpanded`);

  it('suggests repositories, which the keyboard chooses and opens', async () => {
    const { page } = await open('/');
    await typeWords(page, 'tide');
    expect(await violations(page)).toEqual([]);
    expect(await isOpen(page)).toBe('true');
    expect(await page.evaluate(`document.querySelector('[role=status]').textContent`)).toBe('2 suggestions');
    expect(await chosen(page)).toBe('');
    await page.keyboard.press('ArrowDown');
    expect(await chosen(page)).toBe('Tide gauges tide-institute/tide-gauges');
    await page.keyboard.press('ArrowDown');
    expect(await chosen(page)).toBe('World borders tide-institute/world-borders');
    await page.keyboard.press('ArrowDown');
    expect(await chosen(page)).toBe('');
    await page.keyboard.press('ArrowUp');
    expect(await chosen(page)).toBe('World borders tide-institute/world-borders');
    await Promise.all([page.waitForNavigation({ timeout: waitMs }), page.keyboard.press('Enter')]);
    expect(new URL(page.url()).pathname).toBe(borders);
  });

  it('opens a suggestion by a click, and searches without a choice', async () => {
    const { page } = await open('/-/search');
    await typeWords(page, 'borders');
    await Promise.all([page.waitForNavigation({ timeout: waitMs }), page.click('.suggestions li')]);
    expect(new URL(page.url()).pathname).toBe(borders);
    const other = await open('/');
    await typeWords(other.page, 'borders');
    await Promise.all([other.page.waitForNavigation({ timeout: waitMs }), other.page.keyboard.press('Enter')]);
    expect(other.page.url()).toBe(`${service.apiUrl}/-/search?q=borders`);
  });

  it('sends one search for words typed at once, and none for words that it has found', async () => {
    const { page, searches } = await open('/tide-institute');
    await page.focus('.filters input[name=q]');
    await page.waitForSelector('.filters input[role=combobox]', { timeout: waitMs });
    const suggested = () => page.waitForSelector('.filters .suggestions:not([hidden]) li', { timeout: waitMs });
    await page.type('.filters input[name=q]', 'borders');
    await suggested();
    expect(searches.at(-1)).toBe('?q=borders&account_id=tide-institute&limit=8');
    const before = searches.length;
    await page.keyboard.press('Escape');
    await page.waitForSelector('.filters .suggestions[hidden]', { timeout: waitMs });
    expect(await page.evaluate(`document.activeElement.value`)).toBe('borders');
    // Fills the same field again at once.
    await page.evaluate(`document.activeElement.dispatchEvent(new Event('input'))`);
    await suggested();
    expect(searches.length).toBe(before);
  });

  it('shows no suggestions while the service refuses the search', async () => {
    const { page, searches } = await open('/');
    await page.type('input[name=q]', 'a'.repeat(1000));
    await expect.poll(() => searches.length, { timeout: waitMs }).toBeGreaterThan(0);
    expect(await isOpen(page)).toBe('false');
  });
});
