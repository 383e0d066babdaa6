import { describe, expect, test } from 'vitest';
import { send, sendRaw } from '../http-client.ts';
import { startTestEdge } from './edge-setup.ts';
import { requestIn } from './forwarding.ts';

const answer = async () => ({ status: '200', body: 'object' });

describe('a path is served by', () => {
  test.each([
    ['/.sts', 'exchange'],
    ['/.sts/', 'exchange'],
    ['/.sts?Action=GetCallerIdentity', 'exchange'],
    ['/.sts//', 'object'],
    ['/.stsx', 'object'],
    ['/x/.sts', 'object'],
    ['/', 'object'],
    ['/.health', '{"status":"ok"}'],
  ])('%s: %s', async (path, served) => {
    const { port } = await startTestEdge({ serveObject: answer });
    expect((await send(port, { path })).body.toString()).toBe(served);
  });
});

test('a function gets an origin-request event without decoding', async () => {
  const { port, requests } = await startTestEdge({ serveObject: answer });
  const { headers } = await send(port, {
    method: 'PUT',
    path: '/a//b/../%2F+=?x=%20&&y',
    headers: { 'X-Amz-Meta-A': ['b', 'c'], 'content-type': 'text/csv' },
    body: 'tide',
  });
  expect(requests[0]?.Records[0]?.cf.config).toEqual({
    distributionDomainName: `127.0.0.1:${port}`,
    distributionId: 'LOCAL',
    eventType: 'origin-request',
    requestId: headers['x-amz-cf-id'],
  });
  const [event] = requests;
  expect(event && requestIn(event)).toMatchObject({
    clientIp: '127.0.0.1',
    method: 'PUT',
    uri: '/a//b/../%2F+=',
    querystring: 'x=%20&&y',
    headers: {
      host: [{ key: 'Host', value: `127.0.0.1:${port}` }],
      'x-amz-meta-a': [
        { key: 'X-Amz-Meta-A', value: 'b' },
        { key: 'X-Amz-Meta-A', value: 'c' },
      ],
      'content-type': [{ key: 'content-type', value: 'text/csv' }],
      'x-forwarded-for': [{ key: 'X-Forwarded-For', value: '127.0.0.1' }],
      via: [{ key: 'Via', value: '1.1 localhost (CloudFront)' }],
    },
    body: {
      action: 'read-only',
      data: Buffer.from('tide').toString('base64'),
      encoding: 'base64',
      inputTruncated: false,
    },
  });
});

test('functions do not see the headers that CloudFront hides', async () => {
  const { port, requests } = await startTestEdge({ serveObject: answer });
  await send(port, {
    method: 'PUT',
    headers: {
      connection: 'close',
      'transfer-encoding': 'chunked',
      'keep-alive': 'timeout=5',
      'proxy-authorization': 'secret',
      trailer: 'x-amz-checksum-crc32',
      'x-accel-buffering': 'no',
      'x-amz-cf-id': 'forged',
      'x-cache': 'Hit',
      'x-edge-location': 'x',
      'x-forwarded-proto': 'https',
      'x-real-ip': '203.0.113.9',
      accept: '*/*',
    },
  });
  const [event] = requests;
  const seen = Object.keys(event ? requestIn(event).headers : {}).sort();
  expect(seen).toEqual(['accept', 'host', 'transfer-encoding', 'via', 'x-forwarded-for', 'x-sluice-cache']);
});

test('copies of Accept-Encoding and Range replace headers that a client forged', async () => {
  const { port, requests } = await startTestEdge({ serveObject: answer });
  const forged = { 'x-sluice-viewer-range': 'bytes=0-', 'x-sluice-viewer-accept-encoding': 'br' };
  await send(port, { headers: { ...forged, range: 'bytes=-5', 'accept-encoding': 'identity' } });
  await send(port, { headers: forged });
  const [copied, removed] = requests.map((event) => requestIn(event).headers);
  expect(copied?.['x-sluice-viewer-range']?.[0]?.value).toBe('bytes=-5');
  expect(copied?.['x-sluice-viewer-accept-encoding']?.[0]?.value).toBe('identity');
  expect(removed).not.toHaveProperty('x-sluice-viewer-range');
  expect(removed).not.toHaveProperty('x-sluice-viewer-accept-encoding');
});

describe('CloudFront refuses before a function runs', () => {
  test.each([
    ['a host that is not this machine', { headers: { host: 'rebound.example' } }, 421],
    ['GET with a body', { headers: { 'content-length': '1' }, body: 'a' }, 403],
    ['GET with a chunked body', { headers: { 'transfer-encoding': 'chunked' }, body: 'a' }, 403],
    ['a method that CloudFront does not know', { method: 'PROPFIND' }, 403],
    ['a URL of 8,193 bytes', { path: `/${'a'.repeat(8192)}` }, 414],
    ['headers over 20,480 bytes', { headers: { 'x-long': 'a'.repeat(20_480) } }, 431],
    ['an absolute URL as the target', { path: 'http://127.0.0.1/a' }, 400],
  ])('%s', async (_case, request, status) => {
    const { port, requests } = await startTestEdge({ serveObject: answer });
    expect((await send(port, request)).status).toBe(status);
    expect(requests).toEqual([]);
  });

  test('two hosts in one request', async () => {
    const { port } = await startTestEdge({ serveObject: answer });
    const head = 'GET / HTTP/1.1\r\nHost: localhost\r\nHost: rebound.example\r\nConnection: close\r\n\r\n';
    expect(await sendRaw(port, head)).toMatch(/^HTTP\/1.1 421 /);
  });
});

test('a URL of 8,192 bytes and a name below localhost are accepted', async () => {
  const { port, requests } = await startTestEdge({ serveObject: answer });
  const headers = { host: `tide-institute.localhost:${port}` };
  expect((await send(port, { path: `/${'a'.repeat(8191)}`, headers })).status).toBe(200);
  expect(requests).toHaveLength(1);
});

test('a client that waits for 100 Continue gets it', async () => {
  const { port, requests } = await startTestEdge({ serveObject: answer });
  const received = await sendRaw(
    port,
    'PUT /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nExpect: 100-continue\r\nConnection: close\r\n\r\ntide',
  );
  expect(received).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK\r\n/);
  const [event] = requests;
  expect(event && requestIn(event).headers).not.toHaveProperty('expect');
});

test('an unknown expectation is an S3 error before any function runs', async () => {
  const { port, requests } = await startTestEdge({ serveObject: answer });
  for (const expected of ['200', '100-continue, 200', 'garbage']) {
    const lines = `PUT /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nExpect: ${expected}\r\nConnection: close\r\n`;
    const received = await sendRaw(port, `${lines}\r\ntide`);
    if (expected.startsWith('100')) expect(received).toMatch(/^HTTP\/1.1 (?:100|417) /);
    else expect(received).toMatch(/^HTTP\/1.1 417 Expectation Failed\r\n[\s\S]*<Error><Code>ExpectationFailed<\/Code>/);
  }
  const empty = 'PUT /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nExpect:\r\nConnection: close\r\n\r\ntide';
  requests.length = 0;
  expect(await sendRaw(port, empty)).toMatch(/^HTTP\/1.1 200 /);
  expect(requests).toHaveLength(1);
});
