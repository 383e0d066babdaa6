import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addMember, made, signUp } from '../functions/users.ts';
import { violations } from '../service/axe.ts';
import { installedBrowsers, type OpenBrowser, openBrowser } from '../service/browsers.ts';
import { s3Client, signIn } from '../service/data-clients.ts';
import { versionsOf } from '../service/frozen-versions.ts';
import { type SeededService, startSeededService } from '../service/seeded-service.ts';
import { signInScript } from '../service/signed-in-page.ts';
import { userToken } from '../service/user-tokens.ts';
import { geoParquetOf } from '../site/previews/geoparquet-files.ts';
import { hostileFiles, hostileText } from '../site/previews/hostile-files.ts';
import { cube, unlistedCube } from '../site/previews/zarr-stores.ts';

/** The pages of private and restricted repositories, which a browser renders with the rights of its user. */

const [organization, privateId, restrictedId] = ['tide-institute', 'raw-drafts', 'restricted-levels'];
const repository = `/${organization}/${privateId}`;
const restricted = `/${organization}/${restrictedId}`;
const fileUrl = (key: string) => `${repository}/${encodeURIComponent(key)}`;
/** A PNG of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20" onload="fetch('/ran')"><script>fetch('/ran')</script><rect width="40" height="20"/></svg>`;
const readme = [
  '# Raw drafts',
  'Read the [notes](data/notes.txt), the [folder](data/) or [the end](#end).',
  '![A pixel](pixel.png) ![A drawing](drawing.svg) ![A page](page.html)',
  hostileText,
  '[run](javascript:fetch("/ran")) [data](data:text/html,hi)',
  '## End',
].join('\n\n');
const files: Record<string, string | Uint8Array> = {
  'README.md': readme,
  'pixel.png': pixel,
  'drawing.svg': drawing,
  'page.html': `<script>fetch('/ran')</script>`,
  'page.png': `<script>fetch('/ran')</script>`,
  'a.pdf': '%PDF-1.4',
  'data/notes.txt': 'The first notes.',
  'data/levels.csv': 'station,level\nBergen,17\n',
  ...Object.fromEntries(Object.entries(cube()).map(([name, bytes]) => [`data/air.zarr/${name}`, bytes])),
  'data/stations.geojson':
    '{"type":"Feature","properties":{"name":"Bergen"},"geometry":{"type":"Point","coordinates":[5,60]}}',
  'stac/item.json': JSON.stringify({
    type: 'Feature',
    stac_version: '1.0.0',
    id: 'first-day',
    geometry: { type: 'Point', coordinates: [5, 60] },
    properties: { datetime: '2024-02-29T00:00:00Z' },
    links: [{ rel: 'parent', href: 'javascript:fetch("/ran")', title: 'The parent' }],
    assets: { gauges: { href: './gauges.parquet', title: 'Gauges' } },
  }),
  'stac/gauges.parquet': geoParquetOf([{ type: 'Point', coordinates: [5, 60] }]),
  [`bad/${hostileText}.txt`]: hostileText,
  ...Object.fromEntries(Object.entries(hostileFiles).map(([key, { bytes }]) => [key, bytes])),
};

let service: SeededService;
let browser: OpenBrowser;

beforeAll(async () => {
  if (installedBrowsers.length === 0) return;
  service = await startSeededService({ withDataSet: true });
  const ada = await service.user('ada');
  const meta = { title: 'Restricted levels', description: 'Levels for invited readers', tags: 'tides' };
  const created = { repository_id: restrictedId, data_mode: 'subscription', meta, data_connection_id: 'local-store' };
  await made(ada('POST', `/repositories/${organization}`, created));
  await made(
    ada('PUT', `/service-accounts/${organization}--nightly-sync/grants/${restrictedId}`, { access: 'read_write' }),
  );
  const s3 = s3Client(service, await signIn(service, service.key));
  const put = (Key: string, Body: string | Uint8Array) =>
    s3.send(new PutObjectCommand({ Bucket: organization, Key, Body }));
  for (const [key, body] of Object.entries(files)) await put(`${privateId}/${key}`, body);
  await put(`${restrictedId}/levels.csv`, 'level\n17\n');
  await addMember(ada, `${organization}/${restrictedId}`, await signUp(service, 'reader'), 'reader', 'read_data');
  await signUp(service, 'stranger');
  const { createVersion, storageClient } = versionsOf(service);
  await createVersion(privateId, 'v1');
  storageClient.destroy();
  await put(`${privateId}/data/notes.txt`, 'The newest notes.');
  await put(`${privateId}/data/new.txt`, 'A new file.');
});
afterAll(() => service?.close());

describe.each(installedBrowsers)('a private repository in $name', (installed) => {
  beforeAll(async () => {
    browser = await openBrowser(installed, { colours: installed.kind === 'chrome' ? 'dark' : 'light' });
  });
  afterAll(() => browser?.close());

  it('is shown to a member like an open one, with a mark', async () => {
    const { page, complaints, asked } = await openPage(repository, 'ada');
    const text = await textOf(page);
    for (const shown of ['Private: only members can read it', 'Manage', 'Read the notes', 'pixel.png', 'CC0-1.0']) {
      expect(text).toContain(shown);
    }
    expect(await page.title()).toBe('Raw drafts · Sluice');
    expect(await focused(page)).toBe('Raw drafts');
    expect(complaints.filter((each) => !each.includes('404'))).toEqual([]);
    expect(hosts(asked)).toEqual(new Set([service.apiUrl, service.dataUrl]));
    await page.close();
  });

  it.each([
    repository,
    fileUrl('data/'),
    fileUrl('data/levels.csv'),
    fileUrl('data/stations.geojson'),
    fileUrl('no.txt'),
  ])('has an accessible page at %s, wide and narrow', async (path) => {
    const { page } = await openPage(path, 'ada');
    for (const width of [1280, 360]) {
      await page.setViewport({ width, height: 800 });
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThanOrEqual(0);
    }
    await page.close();
  });

  it('is not shown to a user who may not read it, and not without sign-in', async () => {
    for (const user of ['stranger', undefined]) {
      const { page, asked } = await openPage(repository, user);
      expect(await textOf(page)).toContain('Page not found');
      expect(hosts(asked)).toEqual(new Set([service.apiUrl]));
      await page.close();
    }
  });

  it('is shown to an invited reader of restricted data, who cannot manage it', async () => {
    const { page } = await openPage(restricted, 'reader');
    const text = await textOf(page);
    expect(text).toContain('Restricted: only invited readers can read it');
    expect(text).toContain('levels.csv');
    expect(text).not.toContain('Manage');
    await page.close();
  });

  it('follows links, Back, and Forward without loading a document, and moves the focus', async () => {
    const { page, asked } = await openPage(repository, 'ada');
    const documents = () => asked.filter(({ isDocument }) => isDocument).length;
    await click(page, 'folder', 'data');
    expect(await page.evaluate('location.pathname')).toBe(`${repository}/data/`);
    await click(page, 'notes.txt', 'notes.txt');
    expect(await textOf(page)).toContain('The newest notes.');
    expect(await focused(page)).toBe('notes.txt');
    expect(await page.title()).toBe('notes.txt · Raw drafts · Sluice');
    await page.evaluate('history.back()');
    await heading(page, 'data');
    await page.evaluate('history.back()');
    await heading(page, 'Raw drafts');
    await page.evaluate('history.forward()');
    await heading(page, 'data');
    expect(documents()).toBe(1);
    await page.close();
  });

  it.each([
    ['data', 'new.txt'],
    ['data/notes.txt', 'The newest notes.'],
    ['data/levels.csv', 'Bergen'],
    ['README.md', 'Read the notes'],
    ['page.html', "<script>fetch('/ran')</script>"],
    ['drawing.svg', '<rect width="40"'],
  ])('shows the content of %s', async (key, shown) => {
    const { page, asked } = await openPage(fileUrl(key), 'ada');
    expect(await textOf(page)).toContain(shown);
    expect(asked.filter(({ url }) => url.includes('/ran'))).toEqual([]);
    await page.close();
  });

  it('shows an image from bytes that it read with credentials, and no file of another kind', async () => {
    const { page } = await openPage(fileUrl('pixel.png'), 'ada');
    await page.waitForFunction('document.querySelector("main img.preview-image")?.naturalWidth === 1');
    const type = 'fetch(document.querySelector("main img").src).then((r) => r.headers.get("content-type"))';
    expect(await page.evaluate(type).catch(() => 'image/png')).toBe('image/png');
    await page.close();
    const hostile = await openPage(fileUrl('page.png'), 'ada');
    await hostile.page.waitForSelector('main img.preview-image');
    expect(hostile.asked.filter(({ url }) => url.includes('/ran'))).toEqual([]);
    await hostile.page.close();
  });

  it('shows images of a README, and runs no script of a drawing', async () => {
    const { page, asked } = await openPage(repository, 'ada');
    await page.evaluate('document.querySelector("main .prose").scrollIntoView()');
    await page.waitForFunction('document.querySelector(\'main img[alt="A pixel"]\')?.naturalWidth === 1');
    await page.waitForFunction('document.querySelector(\'main img[alt="A drawing"]\')?.naturalWidth === 40');
    const sources = await page.evaluate(
      '[...document.querySelectorAll("main img")].map(({ src }) => src.slice(0, 14))',
    );
    expect(sources).toEqual([`blob:${service.apiUrl}`.slice(0, 14), 'data:image/svg', '']);
    expect(asked.filter(({ url }) => url.includes('/ran'))).toEqual([]);
    await page.close();
  });

  it('shows a PDF from the data host, which must answer with that type', async () => {
    const { page, asked } = await openPage(fileUrl('a.pdf'), 'ada');
    await page.evaluate('document.querySelector("details.preview").open = true');
    await page.waitForSelector('details.preview iframe');
    const source = new URL(String(await page.evaluate('document.querySelector("details.preview iframe").src')));
    expect(source.origin).toBe(service.dataUrl);
    const answer = await fetch(source);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect(asked.every(({ url }) => !url.startsWith('blob:'))).toBe(true);
    await page.close();
  });

  it('downloads a file by a URL that is signed for it', async () => {
    const { page } = await openPage(fileUrl('data/notes.txt'), 'ada');
    await page.evaluate('window.open = (url) => { window.opened = url; }');
    await page.click('button.button');
    await page.waitForFunction('window.opened !== undefined');
    const answer = await fetch(String(await page.evaluate('window.opened')));
    expect([await answer.text(), answer.headers.get('content-disposition')]).toEqual([
      'The newest notes.',
      'attachment',
    ]);
    await page.close();
  });

  it('shows a scripted preview in a worker', async () => {
    const { page } = await openPage(fileUrl('data/stations.geojson'), 'ada');
    await page.evaluate('document.querySelector("details.preview").open = true');
    await page.waitForSelector('.scripted:not([aria-busy]) canvas');
    expect(await textOf(page)).toContain('Bergen');
    await page.close();
  });

  it('shows a STAC item of a version, and the asset to which it links, on a map', async () => {
    const { page } = await openPage(`${repository}/stac/item.json?version=v1`, 'ada');
    await page.waitForFunction('document.querySelector("h3")?.innerText === "first-day"');
    await page.waitForSelector('.scripted .map .surface');
    expect(await violations(page)).toEqual([]);
    await page.click('main a::-p-text(Gauges)');
    await page.waitForFunction(
      'document.querySelector(".scripted .map")?.innerText.includes("All 1 row of the file.")',
    );
    await page.waitForSelector('.scripted .table-view tbody tr');
    expect(new URL(page.url()).search).toBe('?version=v1');
    await page.close();
  });

  it('shows an array of several files in a worker, also of a version', async () => {
    const { page } = await openPage(`${repository}/data/air.zarr/`, 'ada');
    for (const path of ['data/air.zarr/', 'data/air.zarr/?version=v1', 'data/air.zarr/zarr.json?version=v1']) {
      await page.goto(`${service.apiUrl}${repository}/${path}`);
      await ready(page);
      await page.waitForSelector('.scripted:not([aria-busy]) .slice canvas');
      await page.focus('.slice .surface');
      await page.keyboard.press('ArrowDown');
      expect(await textOf(page)).toMatch(/lat \d \(1\d\), lon 2: \d\d? K/);
    }
    expect(await violations(page)).toEqual([]);
    await page.close();
  });

  it('shows a version, and its files', async () => {
    const { page } = await openPage(`${repository}/data/notes.txt?version=v1`, 'ada');
    expect(await textOf(page)).toContain('The first notes.');
    await page.goto(`${service.apiUrl}${repository}/data/?version=v1`);
    await ready(page);
    expect(await textOf(page)).not.toContain('new.txt');
    await page.goto(`${service.apiUrl}${repository}?version=v9`);
    await heading(page, 'Version not found');
    await page.close();
  });

  it('says that a file does not exist', async () => {
    const { page } = await openPage(fileUrl('absent.txt'), 'ada');
    expect(await textOf(page)).toContain('File not found');
    await page.close();
  });

  const tried = Object.entries(hostileFiles).filter(
    ([key]) => installed.kind === 'chrome' || /names|img|metadata|wide/.test(key),
  );
  it.each(tried)('runs no script of %s', async (key, { shows }) => {
    const { page, asked } = await openPage(fileUrl(key), 'ada');
    await page.evaluate('document.querySelector("details.preview").open = true');
    await page.waitForSelector('.scripted:not([aria-busy]) > *');
    await page.waitForFunction(`document.querySelector("main").innerText.includes(${JSON.stringify(shows)})`);
    expect(await page.title()).not.toBe('ran');
    expect(asked.filter(({ url }) => url.includes('/ran'))).toEqual([]);
    expect(hosts(asked)).toEqual(new Set([service.apiUrl, service.dataUrl]));
    await page.close();
  });

  it('shows hostile names as text', async () => {
    const { page, asked } = await openPage(`${repository}/bad/`, 'ada');
    expect(await textOf(page)).toContain(`${hostileText}.txt`);
    await click(page, `${hostileText}.txt`, `${hostileText}.txt`);
    expect(await page.evaluate('document.querySelectorAll("main [onerror], main script").length')).toBe(0);
    expect(asked.filter(({ url }) => url.includes('/ran'))).toEqual([]);
    await page.close();
  });
});

/** The folder that the links of these tests show. A folder in it has more files than one page of a list. */
const shared = 'shared/';
const manyNames = Array.from({ length: 1001 }, (_, at) => `many/file-${String(at).padStart(4, '0')}.txt`);
const sharedReadme = [
  '# Notes',
  'The [levels](data/levels.csv), the [folder](data/), and the [drafts above](../README.md).',
  '![A pixel](pixel.png) ![Of another folder](../pixel.png)',
].join('\n\n');
const sharedFiles: Record<string, string | Uint8Array> = {
  ...Object.fromEntries(Object.entries(cube()).map(([name, bytes]) => [`air.zarr/${name}`, bytes])),
  ...Object.fromEntries(Object.entries(unlistedCube()).map(([name, bytes]) => [`unlisted.zarr/${name}`, bytes])),
  'stac/catalog.json': JSON.stringify({
    type: 'Catalog',
    stac_version: '1.0.0',
    id: 'days',
    links: [{ rel: 'item', href: './item.json', title: 'First day' }],
  }),
  'stac/item.json': files['stac/item.json'] ?? '',
  'README.md': sharedReadme,
  'pixel.png': pixel,
  'data/levels.csv': 'station,level\nBergen,17\n',
  'data/stations.geojson': files['data/stations.geojson'] ?? '',
};

interface SharedLink {
  link_id: string;
  secret: string;
}

/** Creates a link as an owner, and returns the path of its page with the secret. */
async function share(prefix: string): Promise<SharedLink & { url: string }> {
  const ada = await service.user('ada');
  const body = { prefix, expires_in_days: 1, note: '' };
  const link: SharedLink = (await made(ada('POST', `/repositories${repository}/links`, body))).body;
  return { ...link, url: `/-/links/${link.link_id}#${link.secret}` };
}
const asReader = { awaits: 'h1[tabindex]' };

describe.each(installedBrowsers)('the page behind a link, opened without an account in $name,', (installed) => {
  beforeAll(async () => {
    browser = await openBrowser(installed, { colours: installed.kind === 'chrome' ? 'light' : 'dark' });
    const s3 = s3Client(service, await signIn(service, service.key));
    const put = (Key: string, Body: string | Uint8Array) =>
      s3.send(new PutObjectCommand({ Bucket: organization, Key: `${privateId}/${shared}${Key}`, Body }));
    for (const [key, body] of Object.entries(sharedFiles)) await put(key, body);
    if (installed.kind === 'chrome') await Promise.all(manyNames.map((name) => put(name, 'a')));
  });
  afterAll(() => browser?.close());

  it('shows the folder with its README, who shares it, and until when', async () => {
    const { url } = await share(shared);
    const { page, asked, complaints } = await openPage(url, undefined, asReader);
    const text = await textOf(page);
    expect(text).toMatch(/Shared with you by Ada \(ada\) until \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
    for (const shown of ['From Raw drafts', 'The levels, the folder', 'data', 'pixel.png'])
      expect(text).toContain(shown);
    expect(await page.title()).toBe('shared · Sluice');
    await page.waitForFunction('document.querySelector(\'main img[alt="A pixel"]\')?.naturalWidth === 1');
    expect(complaints).toEqual([]);
    expect(hosts(asked)).toEqual(new Set([service.apiUrl, service.dataUrl]));
    await page.close();
  });

  it('shows no link that leads out of the folder', async () => {
    const { url, link_id } = await share(shared);
    const { page } = await openPage(url, undefined, asReader);
    expect(await textOf(page)).toContain('the drafts above');
    for (const title of ['shared', 'data', 'levels.csv']) {
      await heading(page, title);
      const links = 'document.querySelectorAll("main a[href]:not([href^=\'#\'])")';
      const targets = (await page.evaluate(`[...${links}].map((a) => a.pathname + a.search)`)) as string[];
      for (const target of targets) {
        expect(target.split('?')[0]).toBe(`/-/links/${link_id}`);
        expect(new URLSearchParams(target.split('?')[1]).get('path') ?? shared).toMatch(/^shared\//);
      }
      if (title === 'shared') await click(page, 'data/', 'data');
      if (title === 'data') await click(page, 'levels.csv', 'levels.csv');
    }
    await page.close();
  });

  it('has the folder in the URL, so that Back, Forward, and a reload work', async () => {
    const { url } = await share(shared);
    const { page, asked } = await openPage(url, undefined, asReader);
    await click(page, 'data/', 'data');
    await click(page, 'levels.csv', 'levels.csv');
    expect(await textOf(page)).toContain('Bergen');
    expect(await focused(page)).toBe('levels.csv');
    await page.evaluate('history.back()');
    await heading(page, 'data');
    await page.reload();
    await heading(page, 'data');
    await page.evaluate('history.back()');
    await heading(page, 'shared');
    await page.evaluate('history.go(2)');
    await heading(page, 'levels.csv');
    expect(asked.filter(({ isDocument }) => isDocument)).toHaveLength(2);
    await page.close();
  });

  it('has the secret only in the storage of the tab', async () => {
    const { url, secret, link_id } = await share(shared);
    const { page, asked } = await openPage(url, undefined, asReader);
    await click(page, 'data/', 'data');
    const places = '[location.href, JSON.stringify(history.state), document.documentElement.outerHTML, document.title]';
    expect(((await page.evaluate(places)) as string[]).join()).not.toContain(secret);
    // The browser driver adds the fragment of the document's URL. No browser sends the fragment.
    expect(asked.filter((request) => request.url.split('#')[0]?.includes(secret))).toEqual([]);
    expect(await page.evaluate('[JSON.stringify(sessionStorage), localStorage.length]')).toEqual([
      JSON.stringify({ [`link ${link_id}`]: secret }),
      0,
    ]);
    // The fragment of a README's heading is no secret, even if it has the same length.
    await page.goto(`${service.apiUrl}/-/links/${link_id}#section-${'a'.repeat(35)}`);
    await page.reload();
    await heading(page, 'shared');
    await page.close();
  });

  it('does not show another folder of the repository, and says so', async () => {
    const { url, link_id } = await share(shared);
    const { page, asked } = await openPage(url, undefined, asReader);
    for (const path of ['', 'data/', 'README.md', 'shared']) {
      await page.goto(`${service.apiUrl}/-/links/${link_id}?path=${path}`);
      await heading(page, 'The link does not show this');
    }
    await page.goto(`${service.apiUrl}/-/links/${link_id}?path=shared/no.txt`);
    await heading(page, 'File not found');
    expect(asked.filter((request) => request.url.includes('README.md'))).not.toContainEqual(
      expect.objectContaining({ url: `${service.dataUrl}${repository}/README.md` }),
    );
    await click(page, 'Go to the shared files', 'shared');
    await page.close();
  });

  it('shows a single file, and nothing beside it', async () => {
    const { url, link_id } = await share(`${shared}data/levels.csv`);
    const { page, asked } = await openPage(url, undefined, asReader);
    const text = await textOf(page);
    expect(text).toContain('Bergen');
    expect(text).not.toContain('Use this data');
    expect(await page.evaluate('document.querySelectorAll("main a").length')).toBe(0);
    await page.goto(`${service.apiUrl}/-/links/${link_id}?path=shared/data/`);
    await heading(page, 'The link does not show this');
    expect(asked.filter((request) => request.url.includes('list-type'))).toEqual([]);
    await page.close();
  });

  it('says that a shared file was deleted, or does not exist', async () => {
    const { page } = await openPage((await share(`${shared}absent.csv`)).url, undefined, asReader);
    expect(await textOf(page)).toContain('File not found');
    await page.close();
    const folder = await openPage((await share('absent/')).url, undefined, asReader);
    expect(await textOf(folder.page)).toContain('This folder is empty.');
    await folder.page.close();
  });

  it('shows an array and a STAC catalog with its linked files', async () => {
    const { url, link_id } = await share(shared);
    const { page } = await openPage(url, undefined, asReader);
    const open = (path: string) => page.goto(`${service.apiUrl}/-/links/${link_id}?path=${shared}${path}`);
    await open('air.zarr/zarr.json');
    await page.waitForSelector('.scripted:not([aria-busy]) .slice canvas');
    expect(await violations(page)).toEqual([]);
    await open('unlisted.zarr/zarr.json');
    await page.waitForSelector('.scripted:not([aria-busy]) .slice canvas');
    await open('stac/catalog.json');
    await page.waitForSelector('.scripted:not([aria-busy]) .map .surface');
    expect(await violations(page)).toEqual([]);
    await page.click('.linked a');
    await page.waitForFunction('document.querySelector("h3")?.innerText === "first-day"');
    expect(new URL(page.url()).pathname).toBe(`/-/links/${link_id}`);
    await page.close();
  });

  it('shows a STAC catalog without its linked files when the link shows only the catalog', async () => {
    const { page, asked } = await openPage((await share(`${shared}stac/catalog.json`)).url, undefined, asReader);
    await page.waitForSelector('.scripted:not([aria-busy]) .linked');
    expect(await textOf(page)).toContain('0 of 1 linked file read, 0 footprints found.');
    expect(asked.filter((request) => request.url.includes('item.json'))).toEqual([]);
    await page.close();
  });

  it('shows previews by a script, and downloads files by a signed URL', async () => {
    const { page } = await openPage((await share(`${shared}data/stations.geojson`)).url, undefined, asReader);
    await page.evaluate('document.querySelector("details.preview").open = true');
    await page.waitForSelector('.scripted:not([aria-busy]) canvas');
    expect(await textOf(page)).toContain('Bergen');
    await page.evaluate('window.open = (url) => { window.opened = url; }');
    await page.click('button.button');
    await page.waitForFunction('window.opened !== undefined');
    const answer = await fetch(String(await page.evaluate('window.opened')));
    expect([answer.status, answer.headers.get('content-disposition')]).toEqual([200, 'attachment']);
    await page.close();
  });

  it.runIf(installed.kind === 'chrome')('lists a folder of more than a thousand files by pages', async () => {
    const { url } = await share(shared);
    const { page } = await openPage(url, undefined, asReader);
    await click(page, 'many/', 'many');
    const last = manyNames.at(-1)?.slice('many/'.length) ?? '';
    let pages = 1;
    for (; pages < 20 && !(await textOf(page)).includes(last); pages += 1) {
      const before = await page.evaluate('location.search');
      await page.evaluate('document.querySelector("main a[rel=next]").click()');
      await page.waitForFunction(`location.search !== ${JSON.stringify(before)}`);
      await page.waitForSelector('main:not([aria-busy]) h1');
    }
    expect(pages).toBeGreaterThan(1);
    await page.reload();
    await heading(page, 'many');
    expect(await textOf(page)).toContain(last);
    await page.close();
  });

  it('is accessible, wide and narrow', async () => {
    for (const prefix of [shared, `${shared}data/stations.geojson`]) {
      const { page } = await openPage((await share(prefix)).url, undefined, asReader);
      for (const width of [1280, 360]) {
        await page.setViewport({ width, height: 800 });
        expect(await violations(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThanOrEqual(0);
      }
      await page.close();
    }
  });

  it.each([
    ['without a secret', '', 'Open the complete link'],
    ['with another secret', `#${'a'.repeat(43)}`, 'This link does not work'],
  ])('%s says what to do', async (_, fragment, title) => {
    const { link_id } = await share(shared);
    const { page } = await openPage(`/-/links/${link_id}${fragment}`, undefined, asReader);
    expect(await page.evaluate('document.querySelector("h1").textContent')).toBe(title);
    expect(await violations(page)).toEqual([]);
    await page.close();
  });
});

describe.runIf(installedBrowsers.length > 0)('an open private page', () => {
  beforeAll(async () => {
    const [first] = installedBrowsers;
    if (first !== undefined) browser = await openBrowser(first);
  });
  afterAll(() => browser?.close());

  it('removes its content when the membership is removed', async () => {
    const ada = await service.user('ada');
    const guest = await signUp(service, 'guest');
    const scope = `${organization}/${restrictedId}`;
    const membership = await addMember(ada, scope, guest, 'guest', 'read_data');
    const { page } = await openPage(restricted, 'guest');
    expect(await textOf(page)).toContain('levels.csv');
    await made(ada('POST', `/memberships/${membership}/revoke`));
    await expect
      .poll(
        async () => {
          await page.evaluate(
            `document.querySelector('main :is(a[href*="levels.csv"], .crumbs a[href$="${restricted}"])')?.click()`,
          );
          return textOf(page);
        },
        { timeout: 30_000, interval: 500 },
      )
      .toContain('You can no longer read this repository');
    expect(await textOf(page)).not.toContain('levels.csv');
    await page.close();
  });

  it('is the page for missing data with a sign-in link when the access ends before it opens', async () => {
    const { page } = await openPage(repository, 'ada', { expiresInMs: -1, awaits: 'h1' });
    expect(await textOf(page)).toContain('Page not found');
    expect(await page.evaluate('document.querySelector("main [data-sign-in]") !== null')).toBe(true);
    await page.close();
  });

  it('removes its content when its link is revoked, and says whom to ask', async () => {
    const { url, link_id } = await share(shared);
    const { page } = await openPage(url, undefined, asReader);
    const ada = await service.user('ada');
    await made(ada('DELETE', `/repositories${repository}/links/${link_id}`));
    await expect
      .poll(
        async () => {
          // The data proxy reads the change feed again, and finds the change.
          service.advance(11);
          await page.evaluate(`document.querySelector('main :is(.folder, .crumbs) a')?.click()`);
          return textOf(page);
        },
        { timeout: 30_000, interval: 500 },
      )
      .toContain('This link has ended');
    expect(await textOf(page)).toContain('Ask Ada (ada) for a new link.');
    expect(await textOf(page)).not.toContain('levels');
    await page.reload();
    await heading(page, 'This link does not work');
    await page.close();
  });

  it('offers another attempt when the connection is lost', async () => {
    const { page } = await openPage(repository, 'ada');
    await page.setOfflineMode(true);
    await click(page, 'folder', 'Page not available');
    expect(await textOf(page)).toContain('The service does not answer. Check your connection.');
    await page.setOfflineMode(false);
    await page.click('main button.button');
    await heading(page, 'data');
    await page.close();
  });

  it('removes its content when the user signs out in another tab', async () => {
    const { page } = await openPage(repository, 'ada');
    expect(await textOf(page)).toContain('pixel.png');
    await page.evaluate(`{
      // Changes local storage as another tab does. Browsers send the storage event only to the other tabs.
      localStorage.setItem('sluice.tokens', '{"ended":"signed_out"}');
      dispatchEvent(new StorageEvent('storage', { key: 'sluice.tokens' }));
    }`);
    await heading(page, 'You are signed out');
    expect(await textOf(page)).not.toContain('pixel.png');
    await page.close();
  });
});

describe.runIf(installedBrowsers.length > 0)('a page with private data', () => {
  it.each([
    ['of a member', repository],
    ['behind a link', '/-/links/3f7b9d20-6e1a-4c8d-b5f4-7a9c1e3d5b60'],
  ])('%s has a policy that is no wider than it needs', async (_, path) => {
    const answer = await fetch(service.apiUrl + path);
    const { dataUrl } = service;
    const policy = (answer.headers.get('content-security-policy') ?? '').replace(/'sha256-[^']+'/, "'sha256-'");
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      "style-src 'sha256-'",
      `img-src 'self' data: blob: ${dataUrl}`,
      `media-src ${dataUrl}`,
      `frame-src 'self' ${dataUrl}`,
      "script-src 'self'",
      "worker-src 'self'",
      `connect-src 'self' ${dataUrl}`,
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ]);
  });
});

// This suite is the last one, because it moves the clock of the service.
describe.runIf(installedBrowsers.length > 0)('the credentials of a link', () => {
  beforeAll(async () => {
    const [first] = installedBrowsers;
    if (first !== undefined) browser = await openBrowser(first);
  });
  afterAll(() => browser?.close());

  it('are renewed after 15 minutes, until the link expires', async () => {
    const { url } = await share(shared);
    const { page, asked } = await openPage(url, undefined, asReader);
    const exchanges = () => asked.filter((request) => request.url.includes('/api/v1/links/')).length;
    const move = async (seconds: number) => {
      service.advance(seconds);
      await page.evaluate(`globalThis.clockAheadMs += ${seconds * 1000}`);
    };
    await move(16 * 60);
    await click(page, 'data/', 'data');
    expect(exchanges()).toBe(2);
    await move(24 * 3600);
    await click(page, 'levels.csv', 'This link has expired');
    expect(await textOf(page)).toMatch(/It was valid until .* UTC\. The page removed the private data\./);
    await page.close();
  });
});

interface Asked {
  url: string;
  isDocument: boolean;
}

interface Opening {
  width?: number;
  expiresInMs?: number;
  /** The selector of the element that the opened page shows. */
  awaits?: string;
}

async function openPage(
  path: string,
  user: string | undefined,
  {
    width = 1280,
    expiresInMs = 3_000_000,
    awaits = user === undefined ? 'h1' : 'h1[tabindex], [data-hint][role=status]',
  }: Opening = {},
) {
  const page = await browser.newPage({ width, isFresh: true });
  const asked: Asked[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith('http')) return;
    asked.push({
      url: request.url(),
      isDocument: request.isNavigationRequest() && request.frame() === page.mainFrame(),
    });
  });
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  if (user !== undefined) {
    const access_token = await userToken(service, user);
    await page.evaluateOnNewDocument(signInScript({ id: user, access_token }, expiresInMs));
  }
  // The page's scripts store the clock's function when they start.
  const clock = 'clockAheadMs = 0; { const now = Date.now; Date.now = () => now() + clockAheadMs; }';
  await page.evaluateOnNewDocument(clock);
  await page.goto(service.apiUrl + path);
  await ready(page, awaits);
  return { page, asked, complaints };
}

/** Waits until the script has shown the page, or has said why it cannot. */
async function ready(page: Page, selector = 'h1[tabindex]'): Promise<void> {
  await page.waitForSelector(`main:not([aria-busy]) :is(${selector})`);
}

async function heading(page: Page, text: string): Promise<void> {
  await page.waitForFunction(
    `document.querySelector("main:not([aria-busy]) h1")?.textContent === ${JSON.stringify(text)}`,
  );
}

/** Clicks the first link with this text, and waits for the page with this heading. */
async function click(page: Page, link: string, title: string): Promise<void> {
  const find = `[...document.querySelectorAll("main a")].find((a) => a.textContent === ${JSON.stringify(link)})`;
  await page.evaluate(`${find}.click()`);
  await heading(page, title);
}

function focused(page: Page): Promise<unknown> {
  return page.evaluate('document.activeElement.textContent');
}

async function textOf(page: Page): Promise<string> {
  return String(await page.evaluate('document.querySelector("main").innerText'));
}

function hosts(asked: readonly Asked[]): Set<string> {
  return new Set(asked.map(({ url }) => new URL(url).origin));
}
