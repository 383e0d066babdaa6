import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { violations } from './axe.ts';
import { launchChromium } from './chromium.ts';
import { followRequests } from './signed-in-page.ts';

/** One browser, with a separate context for each user. */
export interface ConsolePages {
  /** Opens a page in a new context, and records its errors. */
  newPage: () => Promise<Page>;
  /** Errors and policy violations of all pages. */
  complaints: string[];
  close: () => Promise<void>;
}

export async function openConsolePages(): Promise<ConsolePages> {
  const browser = await launchChromium();
  const complaints: string[] = [];
  return {
    complaints,
    close: () => browser.close(),
    async newPage() {
      const context: BrowserContext = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      const page = await context.newPage();
      // In a new process, the first page waits until the console is built.
      page.setDefaultTimeout(25_000);
      followRequests(page);
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(`pageerror ${error}`));
      return page;
    },
  };
}

export async function signInAs(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: new RegExp(name) }).click();
}

export async function signOutOf(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account menu/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
}

/** Expects that axe finds no violation, and that no content is cut off at the right or left edge. */
export async function expectSound(page: Page, what: string): Promise<void> {
  expect(await violations(page), what).toEqual([]);
  const beyond = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
  expect(beyond, what).toBeLessThanOrEqual(0);
}
