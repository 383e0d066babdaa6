import { describe, expect, test } from 'vitest';
import { runnableViewerFunction } from '../../../../lib/assets/viewer-functions.ts';
import { pageCachePolicy } from '../../../../lib/edge/cache-policy.ts';
import { pages } from '../../../../lib/operations/pages.ts';
import { type Sent, viewerEvent } from './viewer-events.ts';

const onRequest = runnableViewerFunction('page-request', { siteHosts: ['api.example.org', 'data.example.org'] });
const key = `sck_${'a'.repeat(36)}`;

function mark({ headers, ...sent }: Sent = {}) {
  const passed = onRequest(viewerEvent({ headers: { host: 'data.example.org', ...headers }, ...sent }));
  if ('statusCode' in passed) throw new Error(`redirects to ${passed.headers['location']?.value}`);
  const { 'x-sluice-host': host, ...left } = passed.headers;
  return { host: host?.value, left: Object.keys(left).sort(), query: Object.keys(passed.querystring) };
}

/** Returns the path and the key with which a request reaches the origin, or the target of its redirect. */
function leadsTo(sent: Sent): string {
  const passed = onRequest(viewerEvent({ headers: { host: 'data.example.org' }, ...sent }));
  if ('statusCode' in passed) return `${passed.statusCode} ${passed.headers['location']?.value}`;
  return `${passed.uri} ${passed.querystring['path']?.value}`;
}

describe('a cacheable page', () => {
  test.each<[string, Sent, string[]?]>([
    ['a repository', {}],
    ['a HEAD', { method: 'HEAD' }],
    ['a folder', { uri: '/tides/gauges/a/b/', query: ['cursor=c', 'q=x'] }, ['cursor', 'path']],
    ['a folder with dot segments', { query: ['cursor=c', 'path=../'] }, ['cursor', 'path']],
    ['the root by an empty path', { query: ['path=', 'cursor=c'] }, ['path', 'cursor']],
    ['a file, by its path alone', { uri: '/tides/gauges/a/b.csv', query: ['path=c', 'cursor=c'] }, ['path']],
    ['a file with several cursors', { uri: '/tides/gauges/b', query: ['cursor=c', 'cursor=d'] }, ['path']],
    ['a file with dot segments', { query: ['path=..%2Fa', 'cursor=c'] }, ['path']],
    ['a path given twice, by its end', { query: ['path=a%2f', 'path=../b', 'cursor=c'] }, ['path']],
    ['a file of a version', { uri: '/tides/gauges/a', query: ['version=v1'] }, ['version', 'path']],
    ['an account', { uri: '/tides', query: ['cursor=c', 'path=x'] }, ['cursor']],
    ['the front page', { uri: '/', query: ['q=x'] }, []],
    ['a search', { uri: '/-/search', query: ['q=a', 'cursor=f', 'path=g'] }, ['q', 'cursor']],
    ['a part of the sitemap', { uri: '/sitemap.xml', query: ['cursor=a/b', 'path=x'] }, ['cursor']],
    ['parameters of analytics tools', { query: ['utm_source=a', 'utm_campaign=b%20c', 'fbclid=d'] }, []],
    ['a parameter in another spelling', { query: ['%70ath=secret', 'PATH=x'] }, []],
    ['an empty body', { headers: { 'content-length': '0' } }],
  ])('%s', (_, sent, query = []) => {
    expect(mark(sent)).toMatchObject({ host: 'data.example.org', query });
  });

  test.each([
    ['data.example.org', 'data.example.org'],
    ['DATA.Example.org', 'data.example.org'],
    ['data.example.org:443', 'data.example.org'],
    ['api.example.org', 'api.example.org'],
    ['d1.cloudfront.net', 'd1.cloudfront.net'],
  ])('at %s, by the name %s', (host, name) => {
    expect(mark({ headers: { host } }).host).toBe(name);
  });

  test('is every page that declares it, and the key contains all its parameters', () => {
    const cacheable = pages.filter(({ isCacheable }) => isCacheable).map(({ name }) => name);
    expect(cacheable).toEqual(['show-front', 'show-search', 'show-account', 'show-repository', 'get-sitemap']);
    for (const page of pages) {
      const uri = page.path.replace(/\{\w+\}/g, 'tides');
      const parameters = Object.keys(page.query?.shape ?? {});
      const marked = mark({ uri, query: parameters.map((name) => `${name}=../`) });
      if (!page.isCacheable) expect([page.name, marked.host]).toEqual([page.name, 'own-id']);
      else {
        expect([page.name, marked.query]).toEqual([page.name, parameters]);
        expect(pageCachePolicy.queryParameters).toEqual(expect.arrayContaining(parameters));
      }
    }
  });
});

describe('the viewer function does not mark a page with', () => {
  test.each<[string, Sent]>([
    ['a bearer token', { headers: { authorization: 'Bearer x' } }],
    ['a cookie', { cookies: { session: { value: 'x' } } }],
    ['a cookie as a header', { headers: { cookie: 'session=x' } }],
    ['another method', { method: 'POST' }],
    ['OPTIONS', { method: 'OPTIONS' }],
    ['a body', { headers: { 'content-length': '3' } }],
    ['a body in chunks', { headers: { 'transfer-encoding': 'chunked' } }],
    ['no host', { headers: { host: '' } }],
    ['a host of others', { headers: { host: 'evil.example' } }],
    ['a host below ours', { headers: { host: 'x.data.example.org' } }],
    ['a host with a final dot', { headers: { host: 'data.example.org.' } }],
    ['a host with user and name', { headers: { host: 'x@data.example.org' } }],
    ['another distribution', { headers: { host: 'd2.cloudfront.net' } }],
    ['a preview', { uri: '/-/preview/tides/gauges', query: ['path=a'] }],
    ['the console', { uri: '/-/console' }],
    ['the console below', { uri: '/-/console/tides' }],
    ['the API, however it is spelt', { uri: '/%61pi/v1/whoami' }],
    ['two slashes', { uri: '//tides/gauges' }],
    ['a file of a short name', { uri: '/x/gauges/a.csv' }],
    ['a key in the path', { uri: `/tides/gauges/${key}` }],
    ['a final slash', { uri: '/tides/gauges/' }],
    ['an escaped letter', { uri: '/%74ides/gauges' }],
    ['an escaped slash', { uri: '/tides%2Fgauges' }],
    ['dot segments', { uri: '/tides/../gauges' }],
    ['a capital letter', { uri: '/Tides' }],
    ['a line after the end', { uri: '/tides\n' }],
    ['a parameter of a path', { uri: '/tides;x=1/gauges' }],
    ['a search with more in its path', { uri: '/-/search/' }],
    ['no slash at the beginning', { uri: 'tides/gauges' }],
    ['a key in the URL', { query: [`utm_source=${key}`] }],
    ['a key as a name', { query: [`${key}=1`] }],
    ['a key, escaped', { query: [`x=${key.replace('s', '%73')}`] }],
    ['a key, escaped twice', { query: [`x=${key.replace('s', '%2573')}`] }],
    ['a key in the second of two', { query: ['x=1', `x=${key}`] }],
  ])('%s', (_, sent) => {
    expect(mark(sent).host).toBe('own-id');
  });

  test('a request for it is forwarded unchanged', () => {
    const headers = { authorization: 'x', 'accept-language': 'de', origin: 'https://a.example' };
    const { left, query } = mark({ query: ['version=a', 'utm_source=b'], headers });
    expect([left, query]).toEqual([[...Object.keys(headers), 'host'].sort(), ['version', 'utm_source']]);
  });
});

test('the viewer function removes our headers, and from a cacheable request everything outside the key', () => {
  const ours = { 'x-sluice-host': 'evil.example', 'x-sluice-origin': 'x', 'x-sluice-shaped': 'cached' };
  const others = `x-forwarded-host forwarded x-original-url x-http-method-override origin accept accept-language
    accept-encoding range if-match if-modified-since idempotency-key constructor`.split(/\s+/);
  const left = ['if-none-match', 'via', 'cdn-loop'];
  const sent = { ...ours, ...Object.fromEntries([...others, ...left].map((name) => [name, 'x'])) };
  expect(mark({ headers: sent })).toMatchObject({ host: 'data.example.org', left: [...left, 'host'].sort() });
  expect(mark({ method: 'POST', headers: ours })).toMatchObject({ host: 'own-id', left: ['host'] });
});

describe('the path of a file', () => {
  test.each<[string, string]>([
    ['/tides/gauges/a.csv', 'a.csv'],
    ['/tides/gauges/a/b/', 'a/b/'],
    ['/tides/gauges/a%2Fb.csv', 'a/b.csv'],
    ['/tides/gauges/a%3Fb%23c.csv', 'a?b#c.csv'],
    ['/tides/gauges/a%20b+c%2Bd.csv', 'a b+c+d.csv'],
    ['/tides/gauges/%C3%BC/日.csv', 'ü/日.csv'],
    ['/tides/gauges/100%25.csv', '100%.csv'],
    ['/tides/gauges/100%.csv', '100%.csv'],
    ['/tides/gauges/a%ff.csv', 'a%ff.csv'],
    ['/tides/gauges/a%252Fb', 'a%2Fb'],
    ['/tides/gauges//a//b', '/a//b'],
    ['/tides/gauges//', '/'],
    ['/tides/gauges/-/preview/tides/gauges', '-/preview/tides/gauges'],
    ['/tides/gauges/api/v1/whoami', 'api/v1/whoami'],
    ['/tides/api/v1', 'v1'],
    ['/tides/gauges/a;b=c&d=e', 'a;b=c&d=e'],
    [`/tides/gauges/${'%E6%97%A5'.repeat(341)}`, '日'.repeat(341)],
  ])('%s reaches the origin as the key %s', (uri, key) => {
    for (const headers of [{}, { authorization: 'Bearer x' }]) {
      const host = { host: 'data.example.org' };
      const [page] = /^(?:\/[a-z]+){2}/.exec(uri) ?? [];
      expect(leadsTo({ uri, headers: { ...host, ...headers } })).toBe(`${page} ${encodeURIComponent(key)}`);
    }
  });

  test.each<[string[], string]>([
    [['path=a%2Fb.csv'], '/tides/gauges/a/b.csv'],
    [['path=a/b/'], '/tides/gauges/a/b/'],
    [['path=a+b%2Bc'], '/tides/gauges/a%20b%2Bc'],
    [['path=%2Fevil.example'], '/tides/gauges//evil.example'],
    [['path=a%0d%0ax:y'], '/tides/gauges/a%0D%0Ax%3Ay'],
    [['path=%3Fa%23b'], '/tides/gauges/%3Fa%23b'],
    [['version=v1', 'path=a', 'cursor=c%20d'], '/tides/gauges/a?version=v1&cursor=c%20d'],
    [['path=a', 'path=b'], '/tides/gauges/b'],
  ])('is the redirect target of the parameters %j', (query, target) => {
    expect(leadsTo({ query })).toBe(`308 ${target}`);
  });

  test.each([['path='], ['path=../a'], ['path=a%2F.%2Fb'], ['path=%ff'], [`path=${key}`]])(
    'is not the redirect target of %s, which no path can contain or which is refused',
    (parameter) => {
      expect(leadsTo({ query: [parameter] })).toBe(`/tides/gauges ${parameter.slice(5)}`);
    },
  );

  test('is not the redirect target for another method and for another page', () => {
    expect(leadsTo({ method: 'POST', query: ['path=a'] })).toBe('/tides/gauges a');
    expect(leadsTo({ uri: '/tides', query: ['path=a'] })).toMatch(/^\/tides /);
  });
});

describe('a path that no page has', () => {
  const asBrowser = { host: 'data.example.org', accept: 'text/html,*/*;q=0.8' };

  test.each([
    '/Tides/gauges/a.csv',
    '/x/y/z',
    '/-/a/b',
    '/-/versions/a',
    '//a',
    '/a//',
    '/-/preview/a/b/c',
    '/-/links/a/b',
    '/%74ides/gauges/a',
  ])('%s leads a browser to a page, and a program to a problem document', (uri) => {
    expect(leadsTo({ uri, headers: asBrowser })).toBe('/-/not-found undefined');
    expect(leadsTo({ uri, headers: { host: 'data.example.org', accept: '*/*' } })).toBe(`${uri} undefined`);
    expect(leadsTo({ method: 'POST', uri, headers: asBrowser })).toBe(`${uri} undefined`);
  });

  test('is not the path of any page', () => {
    const paths = pages.flatMap(({ path, morePaths = [] }) => [path, ...morePaths]);
    for (const path of paths) {
      const uri = path.replace(/\{\w+\+?\}/g, 'tides');
      expect(leadsTo({ uri, headers: asBrowser })).toBe(`${uri} undefined`);
    }
  });

  test.each([
    '/',
    '/Tides',
    '/a/b',
    '/a/b/',
    '/-/console/accounts/a',
    '/-/versions/a/b',
    '/-/preview/a/b',
    '/-/links/a',
    `/x/y/${key}`,
  ])('%s stays', (uri) => {
    expect(leadsTo({ uri, headers: asBrowser })).toBe(`${uri} undefined`);
  });
});
