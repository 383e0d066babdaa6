import { describe, expect, test } from 'vitest';
import { createExchangeHandler } from '../../../lib/edge/exchange-handler.ts';
import { createObjectHandler } from '../../../lib/edge/object-handler.ts';
import { dataFixture, signed } from '../s3/data-fixture.ts';
import { ExchangeSetup, formBody } from '../sts/exchange-setup.ts';
import { noExchange, requestEvent } from './event-builders.ts';

test('the handler refuses signed chunks of an incomplete body, and names the client setting', async () => {
  const handler = createObjectHandler({ ...noExchange, ...dataFixture().deps, log: () => undefined });
  const headers = { 'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD', 'x-amz-decoded-content-length': '4' };
  const request = await signed({ method: 'PUT', path: '/tide-institute/raw-drafts/a.csv', headers });
  const { method, rawPath, rawQuery } = request;
  const result = await handler(requestEvent({ method, uri: rawPath, querystring: rawQuery, headers: request.headers }));
  expect(result).toMatchObject({
    status: '501',
    body: expect.stringContaining('chunkedEncodingEnabled(false)'),
    headers: { 'access-control-allow-origin': [{ value: '*' }] },
  });
});

test('a slow authorization read causes 503 in XML before the timeout of CloudFront', async () => {
  const { deps } = dataFixture();
  const logged: unknown[] = [];
  const handler = createObjectHandler({
    ...noExchange,
    ...deps,
    access: { ...deps.access, readAccess: () => new Promise(() => undefined) },
    log: ({ failure }) => logged.push(failure),
    answerWithinMs: 50,
  });
  const result = await handler(requestEvent({ headers: { host: 'data.example.org' } }));
  expect(result).toMatchObject({ status: '503', body: expect.stringContaining('<Code>ServiceUnavailable</Code>') });
  expect(logged).toMatchObject([{ code: 'unavailable' }]);
});

test('a slow read of the exchange causes 503 in XML before the timeout of CloudFront', async () => {
  const { dependencies, key } = new ExchangeSetup();
  const logged: unknown[] = [];
  const handler = createExchangeHandler({
    ...dependencies,
    store: { ...dependencies.store, readKeySignIn: () => new Promise(() => undefined) },
    log: ({ failure }) => logged.push(failure),
    answerWithinMs: 50,
  });
  const result = await handler(
    requestEvent({
      method: 'POST',
      uri: '/.sts',
      headers: { host: 'data.example.org', 'content-type': 'application/x-www-form-urlencoded' },
      body: { action: 'read-only', data: formBody({}, key), encoding: 'text', inputTruncated: false },
    }),
  );
  expect(result).toMatchObject({
    status: '503',
    body: expect.stringContaining('<Code>ServiceUnavailable</Code><Message>The exchange timed out; try again'),
  });
  expect(logged).toMatchObject([{ code: 'unavailable' }]);
});

describe('the exchange at /', () => {
  const form = 'application/x-www-form-urlencoded';
  type Posted = { method?: string; uri?: string; querystring?: string; type?: string; host?: string };

  function start() {
    const setup = new ExchangeSetup();
    let loaded = 0;
    const loadExchange = async () => {
      loaded += 1;
      if (loaded === 1) throw new Error('the file could not be read');
      return createExchangeHandler({ ...setup.dependencies, log: () => undefined });
    };
    const handler = createObjectHandler({
      ...dataFixture().deps,
      virtualHostBase: 'data.example.org',
      log: () => undefined,
      loadExchange,
    });
    const body = {
      action: 'read-only',
      data: formBody({}, setup.key),
      encoding: 'text',
      inputTruncated: false,
    } as const;
    const post = ({ type = form, host = 'data.example.org', ...changes }: Posted = {}) => {
      const headers = { host, 'content-type': type };
      return handler(requestEvent({ method: 'POST', uri: '/', headers, body, ...changes }));
    };
    return { post, loadedTimes: () => loaded };
  }

  test('is loaded by the first request, and again after a failure', async () => {
    const { post, loadedTimes } = start();
    expect(loadedTimes()).toBe(0);
    expect(await post()).toMatchObject({ status: '500' });
    for (let count = 0; count < 3; count += 1) {
      expect(await post()).toMatchObject({ status: '200', body: expect.stringContaining('<SessionToken>') });
    }
    expect(loadedTimes()).toBe(2);
  });

  test.each([
    ['a form with a charset', { type: `${form}; charset=utf-8` }, true],
    ['a form in capitals', { type: form.toUpperCase() }, true],
    ['another type', { type: 'text/xml' }, false],
    ['a type that only begins so', { type: `${form}x` }, false],
    ['another method', { method: 'PUT' }, false],
    ['a query', { querystring: 'Action=GetCallerIdentity' }, false],
    ['a query of nothing', { querystring: '&' }, false],
    ['another path', { uri: '//' }, false],
    ['an encoded path', { uri: '/%2f' }, false],
    ['an account as host', { host: 'tide-institute.data.example.org' }, false],
    ['an account as host, in capitals', { host: 'Tide-Institute.DATA.example.org:443' }, false],
    ['a host of another name', { host: 'd1234.cloudfront.net' }, true],
  ])('accepts or refuses %s: %o %s', async (_, request, isExchange) => {
    const { post, loadedTimes } = start();
    await post(request);
    expect(loadedTimes()).toBe(isExchange ? 1 : 0);
  });

  test('has the headers of the exchange at its own path, without CORS', async () => {
    const { post } = start();
    await post();
    const { headers } = (await post()) as { headers: Record<string, unknown> };
    expect(Object.keys(headers).sort()).toEqual([
      'cache-control',
      'content-security-policy',
      'content-type',
      'x-amz-request-id',
      'x-content-type-options',
    ]);
  });
});
