import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signWithSmithy } from '../lib/sigv4/signed-request.ts';
import { chromiumPath, launchChromium } from '../service/chromium.ts';
import { s3Client, signIn } from '../service/data-clients.ts';
import { serveInFile } from '../service/http-server.ts';
import { seededService } from '../service/seeded-service.ts';

const siteUrl = await serveInFile((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Of another origin</title>');
});

const service = await seededService({ openDataCacheSeconds: 60 });
const credentials = await signIn(service, service.key);
let browser: Browser;
let page: Page;

describe.skipIf(chromiumPath === undefined)('a page of another origin, in a browser', () => {
  beforeAll(async () => {
    browser = await launchChromium();
    page = await browser.newPage();
    await page.goto(siteUrl.replace('127.0.0.1', 'localhost'));
    await store('page.txt');
  });
  afterAll(async () => {
    await browser?.close();
  });

  async function store(name: string): Promise<void> {
    const stored = { Body: '0123456789', ContentType: 'text/plain', Metadata: { station: 'cuxhaven' } };
    const at = { Bucket: 'tide-institute', Key: `tide-gauges/${name}` };
    await s3Client(service, credentials).send(new PutObjectCommand({ ...at, ...stored }));
  }

  interface Seen {
    status: number;
    text: string;
    headers: Record<string, string>;
  }

  /** Returns the response that the page's script gets. Rejects when the browser blocks it. */
  function fetchInPage(url: string, init: RequestInit = {}): Promise<Seen> {
    const script = `(async () => {
      const answer = await fetch(${JSON.stringify(url)}, ${JSON.stringify(init)});
      return { status: answer.status, text: await answer.text(), headers: Object.fromEntries(answer.headers) };
    })()`;
    return page.evaluate(script);
  }

  async function presigned(method: string, key: string) {
    const { accessKeyId, secretAccessKey, sessionToken = '' } = credentials;
    const signed = await signWithSmithy(
      { method, host: new URL(service.dataUrl).host, path: `/tide-institute/${key}` },
      { accessKeyId, secretAccessKey, sessionToken, signedAt: Date.now(), expiresIn: 300 },
    );
    return `${service.dataUrl}${signed.rawPath}?${signed.rawQuery}`;
  }

  it('reads a range of an open object and all response headers', async () => {
    const seen = await fetchInPage(`${service.dataUrl}/tide-institute/tide-gauges/page.txt`, {
      headers: { range: 'bytes=2-4', 'x-unknown-here': 'asked for in a preflight' },
    });
    expect(seen).toMatchObject({ status: 206, text: '234' });
    expect(seen.headers).toMatchObject({
      'accept-ranges': 'bytes',
      'content-length': '3',
      'content-range': 'bytes 2-4/10',
      date: expect.any(String),
      etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
      'last-modified': expect.any(String),
      'x-amz-meta-station': 'cuxhaven',
      'x-amz-request-id': expect.any(String),
    });
  });

  it('reads the same headers from a cached object, its range, and a revalidated object', async () => {
    const url = `${service.dataUrl}/tide-institute/tide-gauges/cached.txt`;
    await store('cached.txt');
    const read = (headers: Record<string, string> = {}) => fetchInPage(url, { cache: 'no-store', headers });
    const ofObject = { 'accept-ranges': 'bytes', 'x-amz-meta-station': 'cuxhaven', date: expect.any(String) };
    for (const served of ['Miss', 'Hit', 'RefreshHit']) {
      if (served === 'RefreshHit') service.advance(61);
      const whole = await read();
      expect(whole.headers).toMatchObject({ ...ofObject, 'x-cache': `${served} from cloudfront` });
      const part = await read({ range: 'bytes=2-4' });
      expect(part).toMatchObject({ status: 206, text: '234' });
      expect(part.headers).toMatchObject({ ...ofObject, 'content-range': 'bytes 2-4/10' });
    }
  });

  it('lists an open repository', async () => {
    const { status, text } = await fetchInPage(
      `${service.dataUrl}/tide-institute?list-type=2&prefix=${encodeURIComponent('tide-gauges/')}`,
    );
    expect(status).toBe(200);
    expect(text).toContain('<Key>tide-gauges/page.txt</Key>');
  });

  it('writes and reads with presigned URLs, and cannot use other credentials of the user', async () => {
    const put = await fetchInPage(await presigned('PUT', 'raw-drafts/from-a-page.txt'), {
      method: 'PUT',
      body: 'written by a page',
    });
    expect(put).toMatchObject({ status: 200, headers: { etag: expect.any(String) } });
    const read = await fetchInPage(await presigned('GET', 'raw-drafts/from-a-page.txt'));
    expect(read).toMatchObject({ status: 200, text: 'written by a page' });
    await expect(
      fetchInPage(`${service.dataUrl}/tide-institute/tide-gauges/page.txt`, { credentials: 'include' }),
    ).rejects.toThrow('Failed to fetch');
  });

  it.each([
    ['a missing object, from the storage', 'tide-gauges/absent.txt', 404, 'NoSuchKey'],
    ['a forbidden object, from the data proxy', 'raw-drafts/page.txt', 403, 'AccessDenied'],
  ])('sees the error for %s', async (_, key, status, code) => {
    const seen = await fetchInPage(`${service.dataUrl}/tide-institute/${key}`);
    expect(seen).toMatchObject({ status, text: expect.stringContaining(`<Code>${code}</Code>`) });
    expect(seen.headers['x-amz-request-id']).toMatch(/^[\w-]{56}$/);
  });
});
