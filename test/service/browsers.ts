import { existsSync } from 'node:fs';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { pathsOfChromium } from './chromium.ts';

/** The browsers that tests drive, both by one library: Firefox as Debian has it speaks WebDriver BiDi alone. */
const known = [
  {
    name: 'Chromium',
    kind: 'chrome',
    paths: pathsOfChromium,
  },
  { name: 'Firefox', kind: 'firefox', paths: ['/usr/bin/firefox-esr', '/usr/bin/firefox'] },
] as const;

export interface InstalledBrowser {
  name: string;
  kind: 'chrome' | 'firefox';
  executablePath: string;
}

export const installedBrowsers: readonly InstalledBrowser[] = known.flatMap(({ name, kind, paths }) => {
  const executablePath = paths.find((path) => existsSync(path));
  return executablePath === undefined ? [] : [{ name, kind, executablePath }];
});

export interface Look {
  colours?: 'light' | 'dark';
  hasScripts?: boolean;
}

export interface OpenBrowser {
  /** A fresh one shares nothing with the others, its cache neither: close its context. */
  newPage(size?: { width: number; height?: number; isFresh?: boolean }): Promise<Page>;
  close(): Promise<void>;
}

/** What Chromium takes for each page, Firefox takes at its start. */
export async function openBrowser(
  { kind, executablePath }: InstalledBrowser,
  { colours = 'light', hasScripts = true }: Look = {},
): Promise<OpenBrowser> {
  const browser: Browser = await puppeteer.launch({
    browser: kind,
    executablePath,
    headless: true,
    args: kind === 'chrome' ? ['--no-sandbox', '--disable-gpu'] : [],
    extraPrefsFirefox: {
      'layout.css.prefers-color-scheme.content-override': colours === 'dark' ? 0 : 1,
      'javascript.enabled': hasScripts,
    },
  });
  return {
    async newPage({ width, height = 800, isFresh = false } = { width: 1280 }) {
      const page = await (isFresh ? await browser.createBrowserContext() : browser).newPage();
      await page.setViewport({ width, height });
      if (kind === 'chrome') {
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: colours }]);
        await page.setJavaScriptEnabled(hasScripts);
      }
      return page;
    },
    close: () => browser.close(),
  };
}
