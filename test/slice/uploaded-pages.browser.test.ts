import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chromiumPath, launchChromium } from '../service/chromium.ts';
import { s3Client, signIn } from '../service/data-clients.ts';
import { serveInFile } from '../service/http-server.ts';
import { seededService } from '../service/seeded-service.ts';

/** Script of each page. It runs at once, and reports to a test server which data it can read. */
const script = (sitePort: string, name: string) => `
  let found = '';
  try { localStorage.setItem('a', 'b'); found += document.cookie + localStorage.length; } catch (error) { found = 'none'; }
  location.href = 'http://localhost:${sitePort}/ran/${name}?' + encodeURIComponent(found);`;

/** A PDF with one page without text, which is enough for a viewer. */
const pdf = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]>>endobj
trailer<</Root 1 0 R>>`;

const asked: string[] = [];
let frameUrl = '';
let ownPage = '';
const siteUrl = await serveInFile((request, response) => {
  asked.push(request.url ?? '');
  const body = request.url === '/own' ? ownPage : `<!doctype html><iframe src="${frameUrl}" width="300"></iframe>`;
  response.writeHead(200, { 'content-type': 'text/html' }).end(body);
});

const service = await seededService();
const client = s3Client(service, await signIn(service, service.key));
const { port: sitePort } = new URL(siteUrl);
let browser: BrowserContext;

describe.skipIf(chromiumPath === undefined)('an uploaded page, in a browser', () => {
  const pages: [name: string, type: string, make: (text: string) => string][] = [
    ['page.html', 'text/html', (text) => `<!doctype html><title>t</title><script>${text}</script>`],
    ['handler.html', 'text/html', (text) => `<!doctype html><img src="x" onerror="${text.replaceAll('"', '&quot;')}">`],
    [
      'drawing.svg',
      'image/svg+xml',
      (text) => `<svg xmlns="http://www.w3.org/2000/svg"><script><![CDATA[${text}]]></script></svg>`,
    ],
    [
      'document.xml',
      'application/xml',
      (text) => `<a><s:script xmlns:s="http://www.w3.org/1999/xhtml"><![CDATA[${text}]]></s:script></a>`,
    ],
  ];
  const url = (name: string) => `${service.dataUrl}/tide-institute/tide-gauges/${name}`;

  beforeAll(async () => {
    browser = await (await launchChromium()).newContext();
    const uploads = pages.map(([name, type, make]) => [name, type, make(script(sitePort, name))] as const);
    const [[, , html]] = uploads as [(typeof uploads)[number]];
    const others = [
      ['paper.pdf', 'application/pdf', pdf],
      ['note.txt', 'text/plain', html],
    ] as const;
    for (const [name, type, text] of [...uploads, ...others]) {
      const object = { Bucket: 'tide-institute', Key: `tide-gauges/${name}`, Body: text, ContentType: type };
      await client.send(new PutObjectCommand(object));
    }
  });
  afterAll(async () => {
    await browser?.close();
  });
  beforeEach(() => {
    asked.length = 0;
  });

  const ran = () => asked.filter((requested) => requested.startsWith('/ran/'));

  async function runsNothingAt(address: string) {
    const page = await browser.newPage();
    const answer = await page.goto(address, { waitUntil: 'load' });
    // Wait for a later page request, because a script would have run before it completes.
    await page.goto(`http://localhost:${sitePort}/after`, { waitUntil: 'load' });
    expect(ran()).toEqual([]);
    await page.close();
    return answer;
  }

  // This check shows that the scripts can report. Without it, the other tests would prove nothing.
  it('runs its script when the server sends no policy', async () => {
    ownPage = pages[0]?.[2](script(sitePort, 'own')) ?? '';
    const page = await browser.newPage();
    await page.goto(`http://localhost:${sitePort}/own`);
    await page.waitForURL('**/ran/own*');
    expect(ran()).toHaveLength(1);
    await page.close();
  });

  it.each(pages)('runs no script when the user opens its URL: %s', async (name) => {
    expect((await runsNothingAt(url(name)))?.status()).toBe(200);
  });

  it.each(pages)('runs no script in a frame of another page: %s', async (name) => {
    frameUrl = url(name);
    const page = await browser.newPage();
    await page.goto(siteUrl.replace('127.0.0.1', 'localhost'), { waitUntil: 'load' });
    // Events of a frame in a separate process arrive later than those of the page.
    await expect.poll(() => page.frames().map((frame) => frame.url())).toContain(frameUrl);
    await page.goto('about:blank');
    expect(ran()).toEqual([]);
    await page.close();
  });

  const sandbox = /^sandbox; default-src 'none'/;
  it.each<[name: string, type: string, policy: RegExp]>([
    ['page.html', 'text/html', sandbox],
    ['note.txt', 'text/html', sandbox],
    ['note.txt', 'image/svg+xml', sandbox],
    ['note.txt', 'application/pdf; a=b', sandbox],
    ['page.html', 'application/pdf', /^default-src 'none'/],
  ])('runs no script by a presigned URL that makes %s %s', async (name, type, policy) => {
    const object = { Bucket: 'tide-institute', Key: `tide-gauges/${name}`, ResponseContentType: type };
    const address = await getSignedUrl(client, new GetObjectCommand(object));
    const head = await fetch(address);
    expect(head.headers.get('content-type')).toBe(type);
    expect(head.headers.get('content-security-policy')).toMatch(policy);
    await runsNothingAt(address);
  });

  it('has no origin when it is an error page', async () => {
    const page = await browser.newPage();
    const answer = await page.goto(url('not-there.html'));
    expect(answer?.status()).toBe(404);
    expect(answer?.headers()['content-security-policy']).toMatch(sandbox);
    expect(await page.evaluate('self.origin')).toBe('null');
    await page.close();
  });

  it('shows a PDF at its URL and in a frame', { timeout: 60_000 }, async () => {
    const viewer = /^chrome-extension:\/\/mhjfbmdgcfjbbpaeojofohoefgiehjai\//;
    frameUrl = url('paper.pdf');
    for (const address of [frameUrl, siteUrl.replace('127.0.0.1', 'localhost')]) {
      const page = await browser.newPage();
      const shown = page.waitForEvent('framenavigated', (frame) => viewer.test(frame.url()));
      await page.goto(address, { waitUntil: 'load' });
      expect((await shown).url()).toMatch(viewer);
      await page.close();
    }
  });
});
