import { generateKeyPairSync } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createIssuerFetcher, type IssuerFetcher } from '../../../lib/issuers/fetch-keys.ts';
import { openLocalCertificate } from '../../../lib/local/certificate.ts';
import type { ResolveHost } from '../../../lib/s3/connection-test/probe.ts';

const key = (kid: string) => ({
  kid,
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
});
const oneKey = key('one');

const unreached: ResolveHost = (host) => Promise.reject(new Error(`nobody asked for ${host}`));
const fetchKeys = (issuer: string, options: Partial<IssuerFetcher> = {}) =>
  createIssuerFetcher({ resolveHost: unreached, allowsLoopback: true, timeoutMs: 2000, ...options })(issuer);

async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, host, resolve);
  await promise;
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

type Answer = string | Buffer | object | undefined;
type Send = (response: ServerResponse) => unknown;

/** The answers of an issuer that differ from valid ones. */
interface Published {
  discovery?: (url: string) => Answer;
  keys?: () => Answer;
  sendDiscovery?: Send;
  sendKeys?: Send;
  path?: string;
  host?: string;
}

/** Starts an issuer on this machine. Returns its URL and the requests that it received. */
async function serveIssuer({
  discovery,
  keys,
  sendDiscovery,
  sendKeys,
  path = '',
  host = '127.0.0.1',
}: Published = {}) {
  const requests: { url: string | undefined; headers: object }[] = [];
  const server = createServer((request, response) => {
    requests.push({ url: request.url, headers: request.headers });
    const isKeys = request.url === '/jwks';
    const own = isKeys ? sendKeys : sendDiscovery;
    if (own !== undefined) return void own(response);
    const answer = isKeys
      ? (keys?.() ?? { keys: [oneKey] })
      : (discovery?.(url) ?? { issuer: url + path, jwks_uri: `${url}/jwks` });
    response.end(typeof answer === 'string' || Buffer.isBuffer(answer) ? answer : JSON.stringify(answer));
  });
  const url = `http://${host}:${await listen(server, host)}`;
  onTestFinished(() => server.closeAllConnections());
  return { issuer: url + path, url, requests };
}

const resolving =
  (...addresses: string[]): ResolveHost =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

describe('the keys of an issuer', () => {
  test.each(['', '/', '/realms/tides', '/realms/tides/'])(
    'are fetched for an issuer with the path "%s"',
    async (path) => {
      const { issuer, requests } = await serveIssuer({ path });
      expect(await fetchKeys(issuer)).toEqual({ jwks: [{ ...oneKey, alg: 'ES256' }] });
      const discovery = `${path.replace(/\/$/, '')}/.well-known/openid-configuration`;
      expect(requests.map(({ url }) => url)).toEqual([discovery, '/jwks']);
      for (const { headers } of requests) {
        expect(Object.keys(headers).sort()).toEqual(['accept', 'connection', 'host']);
      }
    },
  );

  test.each([
    ['a private address', ['10.0.0.7']],
    ['the address of the metadata service', ['169.254.169.254']],
    ['a loopback address', ['127.0.0.1']],
    ['a private IPv6 address', ['fd00:ec2::254']],
    ['a link-local IPv6 address', ['fe80::1']],
    ['an IPv4 address inside IPv6', ['::ffff:169.254.169.254']],
    ['a public and a private address', ['8.8.8.8', '192.168.0.1']],
  ])('are not fetched from a host with %s, neither for the issuer nor for its keys', async (_, addresses) => {
    const resolveHost = resolving(...addresses);
    const refused = { failure: 'address_not_public' };
    for (const allowsLoopback of [true, false]) {
      expect(await fetchKeys('https://ci.example.org', { resolveHost, allowsLoopback })).toEqual(refused);
    }
    const { issuer, requests } = await serveIssuer({
      discovery: (url) => ({ issuer: url, jwks_uri: 'https://keys.example.org/jwks' }),
    });
    expect(await fetchKeys(issuer, { resolveHost })).toEqual(refused);
    expect(requests).toHaveLength(1);
  });

  test('are fetched from the checked IP address when the name resolves to another one later', async () => {
    const { issuer, requests } = await serveIssuer({
      host: '127.0.0.2',
      discovery: (url) => ({ issuer: local(url), jwks_uri: `${local(url)}/jwks` }),
    });
    const local = (url: string) => url.replace('127.0.0.2', 'localhost');
    const addresses = ['127.0.0.2', '127.0.0.2', '10.0.0.1'];
    const asked: string[] = [];
    const resolveHost: ResolveHost = async (host) => {
      asked.push(host);
      return [{ address: addresses.shift() ?? '10.0.0.2', family: 4 }];
    };
    expect(await fetchKeys(local(issuer), { resolveHost })).toMatchObject({ jwks: [{ kid: 'one' }] });
    expect(asked).toEqual(['localhost', 'localhost']);
    expect(await fetchKeys(local(issuer), { resolveHost })).toEqual({ failure: 'address_not_public' });
    expect(requests).toHaveLength(2);
  });

  test('are not fetched when the second resolution of the same name is private', async () => {
    const { issuer, url, requests } = await serveIssuer({
      discovery: (of) => ({ issuer: local(of), jwks_uri: `${local(of)}/jwks` }),
    });
    const local = (of: string) => of.replace('127.0.0.1', 'localhost');
    const addresses = ['127.0.0.1', '169.254.169.254'];
    const resolveHost: ResolveHost = async () => [{ address: addresses.shift() ?? '', family: 4 }];
    expect(await fetchKeys(local(url), { resolveHost })).toEqual({ failure: 'address_not_public' });
    expect(issuer).toBe(url);
    expect(requests).toHaveLength(1);
  });

  test.each([301, 302, 303, 307, 308])('are not fetched through a redirect with status %i', async (status) => {
    const target = await serveIssuer();
    const sendDiscovery: Send = (response) =>
      response.writeHead(status, { location: `${target.url}/.well-known/openid-configuration` }).end();
    const sendKeys: Send = (response) => response.writeHead(status, { location: `${target.url}/jwks` }).end();
    const redirected = { failure: 'redirected' };
    expect(await fetchKeys((await serveIssuer({ sendDiscovery })).issuer)).toEqual(redirected);
    expect(await fetchKeys((await serveIssuer({ sendKeys })).issuer)).toEqual(redirected);
    expect(target.requests).toEqual([]);
  });

  test.each([
    'http://keys.example.org/jwks',
    'https://user@keys.example.org/jwks',
    'https://keys.example.org/jwks?of=tides',
    'https://keys.example.org/%2e%2e/jwks',
    'https://10.0.0.7/jwks',
    'https://[::1]/jwks',
    'https://metadata/jwks',
    'file:///etc/passwd',
    'data:application/json,{"keys":[]}',
    '/jwks',
    '',
  ])('are not fetched from %j', async (jwks_uri) => {
    const { issuer, requests } = await serveIssuer({ discovery: (url) => ({ issuer: url, jwks_uri }) });
    expect(await fetchKeys(issuer)).toEqual({ failure: 'keys_url_refused' });
    expect(requests).toHaveLength(1);
  });

  test.each<[string, (url: string) => string]>([
    ['another host', () => 'https://ci.example.org'],
    ['a slash more', (url) => `${url}/`],
    ['another case', (url) => url.replace('http', 'HTTP')],
    ['a path more', (url) => `${url}/tides`],
    ['a space more', (url) => `${url} `],
  ])('are refused when the document names %s', async (_, named) => {
    const { issuer } = await serveIssuer({ discovery: (url) => ({ issuer: named(url), jwks_uri: `${url}/jwks` }) });
    expect(await fetchKeys(issuer)).toEqual({ failure: 'other_issuer' });
  });

  const malformed: [string, Answer][] = [
    ['nothing', ''],
    ['a page', '<html></html>'],
    ['null', 'null'],
    ['a list', '[]'],
    ['a number', '7'],
    ['half a document', '{"issuer":'],
    ['a deep list', '['.repeat(60_000)],
    ['a deep document', `${'{"keys":'.repeat(6000)}7${'}'.repeat(6000)}`],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00, 0x7b])],
    ['a compressed document', gzipSync('{"keys":[]}')],
    ['other types', { issuer: 7, jwks_uri: ['https://keys.example.org'], keys: 'all' }],
  ];
  test.each(malformed)('are refused when the issuer publishes %s', async (_, answer) => {
    const refused = { failure: 'not_a_document' };
    expect(await fetchKeys((await serveIssuer({ discovery: () => answer })).issuer)).toEqual(refused);
    expect(await fetchKeys((await serveIssuer({ keys: () => answer })).issuer)).toEqual(refused);
  });

  test.each([201, 204, 400, 401, 403, 404, 429, 500, 503])('are refused with status %i', async (status) => {
    const answer: Send = (response) => response.writeHead(status).end();
    expect(await fetchKeys((await serveIssuer({ sendDiscovery: answer })).issuer)).toEqual({
      failure: 'status_refused',
    });
    expect(await fetchKeys((await serveIssuer({ sendKeys: answer })).issuer)).toEqual({ failure: 'status_refused' });
  });

  const endless: Send = (response) => {
    const more = () => {
      while (!response.destroyed && response.write(' '.repeat(8192)));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  };
  test.each<[string, Send]>([
    ['without an end', endless],
    ['of one byte too many', (response) => response.end(' '.repeat(64 * 1024 + 1))],
  ])('are refused in an answer %s', async (_, answer) => {
    const refused = { failure: 'answer_too_large' };
    expect(await fetchKeys((await serveIssuer({ sendDiscovery: answer })).issuer)).toEqual(refused);
    expect(await fetchKeys((await serveIssuer({ sendKeys: answer })).issuer)).toEqual(refused);
  });

  test('are accepted in an answer of 64 KiB', async () => {
    const document = JSON.stringify({ keys: [oneKey] });
    const { issuer } = await serveIssuer({ keys: () => document.padEnd(64 * 1024) });
    expect(await fetchKeys(issuer)).toMatchObject({ jwks: [{ kid: 'one' }] });
  });

  const trickle: Send = (response) => {
    const timer = setInterval(() => response.write(' '), 20);
    response.once('close', () => clearInterval(timer));
  };
  test.each<[string, Send]>([
    ['never answers', () => undefined],
    ['never ends its answer', (response) => response.write('{')],
    ['sends one byte after the other', trickle],
  ])('are refused when the issuer %s', async (_, answer) => {
    const options = { timeoutMs: 150 };
    expect(await fetchKeys((await serveIssuer({ sendDiscovery: answer })).issuer, options)).toEqual({
      failure: 'timed_out',
    });
    expect(await fetchKeys((await serveIssuer({ sendKeys: answer })).issuer, options)).toEqual({
      failure: 'timed_out',
    });
  });

  test('are refused when the name never resolves or is unknown', async () => {
    const never: ResolveHost = () => new Promise(() => undefined);
    const of = (resolveHost: ResolveHost) => fetchKeys('https://ci.example.org', { resolveHost, timeoutMs: 100 });
    expect([await of(never), await of(unreached), await of(resolving())]).toEqual([
      { failure: 'timed_out' },
      { failure: 'name_not_found' },
      { failure: 'name_not_found' },
    ]);
  });

  test('are refused from a host that ends the connection, speaks another protocol, or sends endless headers', async () => {
    const speaking = async (text: string | undefined) => {
      const server = createTcpServer((socket) => {
        onTestFinished(() => void socket.destroy());
        socket.on('error', () => undefined);
        if (text === undefined) socket.destroy();
        else socket.end(text);
      });
      return fetchKeys(`http://127.0.0.1:${await listen(server)}`);
    };
    expect(await speaking(undefined)).toEqual({ failure: 'no_connection' });
    expect(await speaking('SSH-2.0-teapot\r\n')).toEqual({ failure: 'not_a_document' });
    expect(await speaking(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(20_000)}`)).toEqual({ failure: 'not_a_document' });
    expect(await speaking('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{}')).toEqual({ failure: 'no_connection' });
  });

  test('are refused from a host with an untrusted certificate', async () => {
    const { key: privateKey, certificate: cert } = await openLocalCertificate(undefined, Date.now);
    const port = await listen(createSecureServer({ key: privateKey, cert }, (_, response) => response.end('{}')));
    const refused = { failure: 'certificate_invalid' };
    expect(await fetchKeys(`https://localhost:${port}`, { resolveHost: resolving('127.0.0.1') })).toEqual(refused);
  });

  test('are at least one and at most twenty', async () => {
    const published = async (keys: object[]) => fetchKeys((await serveIssuer({ keys: () => ({ keys }) })).issuer);
    const many = Array.from({ length: 21 }, (_, number) => key(`key-${number}`));
    const unusable = { ...oneKey, use: 'enc' };
    expect(await published([])).toEqual({ failure: 'no_usable_key' });
    expect(await published([unusable, { kty: 'oct', k: 'c2VjcmV0', kid: 'one' }])).toEqual({
      failure: 'no_usable_key',
    });
    expect(await published(many)).toEqual({ failure: 'too_many_keys' });
    expect(await published([...many.slice(1), unusable])).toMatchObject({ jwks: { length: 20 } });
  });

  test.each(['http://ci.example.org', 'https://10.0.0.1', 'https://ci.example.org/../'])(
    'are never fetched for %s, which no account can register',
    async (issuer) => {
      await expect(fetchKeys(issuer)).rejects.toThrow('not the URL of an issuer');
    },
  );
});
