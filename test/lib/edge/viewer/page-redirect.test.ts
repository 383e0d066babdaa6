import { describe, expect, test } from 'vitest';
import { runnableViewerFunction } from '../../../../lib/assets/viewer-functions.ts';
import { limits } from '../../../../lib/domain/limits.ts';
import { type Sent, viewerEvent } from './viewer-events.ts';

const site = 'https://site.example';
const onRequest = runnableViewerFunction('object-request', { siteUrl: site, virtualHostBase: 'data.example' });

function event(uri: string, { headers, ...request }: Sent = {}) {
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
  return viewerEvent({ uri, headers: { host: 'proxy.example', accept, ...headers }, ...request });
}

describe('a browser that opens the URL of data', () => {
  test.each([
    ['/tides', '/tides'],
    ['/tides/', '/tides'],
    ['/tides/gauges', '/tides/gauges'],
    ['/tides/gauges/', '/tides/gauges'],
    ['/tides/gauges/2026/', '/tides/gauges/2026/'],
    ['/tides/gauges/a%20b/%C3%BC/', '/tides/gauges/a%20b/%C3%BC/'],
    ['/tides/gauges/a%2Fb/', '/tides/gauges/a/b/'],
    ['/tides/gauges/%3Cscript%3E/', '/tides/gauges/%3Cscript%3E/'],
    ['/tides/gauges@2026-08', '/tides/gauges?version=2026-08'],
    ['/tides/gauges%402026-08/', '/tides/gauges?version=2026-08'],
    ['/tides/gauges@v1.0/2026/', '/tides/gauges/2026/?version=v1.0'],
    ['/tides/gauges/a@b/', '/tides/gauges/a%40b/'],
  ])('is redirected from %s to %s', (uri, page) => {
    expect(onRequest(event(uri))).toEqual({
      statusCode: 303,
      statusDescription: 'See Other',
      headers: { location: { value: site + page }, 'cache-control': { value: 'no-store' }, vary: { value: 'accept' } },
    });
  });

  test.each([
    ['/', '/tides'],
    ['/gauges', '/tides/gauges'],
    ['/gauges/', '/tides/gauges'],
    ['/gauges/2026/', '/tides/gauges/2026/'],
    ['/gauges@v1/2026/', '/tides/gauges/2026/?version=v1'],
  ])('is redirected from %s below a virtual host to %s', (uri, page) => {
    const headers = { host: 'tides.data.example:8443' };
    expect(onRequest(event(uri, { headers })).headers['location']).toEqual({ value: site + page });
  });

  test.each([
    ['a file', event('/tides/gauges/2026.csv')],
    ['the root', event('/')],
    ['the exchange', event('/.sts')],
    ['an ID in capitals', event('/Tides/gauges')],
    ['an ID that is too short', event(`/${'t'.repeat(limits.identifierLengthMin - 1)}`)],
    ['an ID that is too long', event(`/${'t'.repeat(limits.identifierLengthMax + 1)}`)],
    ['an ID with two hyphens', event('/tides--sync')],
    ['a dot segment as the repository', event('/tides/..')],
    ['a version without a name', event('/tides/gauges@/')],
    ['a version with two names', event('/tides/gauges@v1@v2/')],
    ['a version with an escaped character', event('/tides/gauges@v1%26path=a/')],
    ['a version with a dot first', event('/tides/gauges@../')],
    ['a version with a name that is too long', event(`/tides/gauges@${'v'.repeat(64)}/`)],
    ['a version without a repository', event('/tides/@v1/')],
    ['a file of a version', event('/tides/gauges@v1/2026.csv')],
    ['another host in the path', event('//evil.example/')],
    ['a possible service-account key', event(`/tides/gauges/sck_${'a1'.repeat(15)}/`)],
    ['an escaped service-account key', event(`/tides/gauges/%73ck%255f${'a1'.repeat(15)}/`)],
    ['a broken escape', event('/tides/gauges/%zz/')],
    ['a query', event('/tides', { query: ['list-type=2'] })],
    ['a write', event('/tides', { method: 'PUT' })],
    ['a HEAD', event('/tides', { method: 'HEAD' })],
    ['a signed request', event('/tides', { headers: { authorization: 'AWS4-HMAC-SHA256 …' } })],
    ['a client that accepts anything', event('/tides', { headers: { accept: '*/*' } })],
    ['a client that accepts HTML last', event('/tides', { headers: { accept: 'application/xml, text/html' } })],
    ['a client with an empty Accept', event('/tides', { headers: { accept: '' } })],
    ['a host label that is no account ID', event('/gauges', { headers: { host: 'a.b.data.example' } })],
  ])('is not redirected for %s', (_, request) => {
    expect(onRequest(request)).toBe(request.request);
  });
});
