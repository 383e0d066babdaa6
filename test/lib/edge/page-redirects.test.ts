import { describe, expect, test } from 'vitest';
import { compilePageRedirects, pageRedirectSource, type ViewerEvent } from '../../../lib/edge/page-redirects.ts';
import { onObjectRequest } from '../../../lib/edge/viewer/functions.ts';

const site = 'https://site.example';
const toPage = compilePageRedirects({ siteUrl: site, virtualHostBase: 'data.example' });

function event(uri: string, request: Partial<ViewerEvent['request']> = {}): ViewerEvent {
  const headers = {
    host: { value: 'proxy.example' },
    accept: { value: 'text/html,application/xhtml+xml,*/*;q=0.8' },
    ...request.headers,
  };
  return { request: { method: 'GET', uri, querystring: {}, ...request, headers } };
}

describe('a person who opens the address of data in a browser', () => {
  test.each([
    ['/tides', '/tides'],
    ['/tides/', '/tides'],
    ['/tides/gauges', '/tides/gauges'],
    ['/tides/gauges/', '/tides/gauges'],
    ['/tides/gauges/2026/', '/tides/gauges?path=2026%2F'],
    ['/tides/gauges/a%20b/%C3%BC/', '/tides/gauges?path=a%20b%2F%C3%BC%2F'],
    ['/tides/gauges/a%2Fb/', '/tides/gauges?path=a%2Fb%2F'],
    ['/tides/gauges/%3Cscript%3E/', '/tides/gauges?path=%3Cscript%3E%2F'],
  ])('at %s is led to %s', (uri, page) => {
    expect(toPage(event(uri))).toEqual({
      statusCode: 303,
      statusDescription: 'See Other',
      headers: { location: { value: site + page }, 'cache-control': { value: 'no-store' }, vary: { value: 'accept' } },
    });
  });

  test.each([
    ['/', '/tides'],
    ['/gauges', '/tides/gauges'],
    ['/gauges/', '/tides/gauges'],
    ['/gauges/2026/', '/tides/gauges?path=2026%2F'],
  ])('at %s below a virtual host is led to %s', (uri, page) => {
    const headers = { host: { value: 'tides.data.example:8443' } };
    expect(toPage(event(uri, { headers }))?.headers['location']).toEqual({ value: site + page });
  });

  test.each([
    ['a file', event('/tides/gauges/2026.csv')],
    ['the root', event('/')],
    ['the exchange', event('/.sts')],
    ['an ID that none can be', event('/Tides/gauges')],
    ['one that is too short', event('/ti')],
    ['one with two hyphens', event('/tides--sync')],
    ['a repository that none can be', event('/tides/..')],
    ['another host in the path', event('//evil.example/')],
    ['what looks like a key', event(`/tides/gauges/sck_${'a1'.repeat(15)}/`)],
    ['the same, escaped', event(`/tides/gauges/%73ck%255f${'a1'.repeat(15)}/`)],
    ['a broken escape', event('/tides/gauges/%zz/')],
    ['a query', event('/tides', { querystring: { 'list-type': { value: '2' } } })],
    ['a write', event('/tides', { method: 'PUT' })],
    ['a HEAD', event('/tides', { method: 'HEAD' })],
    ['a signed request', event('/tides', { headers: { authorization: { value: 'AWS4-HMAC-SHA256 …' } } })],
    ['a client that wants anything', event('/tides', { headers: { accept: { value: '*/*' } } })],
    [
      'a client that wants HTML last',
      event('/tides', { headers: { accept: { value: 'application/xml, text/html' } } }),
    ],
    ['a client that names nothing', event('/tides', { headers: { accept: { value: '' } } })],
    ['a host label that is no account', event('/gauges', { headers: { host: { value: 'a.b.data.example' } } })],
  ])('but not %s', (_, request) => {
    expect(toPage(request)).toBeUndefined();
  });

  test('goes by syntax alone, whatever is there: the function has neither network nor store', () => {
    expect(pageRedirectSource({ siteUrl: site })).not.toMatch(/import|require|fetch|kvs/);
  });

  test('before what marks requests, which gets all others', () => {
    const handler = new Function('event', `${onObjectRequest({ siteUrl: site })}\nreturn handler(event);`);
    expect(handler(event('/tides')).statusCode).toBe(303);
    const context = { requestId: 'own-id' };
    const passed = handler({ ...event('/tides/gauges/a.csv'), context });
    expect(passed.uri).toBe('/tides/gauges/a.csv');
  });
});
