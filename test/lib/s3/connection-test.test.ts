import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { PutBucketVersioningCommand } from '@aws-sdk/client-s3';
import { expect, onTestFinished, test } from 'vitest';
import type { DataConnection } from '../../../lib/domain/data/data-connections.ts';
import { systemRandom } from '../../../lib/lambda/random.ts';
import { findFreePort } from '../../../lib/local/ports.ts';
import { openProbe, type ProbeAnswer, type ResolveHost } from '../../../lib/s3/connection-test/probe.ts';
import { type ConnectionTester, testConnection } from '../../../lib/s3/connection-test/test-connection.ts';
import { isPublicAddress } from '../../../lib/s3/public-addresses.ts';
import { bucket, credentials, openStore } from '../local/s3/open-store.ts';

const authentication = {
  type: 's3_access_key',
  access_key_id: 'AKIDOFTEST',
  secret_access_key: 'the-secret-of-the-storage',
} as const;

const connection = (
  endpoint: string | undefined,
  changes: Partial<DataConnection> = {},
): Parameters<typeof testConnection>[0] => ({
  data_connection_id: 'tested',
  name: 'Tested',
  uid: 'uid',
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

const defaults: ConnectionTester = {
  resolveHost: unreached,
  assumeRole: () => Promise.reject(new Error('no role is assumed')),
  deploymentId: 'test',
  allowsLoopbackEndpoints: true,
  clock: Date.now,
  random: systemRandom,
};

async function codesOf(
  one: Parameters<typeof testConnection>[0],
  { access = 'read', ...changes }: Partial<ConnectionTester> & { access?: 'read' | 'read_write' } = {},
): Promise<Record<string, string>> {
  const checks = await testConnection(one, access, { ...defaults, ...changes });
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
const tcpServer = (answer: (socket: Socket) => unknown) =>
  listening(
    createTcpServer((socket) => {
      onTestFinished(() => void socket.destroy());
      answer(socket.on('error', () => {}));
    }),
  );
const beginning: RequestListener = (_, response) => void response.write('<ListBucketResult>');
/** Time limits of milliseconds in place of seconds. */
const timeouts = { wholeMs: 200, requestMs: 100 };

const list = (key: string) => `<ListBucketResult><Contents><Key>${key}</Key></Contents></ListBucketResult>`;
const error = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code><Message>a teapot</Message></Error>`;

/** Returns a storage that answers each HEAD with 403, and every other request with `answer`. */
const afterHead =
  (answer: RequestListener): RequestListener =>
  (request, response) => {
    if (request.method === 'HEAD') response.writeHead(403).end();
    else answer(request, response);
  };

const publicAddresses = ['8.8.8.8', '172.15.255.255', '2a00:1450:4001:800::200e'];
const otherAddresses = `0.0.0.0 10.1.2.3 100.100.100.200 127.0.0.1 169.254.169.254 172.31.255.255 192.168.1.1 198.19.0.1
  224.0.0.1 255.255.255.255 :: ::1 ::ffff:8.8.8.8 64:ff9b::a9fe:a9fe 2001:db8::1 2002:a9fe:a9fe::1 fd00:ec2::254 fe80::1
  ff02::1`.split(/\s+/);

test.each([...publicAddresses, ...otherAddresses])('the IP address %s is public or not', (address) => {
  expect(isPublicAddress(address)).toBe(publicAddresses.includes(address));
});

test.each([
  ['private', ['10.0.0.7']],
  ['metadata', ['169.254.169.254']],
  ['local', ['127.0.0.1']],
  ['public and private', ['8.8.8.8', '192.168.0.1']],
])('a host name with a %s IP address is refused, also when loopback is allowed', async (_, addresses) => {
  for (const allowsLoopbackEndpoints of [true, false]) {
    const codes = await codesOf(connection('https://storage.example.org'), {
      resolveHost: async () => addresses.map((address) => ({ address, family: 4 })),
      allowsLoopbackEndpoints,
    });
    const { address, ...others } = codes;
    expect([address, new Set(Object.values(others))]).toEqual(['address_not_public', new Set(['earlier_failed'])]);
  }
});

test('an IP address in the endpoint is checked like that of a name', async () => {
  const url = await storage(afterHead((_, response) => response.end(list('base/one'))));
  for (const endpoint of [url, 'https://[::1]:9000']) {
    const codes = await codesOf(connection(endpoint), { allowsLoopbackEndpoints: false });
    expect(codes).toMatchObject({ address: 'address_not_public' });
  }
  expect(await codesOf(connection(url))).toMatchObject({ address: 'ok', list: 'ok' });
});

test('a name is resolved once, and all requests go to that address', async () => {
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
])('a refusal %s of the storage maps to our code', async (code, status, expected) => {
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
])('a storage that answers %s fails the test without its own text', async (_, answer, expected) => {
  expect(await codesOf(connection(await storage(afterHead(answer))))).toMatchObject(expected);
});

test('the test reads only the beginning of a large object', async () => {
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

test('a redirect is never followed', async () => {
  let followed = 0;
  const target = await storage((_, response) => {
    followed += 1;
    response.end(list('base/one'));
  });
  const always: RequestListener = (_, response) =>
    response.writeHead(302, { location: target, 'x-amz-bucket-region': 'eu-west-1' }).end();
  const redirected = { reach: 'redirected', list: 'earlier_failed' };
  expect(await codesOf(connection(await storage(always)))).toMatchObject(redirected);
  expect(await codesOf(connection(await storage(afterHead(always))))).toMatchObject({ list: 'redirected' });
  expect(followed).toBe(0);
});

test.each([
  [301, 'eu-central-1', { reach: 'ok', region: 'region_differs', list: 'earlier_failed' }],
  [301, undefined, { reach: 'redirected', region: 'earlier_failed' }],
  [403, 'eu-west-1', { reach: 'ok', region: 'ok', list: 'storage_failed' }],
  [404, undefined, { reach: 'bucket_not_found' }],
])('S3 itself that answers %i for a bucket in %s', async (status, bucketRegion, expected) => {
  const answers: ProbeAnswer[] = [{ kind: 'answer', status, bucketRegion, text: '' }];
  const failed: ProbeAnswer = { kind: 'answer', status: 500, bucketRegion, text: '' };
  const open = async () => async () => answers.shift() ?? failed;
  expect(await codesOf(connection(undefined), { open })).toMatchObject(expected);
});

test.each<[string, () => Promise<Parameters<typeof testConnection>[0]>, object]>([
  [
    'is not HTTP',
    async () => connection(await tcpServer((socket) => socket.end('a teapot\r\n\r\n'))),
    { reach: 'not_s3' },
  ],
  ['is closed', async () => connection(`http://127.0.0.1:${await findFreePort()}`), { reach: 'no_connection' }],
  ['has no address', async () => connection('https://storage.example.org'), { address: 'name_not_found' }],
  ['never answers', async () => connection(await tcpServer(() => {})), { reach: 'timed_out', list: 'earlier_failed' }],
  ['never ends its answer', async () => connection(await storage(afterHead(beginning))), { list: 'timed_out' }],
])('a storage that %s ends the test in time', async (_, open, expected) => {
  expect(await codesOf(await open(), { timeouts })).toMatchObject(expected);
});

test('a name server that never answers ends the test in time', async () => {
  const resolveHost: ResolveHost = () => new Promise(() => {});
  const codes = await codesOf(connection('https://storage.example.org'), { resolveHost, timeouts });
  expect(codes).toMatchObject({ address: 'timed_out' });
});

test('the test deletes its object also when the write had no answer, and names an object that it cannot delete', async () => {
  const seen: string[] = [];
  const deaf = await storage(
    afterHead((request, response) => {
      seen.push(`${request.method} ${request.url?.replace(/[0-9a-f]{8}-[0-9a-f-]{27}.*/, 'id')}`);
      if (request.method === 'PUT') return response.destroy();
      if (request.method === 'DELETE') return response.writeHead(403).end(error('AccessDenied'));
      response.end('<ListBucketResult/>');
    }),
  );
  const checks = await testConnection(connection(deaf), 'read_write', defaults);
  expect(seen.slice(-1)).toEqual(['DELETE /some-bucket/base/_sluice-test-id']);
  const told = Object.fromEntries(checks.map((each) => [each.check, each]));
  expect(told).toMatchObject({ write: { code: 'no_connection' }, delete: { code: 'access_denied' } });
  expect(told['delete']?.message).toMatch(/base\/_sluice-test-[0-9a-f-]{36} may be left/);
});

test('the first request has no signature, and all later ones have one', async () => {
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

test('a connection with a role gets only the unsigned request', async () => {
  const seen: (string | undefined)[] = [];
  const url = await storage((request, response) => {
    seen.push(request.method, request.headers.authorization);
    response.writeHead(403).end();
  });
  const role = { type: 's3_assume_role', role_arn: 'arn:aws:iam::111122223333:role/store', external_id: 'x1' } as const;
  const codes = await codesOf(connection(url, { authentication: role }), { access: 'read_write' });
  const { address, reach, region, ...others } = codes;
  expect([address, reach, region]).toEqual(['ok', 'ok', 'not_told']);
  expect(Object.values(others)).toEqual(Array(4).fill('role_of_the_proxy'));
  expect(seen).toEqual(['HEAD', undefined]);
});

test.each<['Enabled' | undefined, refused: RegExp | undefined, told: string]>([
  ['Enabled', undefined, 'Versions of repositories can be created.'],
  [undefined, undefined, 'because the bucket has no object versioning'],
  ['Enabled', /[?&]versions/, 'allow s3:ListBucketVersions and s3:GetObjectVersion'],
  ['Enabled', /versionId=/, 'allow s3:ListBucketVersions and s3:GetObjectVersion'],
])(
  'with versioning %s, and requests like %s refused, the check of reading says what versions need',
  async (Status, refused, told) => {
    const store = await openStore();
    onTestFinished(() => store.close());
    const { access_key_id, secret_access_key } = credentials;
    if (Status !== undefined)
      await store.s3.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status } }));
    const { host } = new URL(store.store.url);
    const tested = connection(store.store.url, {
      details: { provider: 's3', bucket, base_prefix: 'base/', region: 'us-east-1', endpoint: store.store.url },
      authentication: { type: 's3_access_key', access_key_id, secret_access_key },
    });
    const open: typeof openProbe = async (...args) => {
      const probe = await openProbe(...args);
      if (typeof probe === 'string') throw new Error(probe);
      return async (request, ...more) =>
        refused?.test(`?${request.rawQuery}`)
          ? { kind: 'answer', status: 403, text: error('AccessDenied'), bucketRegion: undefined }
          : probe(request, ...more);
    };
    const checks = await testConnection(tested, 'read_write', {
      ...defaults,
      open,
      resolveHost: async () => [{ address: host.split(':')[0] ?? '', family: 4 }],
    });
    expect(checks.filter(({ state }) => state === 'failed')).toEqual([]);
    expect(checks.find(({ check }) => check === 'read')?.message).toContain(told);
  },
);
