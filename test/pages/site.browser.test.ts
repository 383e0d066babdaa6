import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { violations } from '../service/axe.ts';
import { installedBrowsers, type OpenBrowser, openBrowser } from '../service/browsers.ts';
import { s3Client, signIn } from '../service/data-clients.ts';
import { type SeededService, startSeededService } from '../service/seeded-service.ts';

const repository = '/tide-institute/world-borders';
const ran = "fetch('/ran');document.title='ran';";

/** Files of an attacker that try to run a script on the pages, by key. The keys are part of the attack. */
const hostile: Readonly<Record<string, string>> = {
  'bad/README.md': `# a\n\n<script>${ran}</script>\n\n[x](javascript:${ran})\n\n![x](x" onerror="${ran})\n\n<img src=x onerror="${ran}">`,
  'bad/a.html': `<script>${ran}</script>`,
  'bad/a.svg': `<svg xmlns="http://www.w3.org/2000/svg" onload="${ran}"><script>${ran}</script></svg>`,
  'bad/a.xml': `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="javascript:${ran}"?><a/>`,
  'bad/a.csv': `a,"<script>${ran}</script>"\n=cmd(),"<img src=x onerror=${ran}>"`,
  'bad/a.geojson': `{"type":"Feature","properties":{"name":"<img src=x onerror=${ran}>"}}`,
  [`bad/"><img src=x onerror=${ran.replaceAll('/', '')}>.txt`]: 'a',
  'bad/a.png': `<script>${ran}</script>`,
  'bad/a.pdf': `<script>${ran}</script>`,
};

const longName = `long/${'NameWithoutAnyBreak'.repeat(12)}/${'measured-by-hand'.repeat(12)}.txt`;

let service: SeededService;

const shown: [name: string, path: string, status: number][] = [
  ['front', '/', 200],
  ['catalogue', '/-/search', 200],
  ['search', '/-/search?q=borders', 200],
  ['account', '/tide-institute', 200],
  ['repository', repository, 200],
  ['folder', `${repository}/bad/`, 200],
  ['long names', `${repository}/${longName}`, 200],
  ['table', `${repository}/countries.csv`, 200],
  ['text', `${repository}/README.md`, 200],
  ['other file', `${repository}/countries.parquet`, 200],
  ['API reference', '/api/v1/docs', 200],
  ['nothing', '/tide-institute/absent', 404],
];
const views = [
  { view: 'wide and light', width: 1280, colours: 'light' },
  { view: 'narrow and dark', width: 360, colours: 'dark' },
] as const;

beforeAll(async () => {
  if (installedBrowsers.length === 0) return;
  service = await startSeededService({ withDataSet: true });
  const client = s3Client(service, await signIn(service, service.key));
  for (const [key, Body] of Object.entries({ ...hostile, [longName]: 'a' })) {
    await client.send(new PutObjectCommand({ Bucket: 'tide-institute', Key: `world-borders/${key}`, Body }));
  }
});
afterAll(() => service?.close());

describe.each(installedBrowsers)('the public site in $name', (installed) => {
  // A second browser tests another engine. One view of each page is enough for this test.
  const viewsHere = views.filter(({ width }) => installed.kind === 'chrome' || width === 360);
  describe.each(viewsHere)('the site, $view,', ({ width, colours }) => {
    let browser: OpenBrowser;
    beforeAll(async () => {
      browser = await openBrowser(installed, { colours });
    });
    afterAll(() => browser?.close());

    it.each(shown)('shows the page "%s" accessibly and complete', async (_, path, status) => {
      const page = await browser.newPage({ width });
      const complaints = complaintsOf(page);
      expect((await page.goto(service.apiUrl + path))?.status()).toBe(status);
      expect(await page.evaluate(`matchMedia('(prefers-color-scheme: ${colours})').matches`)).toBe(true);
      expect(await violations(page)).toEqual([]);
      // These widths also test a zoom of 200 and 400 percent on a screen of 1280 pixels.
      for (const zoomed of width === 1280 ? [1280, 640, 320] : [360, 640]) {
        await page.setViewport({ width: zoomed, height: 800 });
        expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThanOrEqual(0);
      }
      if (status === 200) expect(complaints).toEqual([]);
      await page.close();
    });

    it.each(width === 360 ? ['bad/', ...Object.keys(hostile)] : [])('runs no script of %s', async (key) => {
      const page = await browser.newPage();
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      const query = new URLSearchParams({ path: key });
      await page.goto(`${service.apiUrl}${repository}?${query}`);
      expect(await page.title()).not.toBe('ran');
      expect(asked.filter((url) => url.includes('/ran'))).toEqual([]);
      expect(asked.length).toBeGreaterThan(0);
      await page.close();
    });

    it.runIf(width === 360)(
      'has a keyboard order that follows the page',
      async () => {
        // Use a separate browser, because key presses go to the window in front, which may be another test's window.
        const own = await openBrowser(installed, { colours });
        onTestFinished(() => own.close());
        const page = await own.newPage();
        await page.goto(service.apiUrl + repository);
        const focused = () => page.evaluate('(e => e.name || e.textContent.trim())(document.activeElement)');
        const stops = ['Skip to content', 'Sluice', 'q', 'Catalogue', 'API reference', 'Sign in', 'tide-institute'];
        for (const stop of stops) {
          await page.keyboard.press('Tab');
          // A browser may handle the key after it has accepted it.
          await expect.poll(focused).toBe(stop);
        }
        await page.focus('.tool-tabs input:checked');
        await page.keyboard.press('ArrowRight');
        const isShown =
          '[...document.querySelectorAll("pre")].some((pre) => pre.textContent.includes("get_paginator") && pre.checkVisibility())';
        await expect.poll(() => page.evaluate(isShown)).toBe(true);
      },
      60_000,
    );
  });

  it('sorts and filters the list of files, and copies commands, the citation, and the URL', async () => {
    const browser = await openBrowser(installed);
    try {
      const page = await browser.newPage();
      // Records the copied texts, because a test must not read the clipboard of the machine.
      await page.evaluateOnNewDocument(
        'globalThis.copied = []; navigator.clipboard.writeText = async (text) => { copied.push(text); };',
      );
      await page.goto(service.apiUrl + repository);
      await page.waitForSelector('.files th button');
      const names = () =>
        page.evaluate(
          '[...document.querySelectorAll(".files tbody tr:not(.folder)")].filter((row) => !row.hidden).map((row) => row.querySelector("a").textContent)',
        ) as Promise<string[]>;
      await page.click('.files th:nth-child(2) button');
      expect((await names())[0]).toBe('countries.geojson');
      await page.click('.files th:nth-child(2) button');
      expect((await names()).at(-1)).toBe('countries.geojson');
      await page.click('.files th button');
      expect((await names()).at(-1)).toBe('README.md');
      await page.type('.list-tools input', 'Countries.P');
      expect(await names()).toEqual(['countries.parquet', 'countries.pmtiles']);
      expect(await page.evaluate('document.querySelector(".files th").ariaSort')).toBe('ascending');
      for (const button of ['.tool-tabs .copyable button', '.card [data-copy] + button', '.byline button']) {
        await page.click(button);
      }
      expect(await page.evaluate('copied')).toEqual([
        expect.stringContaining('aws --endpoint-url'),
        expect.stringContaining('World borders'),
        service.apiUrl + repository,
      ]);
    } finally {
      await browser.close();
    }
  });

  it('shows the same page without scripts', async () => {
    const browser = await openBrowser(installed, { hasScripts: false });
    try {
      const page = await browser.newPage();
      await page.goto(service.apiUrl + repository);
      const text = String(await page.evaluate('document.body.innerText'));
      for (const words of ['177 countries', 'countries.parquet', 'CC0-1.0', 'aws --endpoint-url'])
        expect(text).toContain(words);
    } finally {
      await browser.close();
    }
  });
});

const chromium = installedBrowsers.find(({ kind }) => kind === 'chrome');
describe.runIf(chromium)('a browser setting', () => {
  let browser: OpenBrowser;
  let page: Page;
  beforeAll(async () => {
    if (chromium === undefined) return;
    browser = await openBrowser(chromium);
    page = await browser.newPage();
  });
  afterAll(() => browser?.close());

  const styleOf = (selector: string, property: string) =>
    page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${property}`);

  it.each([
    ['print', repository, { media: 'print', features: [] }, 'header.site', 'display', 'none'],
    ['print', repository, { media: 'print', features: [] }, 'main h1', 'display', 'block'],
    [
      'no motion',
      '/',
      { media: '', features: [{ name: 'prefers-reduced-motion', value: 'reduce' }] },
      '.tile',
      'transitionDuration',
      '0s',
    ],
    [
      'few colours',
      repository,
      { media: '', features: [{ name: 'forced-colors', value: 'active' }] },
      '.tags li',
      'borderTopStyle',
      'solid',
    ],
  ])('adapts to "%s" on the page %s: %o', async (_, path, media, selector, property, value) => {
    await page.goto(service.apiUrl + path);
    const session = await page.createCDPSession();
    await session.send('Emulation.setEmulatedMedia', media);
    expect(await styleOf(selector, property)).toBe(value);
    await session.send('Emulation.setEmulatedMedia', { media: '', features: [] });
    await session.detach();
  });
});

function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  return complaints;
}
