import http from 'node:http';
import { installedBrowsers, openBrowser } from '../../test/service/browsers.ts';
import { startChild } from '../child-process.ts';
import { goal, median, percentile, printTable } from '../report.ts';
import type { BarePages } from './bare-pages.ts';
import type { PagesService } from './pages-service.ts';

const warmUps = 20;
const samples = 300;
const loads = 7;
const shownWithinMs = 1000;

interface Times {
  /** Milliseconds after the request was sent. */
  firstByte: number;
  whole: number;
  bytes: number;
}

/**
 * Measures every page of the site over a keep-alive connection, in turns with a bare Node server that returns the same
 * bytes. Then measures the pages in a browser with an empty cache.
 */
export async function benchPages(): Promise<void> {
  await using children = new AsyncDisposableStack();
  const service = await startChild<PagesService>(new URL('./pages-service.ts', import.meta.url));
  children.defer(() => service.stop());
  const { apiUrl, pages } = service.started;
  await everythingIsFound(apiUrl + pages['sitemap']);
  const bare = await startChild<BarePages>(new URL('./bare-pages.ts', import.meta.url), service.started);
  children.defer(() => bare.stop());
  await printTimes(service.started, bare.started);
  await printLoads(service.started);
}

/** Waits until the search index contains the last change of the table. */
async function everythingIsFound(sitemap: string): Promise<void> {
  const until = performance.now() + 60_000;
  while (performance.now() < until) {
    if ((await (await fetch(sitemap)).text()).includes('/series-29<')) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error('the search index did not follow the table');
}

async function printTimes({ apiUrl, pages }: PagesService, bare: BarePages): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const rows: string[][] = [];
  for (const [name, path] of Object.entries(pages)) {
    const ours: Times[] = [];
    const others: Times[] = [];
    for (let at = -warmUps; at < samples; at += 1) {
      const [one, other] = [await timesOf(agent, apiUrl + path), await timesOf(agent, bare.url + path)];
      if (at < 0) continue;
      ours.push(one);
      others.push(other);
    }
    const cell = (times: readonly Times[], what: 'firstByte' | 'whole', part: number) =>
      percentile(
        times.map((each) => each[what]),
        part,
      ).toFixed(1);
    rows.push([
      name,
      `${((ours[0]?.bytes ?? 0) / 1000).toFixed(0)} kB`,
      ...(['firstByte', 'whole'] as const).flatMap((what) => [cell(ours, what, 0.5), cell(ours, what, 0.99)]),
      ...(['firstByte', 'whole'] as const).flatMap((what) => [cell(others, what, 0.5), cell(others, what, 0.99)]),
    ]);
  }
  agent.destroy();
  printTable(
    `Milliseconds of a page on one machine, ${samples} times one after another, beside a bare server in Node with the same bytes`,
    ['', 'size', 'first byte p50', 'p99', 'whole p50', 'p99', 'bare: first byte p50', 'p99', 'whole p50', 'p99'],
    rows,
  );
}

function timesOf(agent: http.Agent, url: string): Promise<Times> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const request = http.get(url, { agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
      let firstByte: number | undefined;
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        firstByte ??= performance.now() - startedAt;
        bytes += chunk.byteLength;
      });
      response.on('end', () => {
        const whole = performance.now() - startedAt;
        resolve({ firstByte: firstByte ?? whole, whole, bytes });
      });
    });
    request.on('error', reject);
  });
}

/**
 * Prints the time from the start of a navigation to the load event. Each page loads without a cache, in a window as
 * wide as a phone.
 */
async function printLoads({ apiUrl, pages }: PagesService): Promise<void> {
  const chromium = installedBrowsers.find(({ kind }) => kind === 'chrome');
  if (chromium === undefined) {
    console.log('\nChromium is not installed here: how long a browser takes is not measured.');
    return;
  }
  const browser = await openBrowser(chromium);
  try {
    const rows: string[][] = [];
    const all: number[] = [];
    for (const [name, path] of Object.entries(pages)) {
      if (path.endsWith('.xml')) continue;
      const times: number[] = [];
      for (let load = 0; load < loads; load += 1) {
        const page = await browser.newPage({ width: 360, isFresh: true });
        await page.goto(apiUrl + path, { waitUntil: 'load' });
        times.push(Number(await page.evaluate("performance.getEntriesByType('navigation')[0].loadEventStart")));
        await page.browserContext().close();
      }
      all.push(...times);
      rows.push([name, median(times).toFixed(0), Math.max(...times).toFixed(0)]);
    }
    printTable(
      `Milliseconds until a page is loaded in Chromium with nothing in its cache, ${loads} times`,
      ['', 'p50', 'max'],
      rows,
    );
    const slowest = Math.max(...all);
    console.log(
      `\nA page within a second, from the address to the load event: ${goal(slowest, '<', shownWithinMs, ' ms')} (the slowest of ${all.length}: ${slowest.toFixed(0)} ms)`,
    );
  } finally {
    await browser.close();
  }
}
