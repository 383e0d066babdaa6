import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { build } from 'esbuild';
import { parquetWriteBuffer } from 'hyparquet-writer';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, launchChromium } from '../service/chromium.ts';
import { s3Client } from '../service/data-clients.ts';
import { serve } from '../service/http-server.ts';
import { userToken } from '../service/user-tokens.ts';
import { type ClientFixture, startClientFixture } from './fixtures/client-fixture.ts';
import { atUrls, documentedExample, documentedOutput } from './fixtures/documented-example.ts';
import { findClient } from './fixtures/installed-client.ts';
import { bucket } from './fixtures/transfers.ts';

const ogr2ogr = findClient('ogr2ogr', ['ogr2ogr']);

const libraries: [heading: string, name: string, key: string][] = [
  ['GeoTIFF', 'geotiff.js', 'world-borders/countries.tif'],
  ['PMTiles', 'pmtiles', 'world-borders/countries.pmtiles'],
  ['Parquet', 'hyparquet', 'world-borders/countries.parquet'],
];

describe.skipIf(chromiumPath === undefined)(
  `a page of another origin, in ${chromiumPath ?? 'a browser that is not installed'}`,
  { timeout: 120_000 },
  () => {
    let fixture: ClientFixture;
    let browser: BrowserContext;
    let page: Page;
    let script = '';
    const site = serve((request, response) => {
      const [type, body] =
        request.url === '/page.js'
          ? ['text/javascript', script]
          : ['text/html', '<!doctype html><script type="module" src="/page.js"></script>'];
      response.writeHead(200, { 'content-type': type }).end(body);
    });
    let siteUrl: string;
    beforeAll(async () => {
      siteUrl = `${(await site).url.replace('127.0.0.1', 'localhost')}/`;
      fixture = await startClientFixture('http', { withDataSet: true, corsOrigins: [new URL(siteUrl).origin] });
      browser = await (await launchChromium()).newContext();
      page = await browser.newPage();
    });
    afterAll(async () => {
      await browser?.close();
      await (await site).close();
      await fixture?.close();
    });

    /** Runs a module in the page to its end. Resolves with its output, or rejects with its error. */
    async function runInPage(code: string): Promise<string> {
      const imports = [...code.matchAll(/^import .*$/gm)].join('\n');
      const rest = code.replaceAll(/^import .*$/gm, '');
      const contents = `${imports}\ntry {${rest}\nconsole.info('end') } catch (error) { console.info(String(error)) }`;
      const bundle = await build({
        stdin: { contents, resolveDir: process.cwd() },
        bundle: true,
        format: 'esm',
        platform: 'browser',
        write: false,
        logLevel: 'silent',
      });
      script = bundle.outputFiles[0]?.text ?? '';
      let printed = '';
      const ended = new Promise<string>((resolve, reject) => {
        page.on('console', (message) => {
          if (message.type() === 'log') printed += `${message.text()}\n`;
          else if (message.text() === 'end') resolve(printed);
          else if (message.type() === 'info') reject(new Error(message.text()));
        });
      });
      // The module may end or fail before the page reports that it has loaded.
      await Promise.all([page.goto(siteUrl), ended.catch(() => undefined)]);
      return ended.finally(() => page.removeAllListeners('console'));
    }

    /** Returns the output of a module that runs in the page, and the responses to its GET requests for an object. */
    async function runReading(key: string, code: string) {
      const answers: { status: number; bytes: number }[] = [];
      page.on('response', (answer) => {
        if (!answer.url().endsWith(key) || answer.request().method() !== 'GET') return;
        answers.push({ status: answer.status(), bytes: Number(answer.headers()['content-length']) });
      });
      const printed = await runInPage(code);
      page.removeAllListeners('response');
      return { printed, statuses: new Set(answers.map(({ status }) => status)), answers };
    }

    /** Writes an object of open data. */
    const put = (name: string, Body: string | Uint8Array) =>
      s3Client(fixture, fixture.credentials).send(
        new PutObjectCommand({ Bucket: bucket, Key: `tide-gauges/${name}`, Body }),
      );

    test.each(libraries)('%s: %s reads ranges of %s by its example', async (heading, _, key) => {
      const code = documentedExample('browsers.md', heading, 'js', fixture.dataUrl);
      const { printed, statuses } = await runReading(key, code);
      expect(printed).toBe(documentedOutput(code));
      expect(statuses).toEqual(new Set([206]));
    });

    test('reads rows in the middle of a large file with hyparquet, without the rest of the file', async () => {
      const body = parquetOfHeights();
      await put('heights.parquet', body);
      const code = documentedExample('browsers.md', 'Parquet', 'js', fixture.dataUrl)
        .replace('world-borders/countries', 'tide-gauges/heights')
        .replace(
          "columns: ['name'], rowStart: 0, rowEnd: 2",
          "columns: ['height'], rowStart: 250_000, rowEnd: 250_002",
        );
      const { printed, statuses, answers } = await runReading('heights.parquet', code);
      expect(printed).toBe('[{"height":250000},{"height":250001}]\n');
      expect(statuses).toEqual(new Set([206]));
      expect(answers.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(body.length);
    });

    test('reads chunks of an array with zarrita, which fills missing chunks', async () => {
      await put('heights.zarr/zarr.json', JSON.stringify(zarrArray));
      await put('heights.zarr/c/0', new Uint8Array(Int32Array.of(5, 7).buffer));
      const code = `import { FetchStore, get, open, slice } from 'zarrita';
        const array = await open(new FetchStore('${fixture.dataUrl}/${bucket}/tide-gauges/heights.zarr'), { kind: 'array' });
        console.log((await get(array, [slice(1, 3)])).data.join());`;
      expect(await runInPage(code)).toBe('7,0\n');
    });

    test.skipIf(ogr2ogr.isMissing)(`flatgeobuf reads a part of a file from ${ogr2ogr.title}`, async () => {
      const file = path.join(fixture.folder, 'points.fgb');
      await ogr2ogr.run(['-f', 'FlatGeobuf', file, '/vsistdin/'], {}, JSON.stringify(points()));
      const body = await readFile(file);
      await put('points.fgb', body);
      const code = `import { deserialize } from 'flatgeobuf/lib/mjs/geojson.js';
        const rect = { minX: 4.5, minY: 4.5, maxX: 5.5, maxY: 5.5 };
        const url = '${fixture.dataUrl}/${bucket}/tide-gauges/points.fgb';
        for await (const { properties } of deserialize(url, { rect })) console.log(properties.name);`;
      const { printed, statuses, answers } = await runReading('points.fgb', code);
      expect(printed).toBe('5/5\n');
      expect(statuses).toEqual(new Set([206]));
      expect(answers.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(body.length / 2);
    });

    test.each(libraries)('%s: %s fails when the object is not open data', async (heading, _, key) => {
      const code = documentedExample('browsers.md', heading, 'js', fixture.dataUrl).replace(
        key,
        key.replace('world-borders', 'raw-drafts'),
      );
      await expect(runInPage(code)).rejects.toThrow(/403|Request failed|fetch/);
    });

    test('uploads and reads as a signed-in user with the example of aws4fetch', async () => {
      const { apiUrl, dataUrl, identity } = fixture.service;
      const example = documentedExample('browsers.md', 'Uploading as a signed-in user', 'js');
      const code = atUrls(example, { apiUrl, dataUrl, identityUrl: identity.url });
      const token = await userToken(fixture.service, 'ada');
      expect(await runInPage(`const token = '${token}';\n${code}`)).toBe(documentedOutput(code));
    });

    describe('a URL that the AWS SDK for JavaScript signed', () => {
      const [server = '', inPage = ''] = documentedExample('browsers.md', 'Uploading from a page', 'js').split(
        '// in the page',
      );
      const node = findClient('node', [process.execPath]);
      const sign = async (code: string) =>
        (await node.run(['--input-type=module', '-e', code], fixture.settings)).trim();
      const upload = (url: string) =>
        runInPage(`const url = ${JSON.stringify(url)}; console.log((${inPage.trim().replace(/;$/, '')}).status);`);

      test('accepts an upload with the setting of the example', async () => {
        expect(await upload(await sign(server))).toBe('200\n');
      });

      test('refuses an upload without the setting', async () => {
        const without = server.replace("{ requestChecksumCalculation: 'WHEN_REQUIRED' }", '{}');
        expect(without).not.toBe(server);
        expect(await upload(await sign(without))).toBe('400\n');
      });
    });
  },
);

/** A table of heights that count up from 0, in row groups of 10,000. The file has several megabytes. */
function parquetOfHeights(): Buffer {
  const count = Array.from({ length: 300_000 }, (_, index) => index);
  const columnData = [
    { name: 'height', data: count, type: 'INT32' as const },
    { name: 'station', data: count.map((index) => `station ${index}`), type: 'STRING' as const },
  ];
  return Buffer.from(parquetWriteBuffer({ columnData, rowGroupSize: 10_000 }));
}

/** Metadata of an array with two chunks (Zarr specification, version 3). */
const zarrArray = {
  zarr_format: 3,
  node_type: 'array',
  shape: [4],
  data_type: 'int32',
  chunk_grid: { name: 'regular', configuration: { chunk_shape: [2] } },
  chunk_key_encoding: { name: 'default', configuration: { separator: '/' } },
  fill_value: 0,
  codecs: [{ name: 'bytes', configuration: { endian: 'little' } }],
  attributes: {},
};

/** Points of a grid, with their coordinates as names. */
function points() {
  const features = Array.from({ length: 10_000 }, (_, index) => {
    const coordinates = [index % 100, Math.floor(index / 100)];
    return { type: 'Feature', properties: { name: coordinates.join('/') }, geometry: { type: 'Point', coordinates } };
  });
  return { type: 'FeatureCollection', features };
}
