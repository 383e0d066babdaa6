import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { s3Client, signIn } from '../service/data-clients.ts';
import { type SeededService, startSeededService } from '../service/seeded-service.ts';

const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const repository = '/tide-institute/world-borders';
const ran = "fetch('/ran');document.title='ran';";

/** What somebody uploads to run on the pages, by key: the key itself, too. */
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

let service: SeededService;
let browser: Browser;
let axe: string;

describe.skipIf(browserPath === undefined)('the site in a browser', () => {
  beforeAll(async () => {
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    service = await startSeededService({ withDataSet: true });
    const client = s3Client(service, await signIn(service, service.key));
    for (const [key, Body] of Object.entries(hostile)) {
      await client.send(new PutObjectCommand({ Bucket: 'tide-institute', Key: `world-borders/${key}`, Body }));
    }
    browser = await chromium.launch({ executablePath: browserPath ?? '', args: ['--no-sandbox', '--disable-gpu'] });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const shown: [name: string, path: string, status: number][] = [
    ['front', '/', 200],
    ['catalogue', '/-/search', 200],
    ['search', '/-/search?q=borders', 200],
    ['account', '/tide-institute', 200],
    ['repository', repository, 200],
    ['folder', `${repository}?path=bad/`, 200],
    ['table', `${repository}?path=countries.csv`, 200],
    ['text', `${repository}?path=README.md`, 200],
    ['other file', `${repository}?path=countries.parquet`, 200],
    ['nothing', '/tide-institute/absent', 404],
  ];
  const views: [name: string, width: number, colorScheme: 'light' | 'dark'][] = [
    ['wide and light', 1280, 'light'],
    ['narrow and dark', 360, 'dark'],
  ];

  for (const [view, width, colorScheme] of views) {
    it.each(shown)(
      `shows the page "%s" ${view} to everybody: axe finds nothing, and nothing is cut off`,
      async (_, path, status) => {
        const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
        try {
          const complaints = complaintsOf(page);
          expect((await page.goto(service.apiUrl + path))?.status()).toBe(status);
          expect(await violations(page)).toEqual([]);
          expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThanOrEqual(
            0,
          );
          if (status === 200) expect(complaints).toEqual([]);
        } finally {
          await page.close();
        }
      },
    );
  }

  it.each(Object.keys(hostile))('runs nothing that is in %s', async (key) => {
    const page = await browser.newPage();
    try {
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      const query = new URLSearchParams({ path: key });
      await page.goto(`${service.apiUrl}${repository}?${query}`);
      await page.goto(`${service.apiUrl}${repository}?path=bad/`);
      expect(await page.title()).not.toBe('ran');
      expect(asked.filter((url) => url.includes('/ran'))).toEqual([]);
      expect(asked.length).toBeGreaterThan(1);
    } finally {
      await page.close();
    }
  });

  it('is read without a mouse: the first stop leads past the head, the commands open by keyboard', async () => {
    const page = await browser.newPage();
    try {
      await page.goto(service.apiUrl + repository);
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
      await page.locator('summary', { hasText: 'Python' }).focus();
      await page.keyboard.press('Enter');
      expect(await page.getByText('get_paginator').isVisible()).toBe(true);
    } finally {
      await page.close();
    }
  });
});

function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  return complaints;
}

/** Of WCAG 2.2 AA and good practice, by rule. The policy of the page admits no script: axe comes by the debugger. */
async function violations(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axe });
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run().then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' '))))`,
    awaitPromise: true,
  });
  return JSON.parse(String(result.value));
}
