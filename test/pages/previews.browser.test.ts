import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { violations } from '../service/axe.ts';
import { installedBrowsers, type OpenBrowser, openBrowser } from '../service/browsers.ts';
import { s3Client, signIn } from '../service/data-clients.ts';
import { type SeededService, startSeededService } from '../service/seeded-service.ts';
import { putSparseObject, readSparse } from '../service/sparse-object.ts';
import { largeGeoParquet } from '../site/previews/geoparquet-files.ts';
import { hostileFiles, hostileText } from '../site/previews/hostile-files.ts';
import { largeParquet } from '../site/previews/parquet-files.ts';
import { directoryOf, pmtilesOf } from '../site/previews/pmtiles-files.ts';
import { cube, unlistedCube } from '../site/previews/zarr-stores.ts';

const repository = '/tide-institute/world-borders';

let service: SeededService;
let browser: OpenBrowser;
let directory: string | undefined;

beforeAll(async () => {
  if (installedBrowsers.length === 0) return;
  directory = await mkdtemp(path.join(tmpdir(), 'sluice-previews-'));
  await putSparseObject(directory, 'tide-institute/world-borders/large.parquet', largeParquet());
  await putSparseObject(directory, 'tide-institute/world-borders/large-map.parquet', largeGeoParquet());
  service = await startSeededService({ withDataSet: true, dataDirectory: directory });
  const client = s3Client(service, await signIn(service, service.key));
  const beside = {
    'large.png': Buffer.alloc(2e6 + 1),
    'large.pdf': Buffer.from('%PDF-1.4'.padEnd(2.1e6)),
    'stations.geojson': stations,
    'long.geojson': stations.replace('"properties":{}', `"properties":{"text":"${'x'.repeat(2.2e6)}"}`),
    'stac/collection.json': stacCollection,
    ...stacCatalog,
    ...Object.fromEntries(Object.entries(cube()).map(([name, bytes]) => [`air.zarr/${name}`, bytes])),
    ...Object.fromEntries(
      Object.entries(unlistedCube('day/')).map(([name, bytes]) => [`unlisted.zarr/${name}`, bytes]),
    ),
    'levels.tsv': 'n\tword\n1\tone\n',
    'image.pmtiles': readSparse(imageArchive, 0, imageArchive.byteLength),
    'levels.csv': `n,word\n${Array.from({ length: 2500 }, (_, at) => `${at},word ${at % 5}\n`).join('')}`,
  };
  for (const [key, Body] of Object.entries(beside)) {
    await client.send(new PutObjectCommand({ Bucket: 'tide-institute', Key: `world-borders/${key}`, Body }));
  }
  for (const [key, { bytes }] of Object.entries(hostileFiles)) {
    await client.send(new PutObjectCommand({ Bucket: 'tide-institute', Key: `world-borders/${key}`, Body: bytes }));
  }
});
afterAll(async () => {
  await service?.close();
  if (directory !== undefined) await rm(directory, { recursive: true, force: true });
});

describe.each(installedBrowsers)('scripted previews in $name', (installed) => {
  // A second browser tests another engine. One file of each format is enough for this test.
  const tried = Object.entries(hostileFiles).filter(
    ([key]) => installed.kind === 'chrome' || /names|img|metadata|wide/.test(key),
  );
  const width = installed.kind === 'chrome' ? 360 : 1280;

  beforeAll(async () => {
    browser = await openBrowser(installed, { colours: installed.kind === 'chrome' ? 'dark' : 'light' });
  });
  afterAll(() => browser?.close());

  it('are open at first if they read less than 2 MB, also of a file of 10 GB', async () => {
    const { page } = await openPage();
    await page.goto(`${service.apiUrl}${repository}/large.parquet`);
    const isShown = 'Boolean(document.querySelector("details.preview iframe").contentDocument?.querySelector("table"))';
    await vi.waitFor(async () => expect(await page.evaluate(isShown)).toBe(true), 20_000);
    await page.close();
  });

  it.each(['large.png', 'large.pdf'])('of the browser load only when the user opens them: %s', async (key) => {
    const { page, asked } = await openPage();
    const url = `${service.dataUrl}${repository}/${key}`;
    await page.goto(`${service.apiUrl}${repository}/${key}`, { waitUntil: 'load' });
    expect(asked.map((request) => request.url)).not.toContain(url);
    await page.click('details.preview > summary');
    await vi.waitFor(() => expect(asked.map((request) => request.url)).toContain(url), 20_000);
    await page.close();
  });

  it('read 1 MB of a 10 GB file in 4 requests without a preflight', async () => {
    const { page, asked } = await openPage();
    await show(page, 'large.parquet');
    const ofData = asked.filter(({ url }) => url.startsWith(service.dataUrl));
    expect(ofData.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'GET']);
    const bytes = ofData.map(({ range }) => {
      const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
      return Number(end) - Number(start) + 1;
    });
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(1e6);
    const text = await textOf(page);
    expect(text).toContain('Rows 1–1,000 of 1,250,000,000 loaded.');
    expect(text).toContain('gauge-2');
    expect(text).toContain('read in 4 requests.');
    await page.click('.notes button');
    await page.waitForSelector('#preview:not([aria-busy])');
    await page.waitForFunction('!document.querySelector(".notes button")');
    expect(await textOf(page)).toContain('<img src=x onerror=alert(9)>');
    await page.close();
  });

  it.each([
    ...['countries.parquet', 'countries.geojson', 'countries.pmtiles', 'countries.tif'],
    ...['levels.tsv', 'image.pmtiles', 'stac/winter/day.json'],
  ])('of %s are accessible, complete, and log nothing', async (key) => {
    const { page, complaints, asked } = await openPage(width);
    await show(page, key);
    expect(await page.evaluate('document.querySelectorAll("#preview .notice").length')).toBe(0);
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);
    expect(asked.filter(({ method }) => method !== 'GET')).toEqual([]);
    await page.close();
  });

  it('sort, filter, and load the rows of a table by keyboard', async () => {
    const { page, complaints } = await openPage(width);
    await show(page, 'levels.csv');
    const firstRow = () => page.evaluate('document.querySelector("tbody tr").innerText.trim().split(/\\s+/).join(" ")');
    const press = async (selector: string) => {
      await page.focus(selector);
      await page.keyboard.press('Enter');
    };
    await press('thead button');
    await press('thead button');
    await expect.poll(firstRow).toBe('2,000 1999 word 4');
    await page.focus('.table-view input');
    await page.keyboard.type('word 3');
    await expect.poll(firstRow).toBe('1,999 1998 word 3');
    expect(await textOf(page)).toContain('Sort and filter apply to these rows. 400 rows found.');
    await press('.tools button::-p-text(Next page)');
    await expect.poll(firstRow).toBe('1,499 1498 word 3');
    await press('.tools button::-p-text(Load next rows)');
    await expect.poll(firstRow).toBe('2,499 2498 word 3');
    expect(await textOf(page)).toContain('Rows 2,001–2,500 of 2,500 loaded.');
    await press('.tools button::-p-text(Load rows before)');
    await expect.poll(firstRow).toBe('1,999 1998 word 3');
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('of a map follow mouse, wheel, touch, and keyboard', async () => {
    const { page } = await openPage(800);
    await show(page, 'countries.geojson');
    const box = await (await page.waitForSelector('.map .position'))?.boundingBox();
    const position = () => page.$eval('.map .position', ({ innerHTML }) => innerHTML);
    const isMoved = async (act: () => Promise<void>) => {
      const before = await position();
      await act();
      await expect.poll(position, { timeout: 10_000 }).not.toBe(before);
    };
    const surface = await (await page.waitForSelector('.map .surface'))?.boundingBox();
    const [left = 0, top = 0] = [surface?.x, surface?.y];
    expect(box?.y).toBeGreaterThan(top);
    const at = [left + 360, top + 150] as const;
    await page.mouse.move(...at);
    await isMoved(() => page.mouse.move(at[0] + 30, at[1]));
    // Until the map has the focus, the wheel scrolls the page.
    await page.mouse.wheel({ deltaY: -200 });
    await page.waitForSelector('.map .hint');
    await page.mouse.click(...at);
    await isMoved(() => page.mouse.wheel({ deltaY: -200 }));
    await isMoved(async () => {
      await page.mouse.down();
      await page.mouse.move(at[0] + 80, at[1] + 40, { steps: 4 });
      await page.mouse.up();
      await page.mouse.move(...at);
    });
    await page.keyboard.press('0');
    await page.mouse.move(left + 5, top - 20);
    for (const key of ['+', 'ArrowLeft', '-', 'ArrowDown'] as const) await isMoved(() => page.keyboard.press(key));
    await page.keyboard.press('0');
    for (const key of ['ArrowUp', 'ArrowRight', 'Enter'] as const) await page.keyboard.press(key);
    await page.waitForSelector('.map .feature.picked');
    expect(await page.$eval('.map .feature.picked', ({ textContent }) => textContent)).toContain('Kazakhstan');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.waitForFunction('!document.querySelector(".map .feature")');
    await page.select('.map select', 'name');
    await page.waitForFunction('document.querySelector(".map .legend")?.innerText.includes("172 other values")');
    expect(await violations(page)).toEqual([]);
    await page.close();
  });

  it('of the geometries of a 1 GB file read the part to which the user moves the map', async () => {
    const { page, complaints } = await openPage(800);
    await show(page, 'large-map.parquet');
    await page.waitForFunction('document.querySelector(".map figcaption")?.innerText.includes("30 of 400 row groups")');
    await page.waitForSelector('.table-view tbody tr');
    await page.focus('.map .surface');
    for (const key of ['+', '+', '+', '+', 'ArrowLeft'] as const) await page.keyboard.press(key);
    await page.waitForFunction(
      'document.querySelector(".map figcaption")?.innerText.includes("that meet this part of the map")',
    );
    await page.click('.tools button::-p-text(Load next rows)');
    await page.waitForFunction('document.querySelector(".table-view")?.innerText.includes("Rows 301–600 of 120,000")');
    // After a new read, the map still shows the part to which the user moved it.
    expect(await textOf(page)).toContain('that meet this part of the map');
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('of a STAC collection have a map, and link only to files and websites', async () => {
    const { page, complaints, asked } = await openPage(width);
    await page.goto(`${service.apiUrl}${repository}/stac/collection.json`);
    const isShown =
      'Boolean(document.querySelector("details.preview iframe").contentDocument?.querySelector(".surface"))';
    await vi.waitFor(async () => expect(await page.evaluate(isShown)).toBe(true), 20_000);
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThanOrEqual(0);
    const links = await page.$$eval('h4 ~ ul a, main td a', (all) => all.map((link) => link.getAttribute('href')));
    expect(links).toEqual([`${repository}/countries.geojson`]);
    expect(await textOf(page)).toContain(`to javascript:fetch("/ran")`);
    expect(complaints).toEqual([]);
    expect(asked.filter(({ url }) => url.includes('/ran'))).toEqual([]);
    await page.close();
  });

  it('of a STAC catalog open level by level by keyboard, and show the footprints of its files', async () => {
    const { page, complaints, asked } = await openPage(width);
    await show(page, 'stac/catalog.json');
    await page.waitForSelector('.map .surface');
    expect(await textOf(page)).toContain('2 of 3 linked files read, 1 footprint found.');
    const folder = `${service.dataUrl}${repository}/stac/`;
    const before = asked.length;
    await page.focus('.linked button');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.linked ul ul button');
    const ofData = asked.slice(before).filter(({ url }) => url.startsWith(service.dataUrl));
    expect(ofData.map(({ url }) => url)).toEqual([`${folder}winter/catalog.json`]);
    expect(await page.$eval('.linked ul ul a', (link) => link.getAttribute('href'))).toBe(
      `${repository}/stac/winter/day.json`,
    );
    // The Tab key moves over the link to the page of the opened catalog.
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('All seasons');
    await page.keyboard.press(' ');
    await page.waitForFunction('document.querySelectorAll(".linked ul ul ul > li").length === 3');
    expect(await textOf(page)).toContain('This file contains itself.');
    await page.focus('.linked > ul > li:nth-child(2) button');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.linked [role=alert]');
    expect(await textOf(page)).toContain('The linked file does not exist.');
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThanOrEqual(0);
    // Browsers log the response 404.
    expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
    await page.focus('.linked button');
    await page.keyboard.press('Enter');
    await page.waitForFunction('!document.querySelector(".linked ul ul")');
    await page.close();
  });

  it('of an array follow the pointer, the sliders, and the keyboard, and read only its folder', async () => {
    const { page, asked, complaints } = await openPage(width);
    await page.goto(`${service.apiUrl}${repository}/air.zarr/`);
    const frame = await (await page.waitForSelector('details.preview iframe'))?.contentFrame();
    await frame?.waitForSelector('.slice canvas');
    await show(page, 'air.zarr/zarr.json');
    const value = () => page.$eval('.slice .position', ({ textContent }) => textContent);
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThanOrEqual(0);
    const box = await (await page.waitForSelector('.slice canvas'))?.boundingBox();
    const { x = 0, y = 0, width: across = 0, height: down = 0 } = box ?? {};
    await page.mouse.move(x + across * 0.7, y + down * 0.1);
    await expect.poll(value).toBe('lat 3 (13), lon 3: 33 K');
    await page.mouse.move(0, 0);
    await page.focus('.sliders input');
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction('document.querySelector(".sliders").innerText.includes("2026-01-31")');
    await page.keyboard.press('Shift');
    await page.focus('.slice .surface');
    for (const key of ['ArrowRight', 'ArrowUp'] as const) await page.keyboard.press(key);
    await expect.poll(value).toMatch(/^lat \d \(1\d\), lon 3: 1\d3 K$/);
    expect(complaints).toEqual([]);
    const before = asked.length;
    await page.focus('.sliders input');
    await page.keyboard.press('End');
    await page.focus('.slice .surface');
    await page.keyboard.press('ArrowDown');
    await expect.poll(value).toMatch(/: 0 K$/);
    const ofData = asked.filter(({ url }) => url.startsWith(service.dataUrl));
    const folder = `${service.dataUrl}${repository}/air.zarr/`;
    expect(ofData.every(({ url, method, range }) => url.startsWith(folder) && method === 'GET' && range)).toBeTruthy();
    // The missing chunk causes one request. The page has cached the metadata and the coordinates.
    const ofSlice = asked.slice(before).filter(({ url }) => url.startsWith(service.dataUrl));
    expect(ofSlice.map(({ url }) => url)).toEqual([`${folder}air/c/2/0/0`]);
    await show(page, 'unlisted.zarr/zarr.json');
    await page.waitForSelector('.slice canvas');
    // Browsers log the response 404 of the missing chunk.
    expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
    await page.close();
  });

  it.runIf(installed.kind === 'chrome')('of a map zoom and move with two fingers', async () => {
    const { page } = await openPage(800);
    await show(page, 'countries.geojson');
    const surface = await (await page.waitForSelector('.map .surface'))?.boundingBox();
    await page.waitForSelector('.map .position .bar');
    // After the window's height is halved, the latitude of the middle and the map's scale there stay the same.
    const [left, top] = [(surface?.x ?? 0) + 300, (surface?.y ?? 0) + (surface?.height ?? 0) / 2];
    const session = await page.createCDPSession();
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...fingers: number[]) =>
      session.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: fingers.map((distance, id) => ({ x: left + distance, y: top, id })),
      });
    /** The length on the ground of one pixel, in units of the scale. */
    const lengthOfPixel = () =>
      page.$eval('.map .position .bar', (bar) => {
        const length = Number(bar.parentElement?.textContent?.replace(/\D/g, ''));
        return length / bar.getBoundingClientRect().width;
      });
    const before = await lengthOfPixel();
    await touch('touchStart', 0);
    await touch('touchStart', 0, 60);
    for (const distance of [80, 100, 120]) await touch('touchMove', 0, distance);
    await expect.poll(async () => before / (await lengthOfPixel())).toBeCloseTo(2, 1);
    await touch('touchMove', 30, 150);
    await touch('touchEnd', 30);
    await touch('touchEnd');
    expect(before / (await lengthOfPixel())).toBeCloseTo(2, 1);
    // Two fingers select no feature, and the page does not scroll or zoom.
    expect(await page.$('.map .feature')).toBeNull();
    expect(await page.evaluate('[window.scrollY, visualViewport.scale]')).toEqual([0, 1]);
    await page.close();
  });

  it('of an image choose the range of its colors by keyboard', async () => {
    const { page, complaints } = await openPage(800);
    await show(page, 'countries.tif');
    const legend = () => page.$eval('.map .ramp', ({ textContent }) => textContent);
    const usual = await legend();
    await page.focus('.map .surface');
    // The Tab key moves the focus from the map, over its three buttons, to the display settings.
    for (let step = 0; step < 8; step += 1) {
      await page.keyboard.press('Tab');
      if (await page.evaluate('document.activeElement?.closest("label")?.innerText.includes("Colors")')) break;
    }
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expect.poll(legend).not.toBe(usual);
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('read more after a refusal, when the user asks for it', async () => {
    const { page } = await openPage(800);
    await show(page, 'long.geojson');
    expect(await textOf(page)).toContain('The preview needs too much of this file.');
    await page.click('.notice button');
    await page.waitForSelector('.map .surface');
    expect(await violations(page)).toEqual([]);
    await page.close();
  });

  it('show every point, also below a label', async () => {
    const { page } = await openPage(800);
    await show(page, 'stations.geojson');
    const spots = () => page.evaluate(`(${spotsOf})(document.querySelector("canvas"))`);
    // Wait for the size of the map's element, because the map is drawn only then.
    await expect.poll(spots, { timeout: 10_000 }).toBe(stationPlaces.length);
    await page.close();
  });

  it.each(tried)('run no script of %s', async (key, { shows }) => {
    const { page, asked } = await openPage();
    await show(page, key);
    expect(await textOf(page)).toContain(shows);
    expect(await page.title()).not.toBe('ran');
    expect(asked.filter(({ url }) => url.includes('/ran'))).toEqual([]);
    const hosts = new Set(asked.map(({ url }) => new URL(url).origin));
    expect([...hosts].filter((host) => host !== service.apiUrl && host !== service.dataUrl)).toEqual([]);
    await page.close();
  });
});

describe.runIf(installedBrowsers.length > 0)('the page of a scripted preview', () => {
  it("has a policy that allows only the site's scripts and the data host", async () => {
    const answer = await fetch(
      `${service.apiUrl}/-/preview${repository}?path=${encodeURIComponent(hostileText)}.parquet`,
    );
    expect(answer.status).toBe(404);
    const page = await fetch(`${service.apiUrl}/-/preview${repository}?path=countries.parquet`);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("worker-src 'self';");
    expect(policy).toContain(`connect-src 'self' ${service.dataUrl};`);
    expect(policy).toContain("frame-ancestors 'self'");
    expect(policy).not.toMatch(/unsafe|wasm|eval/);
    const worker = /"worker_url":"([^"]+)"/.exec(await page.text())?.[1] ?? '';
    const script = await fetch(service.apiUrl + worker);
    expect(script.headers.get('content-security-policy')).toBe("default-src 'none'; script-src 'self'");
  });
});

const stacCollection = JSON.stringify({
  type: 'Collection',
  stac_version: '1.0.0',
  title: hostileText,
  description: hostileText,
  extent: { spatial: { bbox: [[5, 50, 15, 60]] } },
  links: ['../countries.geojson', 'javascript:fetch("/ran")', '//other.example/a', '../../../../a'].map((href) => {
    return { rel: 'item', href, title: `to ${href}` };
  }),
  assets: { [hostileText]: { href: `data:text/html,${hostileText}`, type: hostileText, roles: [hostileText] } },
});

const imageTile = gzipSync(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
);
/** An archive with one tile, a PNG image of one pixel. */
const imageArchive = pmtilesOf({
  root: gzipSync(directoryOf([{ tile: 0, offset: 0, length: imageTile.byteLength }])),
  tiles: { byteLength: imageTile.byteLength, parts: [{ at: 0, bytes: imageTile }] },
  tileType: 2,
});

const catalogOf = (links: object[]) => JSON.stringify({ type: 'Catalog', stac_version: '1.0.0', id: 'a', links });
/** A catalog of catalogs, one of which links to the outer one again. */
const stacCatalog = {
  'stac/catalog.json': catalogOf([
    { rel: 'child', href: './winter/catalog.json', title: 'Winter' },
    { rel: 'child', href: './missing/catalog.json', title: 'Summer' },
    { rel: 'item', href: './winter/day.json', title: 'First day' },
  ]),
  'stac/winter/catalog.json': catalogOf([
    { rel: 'item', href: './day.json', title: 'First day' },
    { rel: 'child', href: '../catalog.json', title: 'All seasons' },
  ]),
  'stac/winter/day.json': JSON.stringify({
    type: 'Feature',
    stac_version: '1.0.0',
    properties: { datetime: '2026-01-01T00:00:00Z' },
    geometry: {
      type: 'Polygon',
      coordinates: [
        [
          [5, 60],
          [6, 60],
          [6, 61],
          [5, 60],
        ],
      ],
    },
  }),
};

/** The first station is drawn at the label of its latitude. */
const stationPlaces = Array.from({ length: 12 }, (_, at) => [13.3 + at * 0.03, 52.45 + ((at * 7) % 5) * 0.02]);
const stations = JSON.stringify({
  type: 'FeatureCollection',
  features: stationPlaces.map((coordinates) => ({
    type: 'Feature',
    properties: {},
    geometry: { type: 'Point', coordinates },
  })),
});

/** Counts the colored spots on a canvas. Background, lines, and labels are nearly gray. */
const spotsOf = `(canvas) => {
  const { width, height } = canvas;
  const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
  const isColour = (at) => Math.max(data[4 * at], data[4 * at + 1], data[4 * at + 2]) - Math.min(data[4 * at], data[4 * at + 1], data[4 * at + 2]) > 60;
  const seen = new Set();
  let spots = 0;
  for (let start = 0; start < width * height; start += 1) {
    if (seen.has(start) || !isColour(start)) continue;
    spots += 1;
    const left = [start];
    for (let at = left.pop(); at !== undefined; at = left.pop()) {
      if (seen.has(at) || !isColour(at)) continue;
      seen.add(at);
      left.push(at - 1, at + 1, at - width, at + width);
    }
  }
  return spots;
}`;

interface Asked {
  method: string;
  url: string;
  range: string | undefined;
}

async function openPage(width = 1280) {
  const page = await browser.newPage({ width });
  const asked: Asked[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    // Some browsers report data URLs as requests.
    if (request.url().startsWith('data:')) return;
    asked.push({ method: request.method(), url: request.url(), range: request.headers()['range'] });
  });
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { page, asked, complaints };
}

async function show(page: Page, key: string): Promise<void> {
  await page.goto(`${service.apiUrl}/-/preview${repository}?${new URLSearchParams({ path: key })}`);
  await page.waitForSelector('#preview:not([aria-busy])');
}

async function textOf(page: Page): Promise<string> {
  return String(await page.evaluate('document.querySelector("main").innerText'));
}
