import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { launchChromium } from './chromium.ts';

/** One browser, in which each person has a context of their own. */
export interface ConsolePages {
  /** A page of somebody new; what it complains of is kept. */
  newPage: () => Promise<Page>;
  /** Faults of the page and of its policy so far. */
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
      page.setDefaultTimeout(15_000);
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

/** Axe finds nothing in what is shown, and nothing is cut off at its side. */
export async function expectSound(page: Page, what: string): Promise<void> {
  expect(await violations(page), what).toEqual([]);
  const beyond = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
  expect(beyond, what).toBeLessThanOrEqual(0);
}

/** What axe finds in what is shown. */
export async function violations(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  if (!(await page.evaluate('"axe" in window'))) {
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    // The policy of the page lets in no script by a tag.
    await session.send('Runtime.evaluate', { expression: axe });
  }
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run().then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' '))))`,
    awaitPromise: true,
  });
  await session.detach();
  return JSON.parse(String(result.value));
}
