import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { seedNames } from '../../../lib/local/seed.ts';
import { type SeededService, startSeededService } from '../../service/seeded-service.ts';

let service: SeededService;
let site: string;
beforeAll(async () => {
  service = await startSeededService({ withDataSet: true });
  site = service.apiUrl;
  await becomesFound('/-/search', 'World borders');
});
afterAll(() => service.close());

const { organization_id, data_repository_id, private_repository_id } = seedNames;
const repository = `/${organization_id}/${data_repository_id}`;

async function open(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(site + path, { headers, redirect: 'manual' });
  return { status: answer.status, headers: answer.headers, html: await answer.text() };
}

/** What the stream tells is there in a moment, and an instance looks every ten seconds. */
async function becomesFound(path: string, words: string): Promise<void> {
  const look = async () => {
    service.advance(11);
    expect((await open(path)).html).toContain(words);
  };
  await vi.waitFor(look, { timeout: 20_000, interval: 200 });
}

describe('the search page', () => {
  test.each([
    ['?q=borders', true],
    ['?q=bordrs+countri', true],
    ['?tag=geography&sort=title', true],
    ['?account_id=tide-institute&utm_source=x', true],
    ['?q=nothing-like-it', false],
    ['?license=mit', false],
  ])('%s finds the borders: %s', async (query, isFound) => {
    const { status, html } = await open(`/-/search${query}`);
    expect(status).toBe(200);
    expect(html.includes(`href="${repository}"`)).toBe(isFound);
    expect(html).toMatch(isFound ? /[12] repositor(?:y|ies)/ : /Nothing was found/);
  });

  test('keeps what was searched for in its form, as text', async () => {
    const { html } = await open(
      `/-/search?${new URLSearchParams({ q: '"><script>alert(1)</script>', tag: "' onfocus='x" })}`,
    );
    expect(html).not.toContain('<script>alert');
    expect(html).toContain('value="&quot;>&lt;script>alert(1)&lt;/script>"');
  });

  test('refuses an order that there is none of', async () => {
    expect((await open('/-/search?sort=price')).status).toBe(400);
  });
});

describe('the pages', () => {
  test.each([
    ['/', ['World borders', `href="${repository}"`]],
    ['/-/search', ['World borders']],
    [`/${organization_id}`, ['Tide Institute', `href="${repository}"`]],
    [repository, ['World borders', 'countries.parquet', 'The borders of 177 countries', 'aws --endpoint-url']],
    [`${repository}?path=countries.csv`, ['iso_numeric', 'Fiji', 'Download', 'text/csv', 'read.csv']],
    [`${repository}?path=countries.geojson`, ['FeatureCollection', 'Download']],
    [`${repository}?path=README.md`, ['The borders of 177 countries']],
  ])('%s shows what is there, whole and without scripts', async (path, words) => {
    const { status, headers, html } = await open(path);
    expect(status).toBe(200);
    for (const word of words) expect(html).toContain(word);
    expect(html).not.toMatch(/<script(?! type="application\/ld\+json")/);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(headers.get('content-security-policy')).not.toContain('script-src');
    expect(headers.get('cache-control')).toBe('public, max-age=0, must-revalidate');
  });

  test('tell a browser that it has them still', async () => {
    const etag = (await open(repository)).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    const again = await open(repository, { 'if-none-match': `W/${etag}` });
    expect([again.status, again.html]).toEqual([304, '']);
    expect((await open(repository, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  test('are the same for whatever is private, absent, of no account, or no ID at all', async () => {
    const paths = [
      `/${organization_id}/${private_repository_id}`,
      `/${organization_id}/${private_repository_id}?path=a.csv`,
      `/${organization_id}/absent`,
      '/nobody-at-all',
      '/nobody-at-all/absent',
      '/No-ID/absent',
      '/favicon.ico',
      `${repository}?path=absent.csv`,
      `${repository}?path=../../${organization_id}/${data_repository_id}/countries.csv`,
      `${repository}?path=./countries.csv`,
      `${repository}?path=absent/`,
    ];
    const answers = await Promise.all(paths.map((path) => open(path)));
    const [first] = answers;
    expect(first?.html).toContain('Nothing to see here');
    for (const { status, html, headers } of answers) {
      expect([status, html, headers.get('cache-control')]).toEqual([404, first?.html, 'no-store']);
    }
  });

  test('ignore whoever asks: nobody sees more with a token, and parameters that they do not know', async () => {
    const anonymous = await open(repository);
    expect((await open(repository, { authorization: 'Bearer forged' })).html).toBe(anonymous.html);
    expect((await open(`${repository}?utm_source=x`)).html).toBe(anonymous.html);
  });

  test('refuse a cursor of another list, and a key in the address, with a page', async () => {
    for (const path of [
      '/-/search?cursor=forged',
      `/${organization_id}?cursor=forged`,
      `${repository}?path=${service.key}`,
    ]) {
      const { status, headers, html } = await open(path);
      expect([status, headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
      expect(html).not.toContain(service.key);
    }
  });

  test('tell search engines and data loaders what a repository is', async () => {
    const { html } = await open(repository);
    const json = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html)?.[1] ?? '';
    const metadata = JSON.parse(json);
    expect(metadata).toMatchObject({ '@type': 'sc:Dataset', name: 'World borders', isAccessibleForFree: true });
    const urls: string[] = metadata.distribution.map(({ contentUrl }: { contentUrl: string }) => contentUrl);
    expect(urls.length).toBeGreaterThanOrEqual(4);
    for (const url of urls) expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    expect(html).toContain(`<link rel="canonical" href="${repository}"/>`);
  });

  test('are where a person is led who opens the address of the data', async () => {
    const asPerson = { accept: 'text/html,*/*;q=0.8' };
    const answer = await fetch(`${service.dataUrl}${repository}/`, { headers: asPerson, redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${site}${repository}`]);
    expect((await fetch(`${service.dataUrl}${repository}/countries.csv`, { headers: asPerson })).status).toBe(200);
  });
});

test.each(['/api', '/api/v1', '/api/', '/api/v1?path=a'])(
  '%s is of the API, which says that it is no route of it',
  async (path) => {
    const { status, headers, html } = await open(path);
    expect([status, headers.get('content-type')]).toEqual([404, 'application/problem+json']);
    expect(JSON.parse(html)).toMatchObject({ code: 'route_not_found' });
  },
);

test('robots.txt keeps crawlers out of the API alone', async () => {
  const { status, headers, html } = await open('/robots.txt');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(html).toContain('Disallow: /api/');
});
