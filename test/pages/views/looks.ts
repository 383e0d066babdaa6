import type { Page } from 'playwright-core';
import { goToView, openView, untilQuiet } from '../../service/signed-in-page.ts';
import type { View } from './views.ts';

/** A viewport and settings in which a view is checked. */
export interface Look {
  name: string;
  apply: (page: Page) => Promise<void>;
  undo?: (page: Page) => Promise<void>;
}

const sized = (width: number, colorScheme: 'light' | 'dark') => async (page: Page) => {
  await page.emulateMedia({ colorScheme, media: 'screen' });
  await page.setViewportSize({ width, height: 900 });
};
/** The font size. Only this setting changes, as in the browser's settings. */
const lettersOf = (size: number) => (page: Page) =>
  page.evaluate(
    (pixels) => {
      document.documentElement.style.fontSize = pixels;
    },
    size === 16 ? '' : `${size}px`,
  );
const largeLetters = (width: number): Look => ({
  name: `${width}-letters200`,
  apply: async (page) => {
    await sized(width, 'light')(page);
    await lettersOf(32)(page);
  },
  undo: lettersOf(16),
});

export const looks: readonly Look[] = [
  { name: '1440-light', apply: sized(1440, 'light') },
  { name: '1440-dark', apply: sized(1440, 'dark') },
  // A screen of 1440 pixels at 200 percent.
  { name: '720-light', apply: sized(720, 'light') },
  { name: '360-light', apply: sized(360, 'light') },
  { name: '360-dark', apply: sized(360, 'dark') },
  largeLetters(1280),
  largeLetters(360),
  {
    name: 'print',
    apply: async (page) => {
      // A4 at 96 pixels per inch.
      await page.setViewportSize({ width: 794, height: 900 });
      await page.emulateMedia({ colorScheme: 'light', media: 'print' });
    },
  },
];

const waiting = /One moment|Loading …|Looking…|Counting/;

/** Opens a view and waits until it has loaded. */
export async function show(page: Page, site: string, { path, reach, dialogOf }: View): Promise<void> {
  if (!path.startsWith('/-/console')) await page.goto(site + path);
  // An earlier dialog may have left an open form in a view with the same path.
  else if (dialogOf !== undefined) await openView(page, site + path);
  else await goToView(page, site + path);
  await untilQuiet(page);
  await page.locator('#preview[aria-busy]').waitFor({ state: 'detached' });
  await reach?.(page);
  if (dialogOf !== undefined) await page.getByRole('dialog').filter({ hasNotText: waiting }).waitFor();
}
