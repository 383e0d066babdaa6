import { describe, expect, test } from 'vitest';
import { checkConnection } from '../../../lib/domain/data/connection-rules.ts';
import { expandPrefixTemplate } from '../../../lib/domain/data/data-connections.ts';
import { createDataConnection } from '../../../lib/operations/data-connections.ts';
import { connection } from '../users.ts';

const others = { allowsAccountLoopbackEndpoints: false, deploymentHosts: () => [] };

/** Returns the paths that the schema refuses. The list is empty for a valid connection. */
function faultsOf(changes: Record<string, unknown>): string[] {
  const parsed = createDataConnection.body.safeParse({ ...connection('store-one'), ...changes });
  return parsed.success ? [] : [...new Set(parsed.error.issues.map(({ path }) => path.join('.')))];
}

const details = (changes: Record<string, unknown>) => ({ details: { ...connection('store-one').details, ...changes } });

describe('a bucket name', () => {
  test.each(['abc', 'a'.repeat(63), 'my.bucket-1', '0bucket9', '1.2.3.4.5', '1.2.3'])('accepts %s', (bucket) =>
    expect(faultsOf(details({ bucket }))).toEqual([]),
  );

  test.each([
    'ab',
    'a'.repeat(64),
    'My-bucket',
    'my_bucket',
    '-bucket',
    'bucket-',
    '.bucket',
    'bucket.',
    'my..bucket',
    '192.168.5.4',
    'my bucket',
    'my/bucket',
    'bücket',
    'bucket?x',
    'bucket#',
    'bucket@host',
    'bucket\n',
    'reports-hrzrlukc5m36ft7okagglf3gmwluquse1b-s3alias',
    'reports-hrzrlukc5m36ft7okagglf3gmwluquse1b--ol-s3',
    'reports-hrzrlukc5m36ft7okagglf3gmwluquse1b--op-s3',
    'reports--use1-az4--x-s3',
    'mfzwi23gnjvgw.mrap',
    '',
    null,
  ])('refuses %s', (bucket) => expect(faultsOf(details({ bucket }))).toEqual(['details.bucket']));
});

describe('a role to assume', () => {
  const role = (changes: Record<string, unknown>) => ({
    authentication: {
      type: 's3_assume_role',
      role_arn: 'arn:aws:iam::111122223333:role/sluice-storage',
      external_id: 'sluice-1',
      ...changes,
    },
  });

  test.each([
    {},
    { role_arn: 'arn:aws-cn:iam::111122223333:role/path/to/role_1' },
    { role_arn: 'arn:aws-us-gov:iam::111122223333:role/a' },
    { external_id: 'a:b/c=d,e.f@g-h+i_' },
  ])('accepts %j', (changes) => expect(faultsOf(role(changes))).toEqual([]));

  test.each([
    ['role_arn', 'arn:aws:iam::111122223333:role/*'],
    ['role_arn', 'arn:aws:iam::111122223333:user/somebody'],
    ['role_arn', 'arn:aws:iam::1111:role/a'],
    ['role_arn', 'arn:aws:sts::111122223333:assumed-role/a/b'],
    ['role_arn', 'arn:other:iam::111122223333:role/a'],
    ['role_arn', 'arn:aws:iam::111122223333:role/a\n'],
    ['role_arn', undefined],
    ['external_id', 'a'],
    ['external_id', 'a b'],
    ['external_id', 'a'.repeat(1225)],
    ['external_id', undefined],
  ])('refuses the %s %j', (field, value) =>
    expect(faultsOf(role({ [field]: value }))).toEqual([`authentication.${field}`]),
  );

  test('has no secret, and the other types of credentials have no role', () => {
    expect(faultsOf(role({ secret_access_key: 'x' }))).toEqual(['authentication']);
    expect(faultsOf(role({ type: 's3_other' }))).toEqual(['authentication.type']);
  });
});

describe('a region', () => {
  test.each(['eu-west-1', 'us-gov-west-1', 'auto', 'nyc3', 'fr-par', 'GRA', 'us-west-004', 'hel1', 'a'.repeat(64)])(
    'accepts %s as text; it must be a region of AWS if the connection has no endpoint',
    (region) => expect(faultsOf(details({ region }))).toEqual([]),
  );

  test.each(['', 'eu-west-1.evil.example', 'eu-west-1/', 'eu west 1', 'eu-west-1\n', 'a'.repeat(65), 'é'])(
    'refuses %s',
    (region) => expect(faultsOf(details({ region }))).toEqual(['details.region']),
  );
});

describe('a base prefix', () => {
  test.each(['', 'data/', 'a/b/c/', 'v1.0/year=2030/', '.hidden/', '.../'])('accepts "%s"', (base_prefix) =>
    expect(faultsOf(details({ base_prefix }))).toEqual([]),
  );

  test.each([
    'data',
    '/',
    '/data/',
    'a//b/',
    './',
    '../',
    'a/../b/',
    'a/./',
    'a b/',
    'a%2F/',
    'ü/',
    'a\\b/',
    `${'a'.repeat(512)}/`,
  ])('refuses "%s"', (base_prefix) => expect(faultsOf(details({ base_prefix }))).toEqual(['details.base_prefix']));
});

describe('a prefix template', () => {
  const [account, repository] = ['{{repository.account_id}}', '{{repository.repository_id}}'];

  test.each([
    [`${account}/${repository}/`, 'tides/gauges/'],
    [`${repository}/${account}/`, 'gauges/tides/'],
    [`v1/${account}/data/${repository}/latest/`, 'v1/tides/data/gauges/latest/'],
    [undefined, 'tides/gauges/'],
  ])('%s creates the prefix %s', (prefix_template, prefix) => {
    expect(faultsOf({ prefix_template })).toEqual([]);
    expect(expandPrefixTemplate(prefix_template, { account_id: 'tides', repository_id: 'gauges' })).toBe(prefix);
  });

  test.each([
    ['without the account', `${repository}/`],
    ['without the repository', `${account}/`],
    ['without its last slash', `${account}/${repository}`],
    ['with a slash first', `/${account}/${repository}/`],
    ['with two slashes', `${account}//${repository}/`],
    ['with a placeholder as part of a segment', `x-${account}/${repository}/`],
    ['with both in one segment', `${account}-${repository}/`],
    ['with one twice', `${account}/${account}/${repository}/`],
    ['with an unknown placeholder', `${account}/${repository}/{{repository.state}}/`],
    ['with a placeholder spelt otherwise', `{{ repository.account_id }}/${repository}/`],
    ['with dots', `${account}/../${repository}/`],
    ['with a space', `a b/${account}/${repository}/`],
    ['on the port of http', 'https://storage.example.org:80'],
    ['that is empty', ''],
    ['that is too long', `${'a'.repeat(512)}/${account}/${repository}/`],
  ])('refuses %s', (_, prefix_template) => expect(faultsOf({ prefix_template })).toEqual(['prefix_template']));
});

describe('credentials', () => {
  const authentication = (changes: object) => ({
    authentication: { ...connection('store-one').authentication, ...changes },
  });

  test.each([
    ['of an unknown type', { type: 'password' }, 'authentication.type'],
    ['without an ID', { access_key_id: '' }, 'authentication.access_key_id'],
    ['with a line feed in the ID', { access_key_id: 'AK\nID' }, 'authentication.access_key_id'],
    ['with a space in the secret', { secret_access_key: 'a b' }, 'authentication.secret_access_key'],
    ['with more than an ID and a secret', { session_token: 'x' }, 'authentication'],
  ])('%s are refused', (_, changes, path) => expect(faultsOf(authentication(changes))).toEqual([path]));
});

/** Returns the refused paths in a deployment, or on one machine. */
function refusedFields(changes: Record<string, unknown>, allowsLoopbackEndpoints: boolean): string[] {
  const given = createDataConnection.body.parse({ ...connection('store-one'), ...changes });
  try {
    checkConnection(given, { allowsLoopbackEndpoints, ...others });
    return [];
  } catch (error) {
    return (error as { faults: { path: string }[] }).faults.map(({ path }) => path);
  }
}

test.each(['auto', 'nyc3', 'eu-west', 'EU-WEST-1', 'eu-west-123'])(
  'refuses the region %s without an endpoint, since AWS has no region of that name',
  (region) => {
    expect(refusedFields(details({ region }), false)).toEqual(['details.region']);
    expect(refusedFields(details({ region, endpoint: 'https://store.example.com' }), false)).toEqual([]);
  },
);

describe('an endpoint', () => {
  test.each([
    'https://storage.example.org',
    'https://storage.example.org/',
    'https://s3.example.org:9000',
    'https://STORAGE.example.org',
  ])('accepts %s in a deployment and on one machine', (endpoint) => {
    expect(refusedFields(details({ endpoint }), false)).toEqual([]);
    expect(refusedFields(details({ endpoint }), true)).toEqual([]);
  });

  test.each([
    'http://127.0.0.1:9000',
    'https://127.0.0.1',
    'http://localhost:9000',
    'http://127.9.9.9',
    'http://[::1]:9000',
    'http://2130706433',
    'http://0x7f000001',
    'http://0177.0.0.1',
    'http://127.1',
  ])('accepts %s, which is this machine, only in local mode', (endpoint) => {
    expect(refusedFields(details({ endpoint }), false)).toEqual(['details.endpoint']);
    expect(refusedFields(details({ endpoint }), true)).toEqual([]);
  });

  test.each([
    ['over http', 'http://storage.example.org'],
    ['of another protocol', 'ftp://storage.example.org'],
    ['of another protocol on this machine', 'ftp://localhost'],
    ['of a made-up protocol on this machine', 'gopher://localhost/'],
    ['in a file', 'file:///etc/passwd'],
    ['at the metadata address', 'http://169.254.169.254'],
    ['at the metadata address over https', 'https://169.254.169.254'],
    ['at the metadata address in decimal', 'https://2852039166'],
    ['at the metadata address in hexadecimal', 'https://0xa9fea9fe'],
    ['at the metadata address in octal', 'https://0251.0376.0251.0376'],
    ['at the metadata address with a dot behind', 'https://169.254.169.254.'],
    ['at the metadata address in full-width digits', 'https://１６９.254.169.254'],
    ['at the metadata address in IPv6', 'https://[::ffff:169.254.169.254]'],
    ['at the metadata address of containers', 'https://169.254.170.2'],
    ['at the IPv6 metadata address', 'https://[fd00:ec2::254]'],
    ['at a link-local address', 'https://[fe80::1]'],
    ['at any address', 'https://0.0.0.0'],
    ['at any address, short', 'https://0'],
    ['in a private network', 'https://10.0.0.1'],
    ['at a public address without a name', 'https://1.1.1.1'],
    ['at this machine by a name of its zone', 'https://store.localhost'],
    ['at this machine with a dot behind', 'https://localhost.'],
    ['inside a cloud', 'https://metadata.google.internal'],
    ['inside a cloud with a dot behind', 'https://metadata.google.internal.'],
    ['in the local network', 'https://printer.local'],
    ['with a name of one label', 'https://intranet'],
    ['with a name of one label and a dot', 'https://intranet.'],
    ['with a user', 'https://user@storage.example.org'],
    ['with a password', 'https://user:pass@storage.example.org'],
    ['with a path', 'https://storage.example.org/bucket'],
    ['with a query', 'https://storage.example.org?x=1'],
    ['with a fragment', 'https://storage.example.org#x'],
    ['without a host', 'https://'],
    ['without a scheme', 'storage.example.org'],
    ['on a port that CloudFront does not connect to', 'https://storage.example.org:22'],
    ['on the port of http', 'https://storage.example.org:80'],
    ['with the name of a bucket at S3', 'https://victim.s3.eu-west-1.amazonaws.com'],
    ['with the name of a bucket at S3 in Europe', 'https://victim.s3.eusc-de-east-1.amazonaws.eu'],
    ['of an accelerated bucket', 'https://victim.s3-accelerate.amazonaws.com'],
    ['of an access point', 'https://point-111122223333.s3-accesspoint.eu-west-1.amazonaws.com'],
    ['of another service of AWS', 'https://sts.eu-west-1.amazonaws.com'],
    ['that is empty', ''],
  ])('refuses %s in a deployment and on one machine', (_, endpoint) => {
    expect(refusedFields(details({ endpoint }), false)).toEqual(['details.endpoint']);
    expect(refusedFields(details({ endpoint }), true)).toEqual(['details.endpoint']);
  });
});

test('a connection without credentials is read-only', () => {
  const open = { authentication: undefined, read_only: false };
  expect(refusedFields(open, false)).toEqual(['read_only']);
  expect(refusedFields({ ...open, read_only: true }, false)).toEqual([]);
});
