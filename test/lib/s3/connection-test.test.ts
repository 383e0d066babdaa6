import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { DataConnection } from '../../../lib/domain/data/data-connections.ts';
import { systemRandom } from '../../../lib/lambda/random.ts';
import type { ResolveHost } from '../../../lib/s3/connection-test/probe.ts';
import { isPublicAddress } from '../../../lib/s3/connection-test/public-addresses.ts';
import { testConnection } from '../../../lib/s3/connection-test/test-connection.ts';

const authentication = {
  type: 's3_access_key',
  access_key_id: 'AKIDOFTEST',
  secret_access_key: 'the-secret-of-the-storage',
} as const;

const connection = (endpoint: string | undefined, changes: Partial<DataConnection> = {}): DataConnection => ({
  data_connection_id: 'tested',
  name: 'Tested',
  read_only: false,
  allowed_data_modes: ['open'],
  details: {
    provider: 's3',
    bucket: 'some-bucket',
    base_prefix: 'base/',
    region: 'eu-west-1',
    ...(endpoint && { endpoint }),
  },
  authentication,
  ...changes,
});

const unreached: ResolveHost = (host) => Promise.reject(new Error(`nobody asked for ${host}`));

async function codesOf(
  one: DataConnection,
  { resolveHost = unreached, allowsLoopbackEndpoints = true, access = 'read' as 'read' | 'read_write' } = {},
): Promise<Record<string, string>> {
  const checks = await testConnection(one, access, {
    resolveHost,
    allowsLoopbackEndpoints,
    clock: Date.now,
    random: systemRandom,
  });
  expect(JSON.stringify(checks)).not.toMatch(/AKIDOFTEST|the-secret|teapot/);
  return Object.fromEntries(checks.map(({ check, code }) => [check, code]));
}

async function listening(server: Server, host = '127.0.0.1'): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, host, resolve);
  await promise;
  onTestFinished(() => void server.close());
  return `http://${host}:${(server.address() as AddressInfo).port}`;
}

const storage = (answer: RequestListener) => listening(createServer(answer));

const list = (key: string) => `<ListBucketResult><Contents><Key>${key}</Key></Contents></ListBucketResult>`;
const error = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code><Message>a teapot</Message></Error>`;

/** Returns a storage that answers the first HEAD, and every later request as given. */
const afterHead =
  (answer: RequestListener): RequestListener =>
  (request, response) => {
    if (request.method === 'HEAD') response.writeHead(403).end();
    else answer(request, response);
  };

test.each([
  ['0.0.0.0', false],
  ['8.8.8.8', true],
  ['10.1.2.3', false],
  ['100.100.100.200', false],
  ['127.0.0.1', false],
  ['169.254.169.254', false],
  ['172.15.255.255', true],
  ['172.31.255.255', false],
  ['192.168.1.1', false],
  ['198.19.0.1', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['2a00:1450:4001:800::200e', true],
  ['::', false],
  ['::1', false],
  ['::ffff:8.8.8.8', false],
  ['64:ff9b::a9fe:a9fe', false],
  ['2001:db8::1', false],
  ['2002:a9fe:a9fe::1', false],
  ['fd00:ec2::254', false],
  ['fe80::1', false],
  ['ff02::1', false],
])('the address %s is public: %s', (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic);
});

test.each([
  ['private', [{ address: '10.0.0.7', family: 4 }]],
  ['of the metadata', [{ address: '169.254.169.254', family: 4 }]],
  ['of this machine', [{ address: '127.0.0.1', family: 4 }]],
  [
    'public and private at once',
    [
      { address: '8.8.8.8', family: 4 },
      { address: '192.168.0.1', family: 4 },
    ],
  ],
])('a name that leads to an address that is %s is refused, also where loopback is allowed', async (_, addresses) => {
  for (const allowsLoopbackEndpoints of [true, false]) {
    const codes = await codesOf(connection('https://storage.example.org'), {
      resolveHost: async () => addresses,
      allowsLoopbackEndpoints,
    });
    expect(codes).toEqual({
      address: 'address_not_public',
      reach: 'earlier_failed',
      region: 'earlier_failed',
      list: 'earlier_failed',
      write: 'earlier_failed',
      read: 'earlier_failed',
      delete: 'earlier_failed',
    });
  }
});

test('an address in the endpoint itself is looked at like that of a name', async () => {
  const url = await storage(afterHead((_, response) => response.end(list('base/one'))));
  expect(await codesOf(connection(url), { allowsLoopbackEndpoints: false })).toMatchObject({
    address: 'address_not_public',
  });
  expect(await codesOf(connection('https://[::1]:9000'), { allowsLoopbackEndpoints: false })).toMatchObject({
    address: 'address_not_public',
  });
  expect(await codesOf(connection(url))).toMatchObject({ address: 'ok', list: 'ok' });
});

test('a name is resolved once, and what it led to then is connected to, whatever it leads to afterwards', async () => {
  const url = await listening(createServer(afterHead((_, response) => response.end(list('base/one')))), '127.0.0.2');
  const answers = [[{ address: '127.0.0.2', family: 4 }], [{ address: '10.0.0.1', family: 4 }]];
  const asked: string[] = [];
  const resolveHost: ResolveHost = async (host) => {
    asked.push(host);
    return answers.shift() ?? [];
  };
  const codes = await codesOf(connection(url.replace('127.0.0.2', 'localhost')), { resolveHost });
  expect(codes).toMatchObject({ address: 'ok', reach: 'ok', list: 'ok', read: 'ok' });
  expect(asked).toEqual(['localhost']);
});

test.each([
  ['AccessDenied', 403, { list: 'access_denied', region: 'not_told', read: 'earlier_failed' }],
  ['InvalidAccessKeyId', 403, { list: 'credentials_refused' }],
  ['SignatureDoesNotMatch', 403, { list: 'credentials_refused' }],
  ['AuthorizationHeaderMalformed', 400, { region: 'region_differs', list: 'region_differs', read: 'earlier_failed' }],
  ['NoSuchBucket', 404, { list: 'bucket_not_found' }],
  ['SlowDown', 503, { list: 'storage_failed' }],
  ['constructor', 403, { list: 'access_denied' }],
])('what the storage refuses with %s is told by a code of ours', async (code, status, expected) => {
  const url = await storage(afterHead((_, response) => response.writeHead(status).end(error(code))));
  expect(await codesOf(connection(url))).toMatchObject({ reach: 'ok', ...expected });
});

test.each<[string, RequestListener, object]>([
  ['a page', (_, response) => response.end('<html>a teapot</html>'), { list: 'not_s3' }],
  ['keys of another prefix', (_, response) => response.end(list('elsewhere/one')), { list: 'not_s3' }],
  ['keys that no request can name', (_, response) => response.end(list('base/../one')), { read: 'nothing_to_read' }],
  ['nothing', (_, response) => response.destroy(), { list: 'no_connection' }],
  [
    'a list that never ends',
    (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write('<Contents>'.repeat(6000)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    },
    { list: 'answer_too_large' },
  ],
])('a storage that answers %s is told of, and nothing of its own is passed on', async (_, answer, expected) => {
  expect(await codesOf(connection(await storage(afterHead(answer))))).toMatchObject(expected);
});

test('of a whole gigabyte under the key that is read only the beginning is taken', async () => {
  let sentBytes = 0;
  const url = await storage(
    afterHead((request, response) => {
      if (request.url?.includes('list-type')) return response.end(list('base/large'));
      response.writeHead(200, { 'content-length': 1024 ** 3 });
      const chunk = Buffer.alloc(65_536);
      const more = () => {
        while (!response.destroyed && sentBytes < 1024 ** 3) {
          sentBytes += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
      };
      more();
    }),
  );
  expect(await codesOf(connection(url))).toMatchObject({ list: 'ok', read: 'ok' });
  expect(sentBytes).toBeLessThan(64 * 1024 ** 2);
});

test('a redirect is not followed, whatever asks for it', async () => {
  let followed = 0;
  const target = await storage((_, response) => {
    followed += 1;
    response.end(list('base/one'));
  });
  const always: RequestListener = (_, response) => response.writeHead(302, { location: target }).end();
  expect(await codesOf(connection(await storage(always)))).toMatchObject({
    reach: 'redirected',
    list: 'earlier_failed',
  });
  expect(await codesOf(connection(await storage(afterHead(always))))).toMatchObject({ list: 'redirected' });
  expect(followed).toBe(0);
});

test('what is no HTTP, no connection, or no answer ends the test in its time', async () => {
  const noHttp = await listening(createTcpServer((socket) => socket.on('error', () => {}).end('a teapot\r\n\r\n')));
  expect(await codesOf(connection(noHttp))).toMatchObject({ reach: 'not_s3' });
  const closed = createTcpServer();
  const gone = await listening(closed);
  closed.close();
  expect(await codesOf(connection(gone))).toMatchObject({ reach: 'no_connection' });
  const open = new Set<{ destroy(): void }>();
  onTestFinished(() => open.forEach((socket) => void socket.destroy()));
  const silent = await listening(createTcpServer((socket) => void open.add(socket.on('error', () => {}))));
  const trickling = await storage(
    afterHead((_, response) => {
      response.write('<ListBucketResult>');
      open.add(response);
    }),
  );
  const hangs: ResolveHost = () => new Promise(() => {});
  const codes = await Promise.all([
    codesOf(connection(silent)),
    codesOf(connection(trickling)),
    codesOf(connection('https://storage.example.org'), { resolveHost: hangs }),
    codesOf(connection('https://storage.example.org')),
  ]);
  expect(codes).toMatchObject([
    { reach: 'timed_out', list: 'earlier_failed' },
    { reach: 'ok', list: 'timed_out' },
    { address: 'timed_out' },
    { address: 'name_not_found' },
  ]);
}, 30_000);

test('what was written without an answer is deleted all the same, and what is left is named', async () => {
  const seen: string[] = [];
  const deaf = await storage(
    afterHead((request, response) => {
      seen.push(`${request.method} ${request.url?.replace(/[0-9a-f]{8}-[0-9a-f-]{27}.*/, 'id')}`);
      if (request.method === 'PUT') return response.destroy();
      if (request.method === 'DELETE') return response.writeHead(403).end(error('AccessDenied'));
      response.end('<ListBucketResult/>');
    }),
  );
  const checks = await testConnection(connection(deaf), 'read_write', {
    resolveHost: unreached,
    allowsLoopbackEndpoints: true,
    clock: Date.now,
    random: systemRandom,
  });
  expect(seen.slice(-1)).toEqual(['DELETE /some-bucket/base/_sluice-test-id']);
  const told = Object.fromEntries(checks.map((each) => [each.check, each]));
  expect(told).toMatchObject({ write: { code: 'no_connection' }, delete: { code: 'access_denied' } });
  expect(told['delete']?.message).toMatch(/base\/_sluice-test-[0-9a-f-]{36} may be left/);
});

test('the way to the bucket is looked at without a signature, and everything after it with one', async () => {
  const seen: [method: string | undefined, isSigned: boolean][] = [];
  const url = await storage((request, response) => {
    seen.push([request.method, request.headers.authorization?.includes('AKIDOFTEST') === true]);
    response.end(request.method === 'HEAD' ? '' : list('base/one'));
  });
  await codesOf(connection(url));
  expect(seen).toEqual([
    ['HEAD', false],
    ['GET', true],
    ['GET', true],
  ]);
  seen.length = 0;
  await codesOf(connection(url, { authentication: undefined, read_only: true }));
  expect(seen.map(([, isSigned]) => isSigned)).toEqual([false, false, false]);
});

test('of a role that the data proxy alone assumes only the way to the bucket is tried, unsigned', async () => {
  const seen: (string | undefined)[] = [];
  const url = await storage((request, response) => {
    seen.push(request.method, request.headers.authorization);
    response.writeHead(403).end();
  });
  const role = { type: 's3_assume_role', role_arn: 'arn:aws:iam::111122223333:role/store', external_id: 'x1' } as const;
  const codes = await codesOf(connection(url, { authentication: role }), { access: 'read_write' });
  expect(codes).toEqual({
    address: 'ok',
    reach: 'ok',
    region: 'not_told',
    list: 'role_of_the_proxy',
    write: 'role_of_the_proxy',
    read: 'role_of_the_proxy',
    delete: 'role_of_the_proxy',
  });
  expect(seen).toEqual(['HEAD', undefined]);
});
