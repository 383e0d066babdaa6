import { describe, expect, test } from 'vitest';
import { runnableViewerFunction } from '../../../../lib/assets/viewer-functions.ts';
import { pageCachePolicy } from '../../../../lib/edge/cache-policy.ts';
import { pages } from '../../../../lib/operations/pages.ts';
import { type Sent, viewerEvent } from './viewer-events.ts';

const onRequest = runnableViewerFunction('page-request', { siteHosts: ['api.example.org', 'data.example.org'] });
const key = `sck_${'a'.repeat(36)}`;

function mark({ headers, ...sent }: Sent = {}) {
  const passed = onRequest(viewerEvent({ headers: { host: 'data.example.org', ...headers }, ...sent }));
  const { 'x-sluice-host': host, ...left } = passed.headers;
  return { host: host?.value, left: Object.keys(left).sort(), query: Object.keys(passed.querystring) };
}

describe('a cacheable page', () => {
  test.each<[string, Sent, string[]?]>([
    ['a repository', {}],
    ['a HEAD', { method: 'HEAD' }],
    ['a folder', { query: ['path=a%2Fb%2F', 'cursor=c', 'q=x'] }, ['path', 'cursor']],
    ['a folder whose slash is not escaped', { query: ['cursor=c', 'path=a/'] }, ['cursor', 'path']],
    ['the root by an empty path', { query: ['path=', 'cursor=c'] }, ['path', 'cursor']],
    ['a file, by its path alone', { query: ['path=a%2Fb.csv', 'cursor=c'] }, ['path']],
    ['a file with several cursors', { query: ['cursor=c', 'path=b', 'cursor=d'] }, ['path']],
    ['a path given twice, by its end', { query: ['path=a%2f', 'path=b', 'cursor=c'] }, ['path']],
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
      const marked = mark({ uri, query: parameters.map((name) => `${name}=x/`) });
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
    const { left, query } = mark({ query: ['path=a', 'utm_source=b'], headers });
    expect([left, query]).toEqual([[...Object.keys(headers), 'host'].sort(), ['path', 'utm_source']]);
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
