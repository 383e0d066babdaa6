import { get, type IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import { XMLValidator } from 'fast-xml-parser';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { defaultSite } from '../../../lib/domain/site.ts';
import { exchangeSeedKey, seedNames } from '../../../lib/local/seed.ts';
import { createUpload } from '../../../lib/local/seed-data.ts';
import { rangeOf, sitemap, sitemapPart } from '../../../lib/pages/site/sitemap.ts';
import { versionsOf } from '../../service/frozen-versions.ts';
import { seededService } from '../../service/seeded-service.ts';

/** The package's type declarations do not match its default export. */
const robotsParser: typeof import('robots-parser').default = createRequire(import.meta.url)('robots-parser');
const { organization_id, open_repository_id, data_repository_id, private_repository_id } = seedNames;
const service = await seededService({ withDataSet: true });
const site = service.apiUrl;
await becomesFound('/-/search', 'World borders');

const repository = `/${organization_id}/${data_repository_id}`;

async function open(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(site + path, { headers, redirect: 'manual' });
  return { status: answer.status, headers: answer.headers, html: await answer.text() };
}

/** Sends a path unchanged. `fetch` would normalize it. */
function sendAsItIs(path: string): Promise<IncomingMessage> {
  const { port } = new URL(site);
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, headers: { host: `127.0.0.1:${port}` } }, (answer) => {
      answer.resume();
      resolve(answer);
    }).on('error', reject);
  });
}

/**
 * Waits until a search finds the words. The stream needs a moment, and an instance reads the changes every ten seconds.
 */
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
    ['?license=cc+zero', true],
  ])('%s finds the matches: %s', async (query, isFound) => {
    const { status, html } = await open(`/-/search${query}`);
    expect(status).toBe(200);
    expect(html.includes(`href="${repository}"`)).toBe(isFound);
    expect(html).toMatch(isFound ? /[12] repositor(?:y|ies)/ : /No matches/);
  });

  test('counts the labels of all matches, and links each to the search with this filter', async () => {
    const { html } = await open('/-/search?q=borders');
    expect(html).toContain('<h3>Tag</h3>');
    expect(html).toMatch(
      /href="\/-\/search\?q=borders&amp;tag=geography&amp;sort=relevance"[^>]*><span>geography<\/span> <span class="count">1</,
    );
    expect(html).toMatch(/license=cc0-1[.]0&amp;sort=relevance"[^>]*><span>CC0-1.0<\/span>/);
  });

  test('shows each chosen filter with a link that removes it', async () => {
    const { html } = await open('/-/search?q=borders&tag=geography');
    expect(html).toMatch(/href="\/-\/search\?q=borders&amp;sort=relevance" aria-label="Remove filter Tag: geography"/);
    expect(html).toContain('<input type="hidden" name="tag" value="geography"');
    expect(html).not.toContain('<h3>Tag</h3>');
  });

  test('shows the query in its form, as text', async () => {
    const { html } = await open(
      `/-/search?${new URLSearchParams({ q: '"><script>alert(1)</script>', tag: "' onfocus='x" })}`,
    );
    expect(html).not.toContain('<script>alert');
    expect(html).toContain('value="&quot;>&lt;script>alert(1)&lt;/script>"');
  });

  test('refuses an unknown order', async () => {
    expect((await open('/-/search?sort=price')).status).toBe(400);
  });
});

describe('the pages', () => {
  test.each([
    ['/', ['World borders', `href="${repository}"`, 'Publish your own data', 'href="/-/console"']],
    ['/-/search', ['World borders']],
    [`/${organization_id}`, ['Tide Institute', `href="${repository}"`]],
    [repository, ['World borders', 'countries.parquet', 'The borders of 177 countries', 'aws --endpoint-url']],
    [`${repository}/countries.csv`, ['iso_numeric', 'Fiji', 'Download', 'text/csv', 'read.csv']],
    [`${repository}/countries.geojson`, ['FeatureCollection', 'Download']],
    [`${repository}/README.md`, ['The borders of 177 countries']],
  ])('%s shows the complete content without scripts', async (path, words) => {
    const { status, headers, html } = await open(path);
    expect(status).toBe(200);
    for (const word of words) expect(html).toContain(word);
    const scripts = html.match(/<script(?! type="application\/ld\+json").*?<\/script>/g);
    expect(scripts).toEqual([
      expect.stringMatching(/^<script type="module" src="\/-\/assets\/page-[A-Z0-9]{8}\.js"><\/script>$/),
    ]);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(headers.get('content-security-policy')).toContain("; script-src 'self'; connect-src 'self'; base-uri");
    expect(headers.get('cache-control')).toBe('public, max-age=0, must-revalidate');
  });

  test.each(['/', '/-/search', `/${organization_id}`, repository, `${repository}/countries.csv`])(
    '%s needs at most 30 KB for its first view, compressed and with its script',
    async (path) => {
      const { html } = await open(path);
      const files = [...html.matchAll(/(?:src|href)="(\/-\/assets\/[^"]+\.js)"/g)].map(([, file]) => file);
      const scripts = await Promise.all(files.map(async (file) => (await fetch(site + file)).text()));
      const bytes = [html, ...scripts].map((text) => gzipSync(text).length).reduce((sum, each) => sum + each);
      expect(scripts.length).toBeGreaterThan(0);
      expect(bytes).toBeLessThanOrEqual(30 * 1024);
    },
  );

  test('show the featured repositories on the front page, and then the newest', async () => {
    const { html } = await open('/');
    const [first, second] = html.split('<section class="block">').slice(1);
    expect(hrefsIn(first ?? '')).toEqual([repository]);
    expect(first).toContain('<h2>Featured</h2>');
    expect(hrefsIn(second ?? '')).toEqual([`/${organization_id}/${open_repository_id}`, '/-/search']);
    expect(html).not.toContain(private_repository_id);
  });

  test('show the totals and the topics of the catalogue on the front page', async () => {
    const { html } = await open('/');
    expect(html).toContain('<p class="totals"><span>2 repositories</span>');
    expect(html).toMatch(/href="\/-\/search\?tag=geography">geography <span class="count">1</);
  });

  test('show the totals of an account, and search in its repositories', async () => {
    const { html } = await open(`/${organization_id}`);
    expect(html).toContain('<p class="totals"><span>2 repositories</span>');
    expect(html).toContain(`<input type="hidden" name="account_id" value="${organization_id}"/>`);
  });

  test('show the open data of an account, but not its members', async () => {
    const { html } = await open(`/${organization_id}`);
    expect(html).not.toMatch(/\bada\b/i);
    expect((await service.anyone('GET', `/accounts/${organization_id}/members`)).status).toBe(401);
  });

  test('link to the sign-in from a page that is not public', async () => {
    expect((await open(`/${organization_id}/${private_repository_id}`)).html).toContain('href="/-/console"');
  });

  test.each(['/-/console', '/-/console/accounts/ada/people', '/-/sign-in/callback?code=one-time&state=any'])(
    'the console is one document at each of its paths: %s',
    async (path) => {
      const { status, headers, html } = await open(path);
      expect([status, html]).toEqual([200, (await open('/-/console')).html]);
      const issuer = new URL(service.identity.people.issuer).origin;
      const dataOrigin = new URL(service.dataUrl).origin;
      expect(headers.get('content-security-policy')?.replace(/sha256-[^']+/, 'sha256')).toBe(
        [
          "default-src 'none'",
          "style-src 'sha256'",
          `img-src 'self' data: ${dataOrigin}`,
          `media-src ${dataOrigin}`,
          `frame-src 'self' ${dataOrigin}`,
          "script-src 'self'",
          "worker-src 'self'",
          `connect-src 'self' ${dataOrigin} ${issuer}`,
          "base-uri 'none'",
          "form-action 'self'",
          "frame-ancestors 'none'",
        ].join('; '),
      );
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      const configuration = /<script type="application\/json" id="configuration">(.*?)<\/script>/.exec(html)?.[1] ?? '';
      expect(JSON.parse(configuration)).toMatchObject({
        data_url: service.dataUrl,
        sign_in: { issuer: service.identity.people.issuer, client_id: service.identity.people.client_id },
      });
      for (const [, name = ''] of html.matchAll(/(?:src|href)="(\/-\/assets\/[^"]+)"/g)) {
        const file = await open(name);
        expect([file.status, file.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
        expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      }
      expect((await open('/-/assets/../../package.json')).status).toBe(404);
      expect((await open('/-/assets/console-GONE0000.js')).status).toBe(404);
    },
  );

  test('answer 304 to a browser with a current copy', async () => {
    const etag = (await open(repository)).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    const again = await open(repository, { 'if-none-match': `W/${etag}` });
    expect([again.status, again.html]).toEqual([304, '']);
    expect((await open(repository, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  test('are the same for a private or missing repository, a missing account, and an invalid ID', async () => {
    const paths = [
      `/${organization_id}/${private_repository_id}`,
      `/${organization_id}/${private_repository_id}/a.csv`,
      `/${organization_id}/absent`,
      '/nobody-at-all',
      '/nobody-at-all/absent',
      '/No-ID/absent',
      '/favicon.ico',
      `/${organization_id}/absent/a.csv`,
      `/${organization_id}/absent/a/`,
      `/-/preview/${organization_id}/${private_repository_id}?path=a.parquet`,
    ];
    const answers = await Promise.all(paths.map((path) => open(path)));
    const [first] = answers;
    expect(first?.html).toContain('Page not found');
    for (const { status, html, headers } of answers) {
      expect([status, html, headers.get('cache-control')]).toEqual([404, first?.html, 'no-store']);
    }
  });

  test.each([
    ['/absent.csv', 'File not found'],
    [`?path=../../${organization_id}/${data_repository_id}/countries.csv`, 'File not found'],
    ['?path=./countries.csv', 'File not found'],
    ['/absent/', 'Folder not found'],
    ['/a//b', 'File not found'],
    ['/100%.csv', 'File not found'],
    ['/a%3Fb.csv', 'File not found'],
  ])(
    'lead from %s, which is missing in an open repository, to existing files, and are never cached',
    async (path, words) => {
      const { status, html, headers } = await open(`${repository}${path}`);
      expect([status, headers.get('cache-control')]).toEqual([404, 'no-store']);
      expect(html).toContain(words);
      expect(html).toContain(`<a class="button" href="${repository}">`);
      expect(html).toContain('<meta name="robots" content="noindex"/>');
    },
  );

  test('do not show a repository after it is closed', async () => {
    const ada = await service.user(seedNames.user.identity_id);
    const at = `/repositories/${organization_id}/${data_repository_id}/data-mode`;
    expect((await ada('PUT', at, { data_mode: 'private' })).status).toBe(200);
    const refused = await open('/nobody-at-all');
    for (const path of ['countries.csv', 'absent.csv', 'absent/']) {
      const { status, html } = await open(`${repository}/${path}`);
      expect([status, html]).toEqual([404, refused.html]);
    }
    expect((await ada('PUT', at, { data_mode: 'open' })).status).toBe(200);
  });

  test('ignore tokens and unknown parameters', async () => {
    const anonymous = await open(repository);
    expect((await open(repository, { authorization: 'Bearer forged' })).html).toBe(anonymous.html);
    expect((await open(`${repository}?utm_source=x`)).html).toBe(anonymous.html);
  });

  test('refuse with a page a cursor of another list and a key in the URL', async () => {
    for (const path of [
      '/-/search?cursor=forged',
      `/${organization_id}?cursor=forged`,
      `${repository}/${service.key}`,
    ]) {
      const { status, headers, html } = await open(path);
      expect([status, headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
      expect(html).not.toContain(service.key);
    }
  });

  test('describe a repository for search engines and data loaders', async () => {
    const { html } = await open(repository);
    const json = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html)?.[1] ?? '';
    const metadata = JSON.parse(json);
    expect(metadata).toMatchObject({ '@type': 'sc:Dataset', name: 'World borders', isAccessibleForFree: true });
    const urls: string[] = metadata.distribution.map(({ contentUrl }: { contentUrl: string }) => contentUrl);
    expect(urls.length).toBeGreaterThanOrEqual(4);
    for (const url of urls) expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    expect(html).toContain(`<link rel="canonical" href="${site}${repository}"/>`);
    expect(html).toContain(`<meta property="og:url" content="${site}${repository}"/>`);
    expect(metadata).toMatchObject({
      '@id': site + repository,
      url: site + repository,
      dateModified: expect.any(String),
    });
  });

  test('are the redirect target for a browser that opens a data URL', async () => {
    const asUser = { accept: 'text/html,*/*;q=0.8' };
    const answer = await fetch(`${service.dataUrl}${repository}/`, { headers: asUser, redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${site}${repository}`]);
    expect((await fetch(`${service.dataUrl}${repository}/countries.csv`, { headers: asUser })).status).toBe(200);
  });
});

test.each(['/Tides/gauges/a.csv', '/-/nothing/here', '//a', `/-/versions/${organization_id}`])(
  '%s, which no page has, gets a page in a browser and a problem document in a program',
  async (path) => {
    const browser = await open(path, { accept: 'text/html,application/xhtml+xml' });
    expect([browser.status, browser.html]).toEqual([404, (await open('/nobody-at-all')).html]);
    expect((await open('/Tides/gauges/a.csv')).headers.get('content-type')).toBe('application/problem+json');
  },
);

test.each(['/api', '/api/v1', '/api/', '/api/v1?path=a'])(
  '%s gets the answer of the API for an unknown route',
  async (path) => {
    const { status, headers, html } = await open(path);
    expect([status, headers.get('content-type')]).toEqual([404, 'application/problem+json']);
    expect(JSON.parse(html)).toMatchObject({ code: 'route_not_found' });
  },
);

test.each([
  ['/-/console/', '/-/console'],
  [`${repository}/?path=countries.csv`, `${repository}?path=countries.csv`],
])('%s, with an additional slash, redirects to %s', async (path, right) => {
  const answer = await fetch(site + path, { redirect: 'manual' });
  expect([answer.status, answer.headers.get('location')]).toEqual([308, right]);
  expect((await fetch(site + path)).status).toBe(200);
});

describe('the URL of a folder without its final slash', async () => {
  const upload = createUpload(service.dataUrl, await exchangeSeedKey(service.dataUrl, service.key, 'FullAccess'));
  const versions = versionsOf(service);
  afterAll(() => versions.storageClient.destroy());

  test.each([
    ['/tide%20%25%3F', '/tide%20%25%3F/'],
    ['/tide%20%25%3F/a%2Fb?cursor=x&utm_source=y', '/tide%20%25%3F/a/b/'],
    ['/tide%20%25%3F?version=v9', '/tide%20%25%3F/?version=v9'],
  ])('redirects from %s to %s', async (path, right) => {
    await upload(repository.slice(1), { 'tide%20%25%3F/a/b/c.txt': 'high' });
    if (right.endsWith('v9')) await versions.createVersion(data_repository_id, 'v9');
    const { status, headers, html } = await open(repository + path);
    expect([status, headers.get('location'), html]).toEqual([308, repository + right, '']);
    expect(headers.get('cache-control')).toBe('no-store');
    expect((await open(repository + right)).status).toBe(200);
  });

  test.each(['/tide%20', '/tide%20%25%3F/c', '/tide%20%25%3F/a/b/c.tx', '/tide%20%25%3F?version=v8'])(
    'is missing at %s, where no folder is',
    async (path) => {
      expect((await open(repository + path)).status).toBe(404);
    },
  );
});

test.each(['//other.example/', '/\\other.example/', '/%5cother.example//', '/.//other.example/', '/%0d%0ax:y//'])(
  '%s does not redirect, since its target could be another host',
  async (path) => {
    const { statusCode, headers } = await sendAsItIs(path);
    expect([statusCode === undefined || statusCode >= 400, headers.location]).toEqual([true, undefined]);
  },
);

test.each(['/', '/-/search?q=borders', repository, `${repository}/countries.csv`, '/robots.txt', '/sitemap.xml'])(
  'HEAD %s has the headers of GET and no body, also for a missing page',
  async (path) => {
    for (const each of [path, `/nobody-at-all`]) {
      const [got, head] = await Promise.all([open(each), fetch(site + each, { method: 'HEAD' })]);
      expect([head.status, await head.text()]).toEqual([got.status, '']);
      for (const name of ['content-type', 'content-length', 'etag', 'cache-control', 'content-security-policy'])
        expect(head.headers.get(name)).toBe(got.headers.get(name));
    }
  },
);

describe('a crawler', () => {
  const listed = Array.from({ length: 26 }, (_, at) => `series-${at}`);
  const hidden = ['unlisted-series', 'private-series', 'disabled-series'];

  test('finds every listed repository and no unlisted one from /robots.txt on', async () => {
    const ada = await service.user(seedNames.user.identity_id);
    const place = `/repositories/${organization_id}`;
    const meta = { title: 'A series', description: '', tags: 'tides' };
    const make = async (repository_id: string) => {
      const data_mode = repository_id === 'private-series' ? 'private' : 'open';
      const made = { repository_id, data_mode, meta, data_connection_id: seedNames.data_connection_id };
      expect((await ada('POST', place, made)).status).toBe(201);
      if (repository_id === 'unlisted-series') return;
      expect((await ada('PUT', `${place}/${repository_id}`, { meta, state: 'listed' })).status).toBe(200);
      if (repository_id === 'disabled-series') await ada('POST', `${place}/${repository_id}/disable`);
    };
    for (const repository_id of [...hidden, ...listed]) await make(repository_id);
    const placesOf = (names: readonly string[]) => names.map((name) => `${site}/${organization_id}/${name}`);
    const seeded = [seedNames.open_repository_id, data_repository_id];
    const expected = [`${site}/`, ...placesOf([...listed, ...seeded])].sort();
    // The stream reports the repositories in any order. The arrival of the last one does not show that all have
    // arrived.
    const isWhole = async () => {
      service.advance(11);
      expect(locationsIn((await open('/sitemap.xml')).html).toSorted()).toEqual(expected);
    };
    await vi.waitFor(isWhole, { timeout: 20_000, interval: 200 });

    const robots = robotsParser(`${site}/robots.txt`, (await open('/robots.txt')).html);
    const [sitemap = ''] = robots.getSitemaps();
    expect(robots.isAllowed(sitemap, 'bot')).toBe(true);
    expect(robots.isAllowed(`${site}/api/v1/repositories`, 'bot')).toBe(false);
    expect(robots.isAllowed(`${site}/-/search?q=tides`, 'bot')).toBe(false);
    const { status, headers, html } = await open(sitemap.slice(site.length));
    expect([status, headers.get('content-type')]).toEqual([200, 'application/xml; charset=utf-8']);
    const places = locationsIn(html);
    expect(places.toSorted()).toEqual(expected);
    const crawl = async (url: string) => [robots.isAllowed(url, 'bot'), (await fetch(url, { method: 'HEAD' })).status];
    for (const answer of await Promise.all(places.map(crawl))) expect(answer).toEqual([true, 200]);
  });

  test('finds each of a hundred thousand repositories once, through the parts of the sitemap', async () => {
    const names = Array.from({ length: 100_000 }, (_, at) => `${'a'.repeat(34)}-${at % 9}/${'b'.repeat(30)}-${at}`);
    const shown = { ...defaultSite, url: 'https://portal.example' };
    const inOrder = names.sort().map((name) => ({ name, updated: 0 }));
    const parts = locationsIn(sitemap(shown, inOrder).html);
    expect(parts).toHaveLength(10);
    const found = parts.flatMap((part) => {
      const { from, before = '~' } = rangeOf(new URL(part).searchParams.get('cursor') ?? '');
      const { html } = sitemapPart(
        shown,
        inOrder.filter(({ name }) => name >= from && name < before),
      );
      expect(Buffer.byteLength(html)).toBeLessThan(6_000_000);
      return Array.from(html.matchAll(/<loc>(.*?)<\/loc>/g), ([, url = '']) => url);
    });
    expect(found.join()).toBe(names.map((name) => `${shown.url}/${name}`).join());
  });

  test.each(['a', '../b', 'a/b:c', `${'a'.repeat(300)}/b`])(
    'gets 404 for %s, which is not a part of the sitemap',
    async (cursor) => {
      expect((await open(`/sitemap.xml?${new URLSearchParams({ cursor })}`)).status).toBe(400);
    },
  );

  test('finds in a part only the repositories of that part', async () => {
    const part = async (range: string) => locationsIn((await open(`/sitemap.xml?cursor=${range}`)).html);
    const [from, before] = [`${organization_id}/series-3`, `${organization_id}/series-5`];
    expect(await part(`${from}:${before}`)).toEqual(
      [`series-3`, `series-4`].map((name) => `${site}/${organization_id}/${name}`),
    );
  });
});

function hrefsIn(html: string): string[] {
  const [main = ''] = html.split('</main>');
  return Array.from(main.matchAll(/<a href="([^"]+)"/g), ([, href = '']) => href);
}

/** Returns the locations of a well-formed sitemap. Each must be a complete URL. */
function locationsIn(xml: string): string[] {
  expect(XMLValidator.validate(xml)).toBe(true);
  return Array.from(xml.matchAll(/<loc>(.*?)<\/loc>/g), ([, url = '']) => new URL(url).href);
}
