import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import { beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../../lib/domain/limits.ts';
import type { SecretVersion } from '../../../lib/domain/secrets/secret-versions.ts';
import { openSessionToken } from '../../../lib/domain/secrets/session-credentials.ts';
import { ExchangeSetup, type Issued, issuedBy, random, signedForm } from './exchange-setup.ts';

let setup: ExchangeSetup;
beforeEach(() => {
  setup = new ExchangeSetup();
});

const signedRequest = (credentials: Issued, body: string) => signedForm(credentials, body, { at: setup.now });

describe('with the longest names, issued credentials', () => {
  const longest = `${'o'.repeat(40)}--${'n'.repeat(40)}`;
  let issued: Issued;
  beforeEach(async () => {
    // Internal IDs are UUIDs, like the IDs of keys and workflows.
    const uid = random.uuid();
    setup.addServiceAccount({ service_account_id: longest, uid });
    const key = setup.addKey({ service_account_id: longest, service_account_uid: uid });
    const newest = { version: 2 ** 32 - 1, key: random.bytes(32), created_at: setup.now - 86_400_000 };
    setup.dependencies.sessionKeys = async () => [newest];
    const RoleArn = `arn:aws:iam::${longest}:role/FullAccess`;
    const fields = { WebIdentityToken: key, RoleArn, RoleSessionName: 's'.repeat(64), DurationSeconds: '43200' };
    issued = issuedBy(await setup.exchange(fields));
  });

  test('have a session token of less than 600 bytes, of letters, digits, - and _', () => {
    expect(issued.sessionToken.length).toBeLessThan(limits.sessionTokenBytesMax);
    expect(issued.sessionToken).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(issued.accessKeyId).toMatch(/^SCTA[A-Z2-7]{16}$/);
    // Some clients repeat the exchange until the secret contains only these characters.
    expect(issued.secretAccessKey).toMatch(/^[A-Za-z0-9]{40}$/);
  });

  const objectPath = `/${'o'.repeat(40)}/${'r'.repeat(40)}/${'%C3%A9'.repeat(491)}`;
  const s3 = (credentials: Issued) =>
    new SignatureV4({
      credentials,
      region: 'anywhere-1',
      service: 's3',
      sha256: Sha256,
      uriEscapePath: false,
      applyChecksum: true,
    });

  test('sign an upload with the longest key and all metadata that S3 allows, within the limits of CloudFront', async () => {
    const { headers } = await s3(issued).sign({
      method: 'PUT',
      protocol: 'https:',
      hostname: 'data.example.org',
      path: objectPath,
      headers: {
        host: 'data.example.org',
        'content-type': 'application/vnd.apache.parquet',
        'user-agent': 'u'.repeat(512),
        'x-amz-meta-all': 'm'.repeat(2048),
      },
    });
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    expect(`PUT ${objectPath} HTTP/1.1\r\n${lines.join('')}\r\n`.length).toBeLessThan(20_480);
    expect(JSON.stringify(headers)).toContain(issued.sessionToken);
  });

  test('presign the URL of the longest key within the limits of CloudFront', async () => {
    const { path, query } = await s3(issued).presign({
      method: 'GET',
      protocol: 'https:',
      hostname: 'data.example.org',
      path: objectPath,
      headers: { host: 'data.example.org' },
    });
    const url = `https://data.example.org${path}?${new URLSearchParams(query as Record<string, string>)}`;
    expect(url).toContain(issued.sessionToken);
    expect(url.length).toBeLessThan(8192);
  });
});

describe('the exchange refuses issued credentials', () => {
  test.each<keyof Issued>(['accessKeyId', 'secretAccessKey', 'sessionToken'])('as a token: the %s', async (part) => {
    const issued = issuedBy(await setup.exchange());
    setup.store.requests.length = 0;
    expect((await setup.exchange({ WebIdentityToken: issued[part] })).code).toBe('InvalidIdentityToken');
    expect(setup.store.requests).toEqual([]);
  });

  test.each([
    ['AssumeRole', 'InvalidAction'],
    ['GetSessionToken', 'InvalidAction'],
    ['GetFederationToken', 'InvalidAction'],
    ['AssumeRoleWithWebIdentity', 'ValidationError'],
  ])('in a signed request for %s', async (action, code) => {
    const issued = issuedBy(await setup.exchange());
    setup.store.requests.length = 0;
    const role = 'arn%3Aaws%3Aiam%3A%3Atide-institute--nightly-sync%3Arole%2FFullAccess';
    const body = `Action=${action}&Version=2011-06-15&RoleArn=${role}&RoleSessionName=again`;
    const answer = await setup.send(await signedRequest(issued, body));
    expect(answer.code).toBe(code);
    expect(setup.store.requests).toEqual([]);
  });
});

describe('a new version of the session key', () => {
  const minute = 60_000;
  const hour = 60 * minute;
  let first: SecretVersion;
  let second: SecretVersion;
  /** The secret versions that an instance has cached. Instances read them at different times. */
  let known: readonly SecretVersion[];
  beforeEach(() => {
    first = { version: 1, key: random.bytes(32), created_at: setup.now - 90 * 24 * hour };
    second = { version: 2, key: random.bytes(32), created_at: setup.now };
    known = [first, second];
    setup.dependencies.sessionKeys = async () => known;
  });

  const sealedUnder = ({ sessionToken }: Issued) => Buffer.from(sessionToken, 'base64url').readUInt32BE(0);
  const isOpened = ({ accessKeyId, sessionToken }: Issued, versions: readonly SecretVersion[]) =>
    openSessionToken(accessKeyId, sessionToken, versions, setup.now) !== undefined;
  const askWhoItIs = async (issued: Issued) =>
    (await setup.send(await signedRequest(issued, 'Action=GetCallerIdentity&Version=2011-06-15'))).status;

  test('is read ten minutes before its first use, so that every instance has it before credentials depend on it', async () => {
    setup.now += 10 * minute - 1;
    const before = issuedBy(await setup.exchange());
    expect(sealedUnder(before)).toBe(1);
    expect(isOpened(before, [first])).toBe(true);
    setup.now += 1;
    const after = issuedBy(await setup.exchange());
    expect(sealedUnder(after)).toBe(2);
    expect(await askWhoItIs(after)).toBe(200);
    expect(await askWhoItIs(before)).toBe(200);
  });

  test('ends no session: the last credentials of the old key work for twelve hours', async () => {
    setup.now += 10 * minute - 1;
    const last = issuedBy(await setup.exchange({ DurationSeconds: '43200' }));
    expect(sealedUnder(last)).toBe(1);
    for (let passed = 0; passed < 12; passed += 1, setup.now += hour) expect(await askWhoItIs(last)).toBe(200);
    setup.now -= 1000;
    expect(await askWhoItIs(last)).toBe(200);
    setup.now += 1000;
    expect(await askWhoItIs(last)).toBe(403);
  });

  test('invalidates the old version thirteen hours after its first use', async () => {
    const old = issuedBy(await setup.exchange({ DurationSeconds: '43200' }));
    setup.now += 10 * minute + 13 * hour - 1;
    expect(isOpened(old, known)).toBe(true);
    setup.now += 1;
    expect(isOpened(old, known)).toBe(false);
  });

  test('ends no session when two versions follow each other', async () => {
    setup.now += 11 * minute;
    const middle = issuedBy(await setup.exchange({ DurationSeconds: '43200' }));
    const third = { version: 3, key: random.bytes(32), created_at: setup.now };
    known = [first, second, third];
    setup.now += 11 * minute;
    expect(sealedUnder(middle)).toBe(2);
    expect(sealedUnder(issuedBy(await setup.exchange()))).toBe(3);
    setup.now += 11 * hour;
    expect(await askWhoItIs(middle)).toBe(200);
  });
});
