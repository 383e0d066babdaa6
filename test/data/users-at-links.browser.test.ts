import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { requestCredentials } from '../../site/data/credentials.ts';
import { signLink } from '../../site/data/shared-links.ts';
import { send } from '../lib/local/http-client.ts';
import { violations } from '../service/axe.ts';
import { chromiumPath, launchChromium } from '../service/chromium.ts';
import { seededService } from '../service/seeded-service.ts';
import { apiOf, drafts, repositoryOf, untilTheEnd } from '../site/upload/upload-fixture.ts';

const service = await seededService({ withDataSet: true, openDataCacheSeconds: 60 });
const fixture = await repositoryOf(service);

/** Headers of Chromium when it opens a URL. */
const asBrowser = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
};

async function linkTo(key: string): Promise<URL> {
  await fixture.data.objects.put(key, new Blob(['shared']), {}, { signal: untilTheEnd() });
  const api = await apiOf(service, 'ada');
  const credentials = await requestCredentials({ api, location: drafts, role: 'ReadOnly' });
  return new URL((await signLink({ dataUrl: service.dataUrl, location: drafts, key, seconds: 600 }, credentials)).url);
}

async function open(url: URL | string, headers: Record<string, string> = asBrowser) {
  const { host, port, pathname, search } = new URL(url);
  const answer = await send(Number(port), { path: pathname + search, headers: { host, ...headers } });
  const text = answer.body.toString();
  const type = String(answer.headers['content-type']);
  return { ...answer, text, type, title: /<h1>(.*?)<\/h1>/.exec(text)?.[1] };
}

describe('the page for a user who opens a link', () => {
  it('shows when the link expired and what to do', async () => {
    const link = await linkTo('users/ended.txt');
    expect(await open(link)).toMatchObject({ status: 200, text: 'shared' });
    const ended = new URL(link);
    ended.searchParams.set('X-Amz-Date', '20260101T100000Z');
    ended.searchParams.set('X-Amz-Expires', '300');
    const credential = ended.searchParams.get('X-Amz-Credential') ?? '';
    ended.searchParams.set('X-Amz-Credential', credential.replace(/\/\d{8}\//, '/20260101/'));
    const answer = await open(ended);
    expect(answer).toMatchObject({ status: 403, type: 'text/html; charset=utf-8', title: 'This link has expired' });
    expect(answer.text).toContain('It worked until 01 Jan 2026 10:05 UTC.');
    expect(answer.text).toContain('Ask the sender for a new link.');
    expect(answer.text).toContain(String(answer.headers['x-amz-request-id']));
    expect(answer.headers['cache-control']).toContain('no-store');
  });

  it('says that the link is incomplete, wherever it was cut', async () => {
    const link = await linkTo('users/cut.txt');
    const { search } = link;
    const titles = new Set<string>();
    for (let end = '?X-Amz-'.length; end < search.length; end += 1) {
      link.search = search.slice(0, end);
      const { type, title, text } = await open(link);
      titles.add(`${type} ${title}`);
      // A user without an account cannot open the page of a repository that is not open.
      expect(text).toContain('ask the sender to send the whole link again');
      expect(text).not.toContain('<a ');
    }
    expect([...titles]).toEqual(['text/html; charset=utf-8 This link is incomplete']);
  });

  it('says that a link with an older signature never works', async () => {
    const url = new URL(await linkTo('users/older.txt'));
    url.search = '?AWSAccessKeyId=SCTAAAAAAAAAAAAAAAAA&Signature=vjbyPxybdZaNmGa%2ByT272YEAiv4%3D&Expires=1893456000';
    const answer = await open(url);
    expect(answer).toMatchObject({ status: 400, type: 'text/html; charset=utf-8', title: 'This link cannot be used' });
    expect(answer.text).toContain('Ask the sender for a link with Signature Version 4.');
  });

  it('says that the file is missing or not accessible, and links to the repository', async () => {
    const link = await linkTo('users/gone.txt');
    await fixture.data.objects.remove('users/gone.txt', untilTheEnd());
    const gone = await open(link);
    expect(gone).toMatchObject({ status: 404, title: 'File not found' });
    expect(gone.text).toContain(`<a href="${service.apiUrl}/tide-institute/raw-drafts">`);
    const elsewhere = new URL(link);
    elsewhere.pathname = elsewhere.pathname.replace('gone', 'other');
    expect(await open(elsewhere)).toMatchObject({ status: 403, title: 'This link is incomplete' });
    const unsigned = new URL(link);
    unsigned.search = '?versionId=x';
    expect(await open(unsigned)).toMatchObject({ status: 403, title: 'This link does not open the file' });
  });

  it.each([
    ['tide-gauges@v1', 'tide-gauges?version=v1'],
    ['tide-gauges%40v1', 'tide-gauges?version=v1'],
    ['tide-gauges@V1%22%3E', 'tide-gauges'],
    ['tide-gauges@v1@v2', 'tide-gauges'],
  ])('links from a missing file of %s to %s', async (segment, page) => {
    const { text } = await open(`${service.dataUrl}/tide-institute/${segment}/a.csv?response-content-type=text/csv`);
    expect(text).toContain(`<a href="${service.apiUrl}/tide-institute/${page}">`);
  });

  it('shows no part of a hostile link', async () => {
    const link = await linkTo('users/hostile.txt');
    const markup = '"><script>document.title=1</script>';
    link.pathname += markup;
    link.searchParams.set('X-Amz-Credential', markup);
    link.searchParams.append(markup, markup);
    const { text, type, headers } = await open(link);
    expect(type).toBe('text/html; charset=utf-8');
    expect(text).not.toMatch(/<script|hostile|document\.title|X-Amz-|SCTA/);
    expect(headers['content-security-policy']).toMatch(
      /^sandbox; default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
    expect(headers['referrer-policy']).toBe('no-referrer');
  });
});

describe('a program', () => {
  test.each([
    ['an SDK', {}],
    ['curl', { accept: '*/*' }],
    // This is the default `Accept` header of the client.
    ['HttpURLConnection of Java', { accept: 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2' }],
    ['a script in a page', { ...asBrowser, 'sec-fetch-mode': 'cors' }],
    ['an image of a page', { ...asBrowser, 'sec-fetch-mode': 'no-cors' }],
    ['a browser that accepts no HTML', { ...asBrowser, accept: 'image/avif,image/webp,*/*' }],
    ['one with credentials of its own', { ...asBrowser, authorization: 'AWS4-HMAC-SHA256 Credential=x' }],
  ])('gets the XML of S3: %s', async (_, headers) => {
    const link = await linkTo('users/program.txt');
    await fixture.data.objects.remove('users/program.txt', untilTheEnd());
    const gone = await open(link, headers);
    link.searchParams.delete('X-Amz-Signature');
    for (const { type, text } of [gone, await open(link, headers)]) {
      expect(type).toBe('application/xml');
      expect(text).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<Error><Code>\w+<\/Code>/);
    }
  });

  it('gets the same answer as a browser to a cacheable request', async () => {
    for (const path of ['world-borders/absent.csv', 'raw-drafts/absent.csv']) {
      const url = `${service.dataUrl}/tide-institute/${path}`;
      for (const headers of [asBrowser, {}, asBrowser]) expect((await open(url, headers)).type).toBe('application/xml');
    }
  });
});

describe.skipIf(chromiumPath === undefined)('in Chromium,', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  it('the page fits 360 px and links to the repository, and a script that fetches gets XML', async () => {
    const link = await linkTo('users/shown.txt');
    await fixture.data.objects.remove('users/shown.txt', untilTheEnd());
    const page: Page = await browser.newPage({ viewport: { width: 360, height: 740 } });
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    await page.goto(link.href);
    await page.getByRole('heading', { name: 'File not found' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    expect(complaints.filter((text) => /Content Security|Refused/.test(text))).toEqual([]);
    const [asked] = await Promise.all([
      page.waitForRequest(/raw-drafts$/),
      page.getByRole('link', { name: 'its page' }).click(),
    ]);
    expect(asked.headers()['referer']).toBeUndefined();
    await page.waitForURL(`${service.apiUrl}/tide-institute/raw-drafts`);
    await page.goto(`${service.apiUrl}/-/console`);
    const fetched = await page.evaluate((url) => fetch(url).then((answer) => answer.text()), link.href);
    expect(fetched).toContain('<Code>NoSuchKey</Code>');
    // Axe needs to run a script, but a sandboxed page runs no script.
    const copy = await browser.newPage({ viewport: { width: 360, height: 740 } });
    await copy.setContent((await open(link)).text);
    expect(await violations(copy)).toEqual([]);
    await Promise.all([page.close(), copy.close()]);
  });
});
