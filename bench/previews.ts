import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'puppeteer-core';
import { seedNames } from '../lib/local/seed.ts';
import { publishSeedData } from '../lib/local/seed-data.ts';
import { type ScriptedFormat, scriptedKinds } from '../lib/pages/site/previews/scripted.ts';
import { installedBrowsers, type OpenBrowser, openBrowser } from '../test/service/browsers.ts';
import { putSparseObject } from '../test/service/sparse-object.ts';
import { formatFiles } from '../test/site/previews/hostile/attacks.ts';
import { median, printTable } from './report.ts';
import { startSeededService } from './seeded-service.ts';

const loads = 7;
/** The file name extensions of formats whose name is not their extension. */
const endings: Partial<Record<ScriptedFormat, string>> = { geotiff: 'tif', stac: 'json', zarr: 'zarr/zarr.json' };
/**
 * The maximum number of further files of a Zarr store that the benchmark creates. The first picture reads no further
 * files.
 */
const othersMax = 4;

/** Measures the time and memory until the first picture of a large file of each format, in Chromium without a cache. */
export async function benchPreviews(): Promise<void> {
  const chromium = installedBrowsers.find(({ kind }) => kind === 'chrome');
  if (chromium === undefined) {
    console.log('\nChromium is not installed, so previews are not measured.');
    return;
  }
  await using cleanup = new AsyncDisposableStack();
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'sluice-previews-'));
  cleanup.defer(() => rm(dataDirectory, { recursive: true }));
  const { organization_id, data_repository_id } = seedNames;
  const files: { name: string; key: string }[] = [];
  for (const format of Object.keys(scriptedKinds) as ScriptedFormat[]) {
    for (const [name, create] of Object.entries(formatFiles[format].large)) {
      const key = `large-${files.length}.${endings[format] ?? format}`;
      files.push({ name: `${scriptedKinds[format].title}: ${name}`, key });
      const { others, otherPaths = [], ...file } = create();
      const stored = `${organization_id}/${data_repository_id}/${key}`;
      await putSparseObject(dataDirectory, stored, file);
      if (others === undefined) continue;
      const other = { byteLength: others.byteLength, parts: [{ at: 0, bytes: others }] };
      for (const name of otherPaths.slice(0, othersMax)) {
        await putSparseObject(dataDirectory, path.posix.join(path.posix.dirname(stored), name), other);
      }
    }
  }
  const service = await startSeededService({ withDataSet: true, dataDirectory });
  cleanup.defer(() => service.close());
  await publishSeedData(service);
  const browser = await openBrowser(chromium);
  cleanup.defer(() => browser.close());
  const preview = `${service.apiUrl}/-/preview/${organization_id}/${data_repository_id}`;
  const empty = await peakMemory(browser, 'about:blank');
  const rows: string[][] = [];
  for (const { name, key } of files) {
    const url = `${preview}?${new URLSearchParams({ path: key })}`;
    const times: number[] = [];
    const memories: number[] = [];
    for (let load = 0; load < loads; load += 1) {
      const { ms, bytes } = await peakMemory(browser, url);
      times.push(ms);
      memories.push(bytes - empty.bytes);
    }
    rows.push([name, median(times).toFixed(0), Math.max(...times).toFixed(0), (median(memories) / 1e6).toFixed(0)]);
  }
  printTable(
    `From the navigation to the first picture in Chromium with nothing in its cache, ${loads} times`,
    ['', 'p50 (ms)', 'max (ms)', 'memory (MB)'],
    rows,
  );
}

/**
 * Opens a page in a separate browser process. Returns the time until its preview, and the peak memory of the process.
 */
async function peakMemory(browser: OpenBrowser, url: string): Promise<{ ms: number; bytes: number }> {
  const page = await browser.newPage({ width: 1280, isFresh: true });
  try {
    await page.goto(url, { waitUntil: 'load' });
    let ms = 0;
    if (url !== 'about:blank') {
      await page.waitForSelector('#preview:not([aria-busy]) :is(canvas, table)');
      ms = Number(await page.evaluate('performance.now()'));
    }
    return { ms, bytes: await peakBytes(page) };
  } finally {
    await page.browserContext().close();
  }
}

/** Returns the largest resident memory that the newest renderer of the browser has had. */
async function peakBytes(page: Page): Promise<number> {
  const session = await page.browser().target().createCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const renderers = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
  await session.detach();
  const peaks = await Promise.all(
    renderers.map(
      async (id) => Number(/VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${id}/status`, 'utf8'))?.[1]) * 1024,
    ),
  );
  return Math.max(...peaks);
}
