import { installedBrowsers, openBrowser } from '../../test/service/browsers.ts';
import { startChild } from '../child-process.ts';
import { type Bare, startServer } from '../load/servers.ts';
import { goal, median, percentile, printTable } from '../report.ts';
import { sendMany } from '../requests.ts';
import type { PagesService } from './pages-service.ts';

const warmUps = 20;
const samples = 300;
const loads = 7;
const shownWithinMs = 1000;

/**
 * Measures every page of the site over a keep-alive connection. For comparison, also measures a minimal Node server
 * that returns the same bytes. Then measures the pages in a browser with an empty cache.
 */
export async function benchPages(): Promise<void> {
  await using children = new AsyncDisposableStack();
  const service = await startChild<PagesService>(new URL('./pages-service.ts', import.meta.url));
  children.defer(() => service.stop());
  const { apiUrl, pages } = service.started;
  await indexIsComplete(apiUrl + pages['sitemap']);
  const urls = Object.values(pages).map((path) => apiUrl + path);
  const bare = await startServer('copies', urls);
  children.defer(() => bare.stop());
  await printTimes(service.started, bare.started);
  await printLoads(service.started);
}

/** Waits until the search index contains the last change in the table. */
async function indexIsComplete(sitemap: string): Promise<void> {
  const until = performance.now() + 60_000;
  while (performance.now() < until) {
    if ((await (await fetch(sitemap)).text()).includes('/series-29<')) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error('the search index did not contain the last repository in a minute');
}

async function printTimes({ apiUrl, pages }: PagesService, bare: Bare): Promise<void> {
  const rows: string[][] = [];
  for (const [name, path] of Object.entries(pages)) {
    const size = (await (await fetch(apiUrl + path)).arrayBuffer()).byteLength;
    const cells: string[] = [];
    for (const origin of [apiUrl, bare.url]) {
      const request = { url: origin + path };
      await sendMany(request, warmUps, 1);
      const { times } = await sendMany(request, samples, 1);
      cells.push(...[0.5, 0.99].map((part) => percentile(times, part).toFixed(1)));
    }
    rows.push([name, `${(size / 1000).toFixed(0)} kB`, ...cells]);
  }
  const title = `Milliseconds of a page on one machine, ${samples} times one after another`;
  printTable(title, ['', 'size', 'p50', 'p99', 'bare server: p50', 'p99'], rows);
}

/**
 * Prints the time from the start of a navigation to the load event. Each page is loaded without a cache, in a browser
 * window with the width of a phone.
 */
async function printLoads({ apiUrl, pages }: PagesService): Promise<void> {
  const chromium = installedBrowsers.find(({ kind }) => kind === 'chrome');
  if (chromium === undefined) {
    console.log('\nChromium is not installed, so load times in a browser are not measured.');
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
      `\nTime from the navigation to the load event: ${goal(slowest, '<', shownWithinMs, ' ms')} (the slowest of ${all.length}: ${slowest.toFixed(0)} ms)`,
    );
  } finally {
    await browser.close();
  }
}
