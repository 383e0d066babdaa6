import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sha256 } from '@aws-crypto/sha256-js';
import { ListBucketsCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { fromTokenFile, fromWebToken } from '@aws-sdk/credential-providers';
import { SignatureV4 } from '@smithy/signature-v4';
import { describe, expect, test, vi } from 'vitest';
import { seedNames } from '../../../lib/local/seed.ts';
import { routePath } from '../../../lib/operations/operation.ts';
import { registry } from '../../../lib/operations/registry.ts';
import { type Credentials, ciToken, exchangeConfig, roleArn, s3Client, signIn } from '../../service/data-clients.ts';
import { deniedError, expectProblem, expectS3Error } from '../../service/error-answers.ts';
import { seededService } from '../../service/seeded-service.ts';
import { sendSigned } from '../../service/signed-requests.ts';
import { userToken } from '../../service/user-tokens.ts';

const service = await seededService();
const { data_client_id, client_id } = service.identity.people;
const { account_id: ada, identity_id } = seedNames.user;
const list = new ListObjectsV2Command({ Bucket: 'tide-institute', Prefix: 'raw-drafts/' });
const identityOf = (credentials: Credentials | (() => Promise<Credentials>), config = exchangeConfig(service)) =>
  new STSClient({ ...config, credentials }).send(new GetCallerIdentityCommand({}));

describe('a service account', () => {
  test('signs in with a key in a file, gets its identity, and lists the private repository', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sluice-key-'));
    const webIdentityTokenFile = join(directory, 'nightly-sync.key');
    await writeFile(webIdentityTokenFile, `${service.key}\n`);
    const role = { roleArn: roleArn(), roleSessionName: 'slice' };
    const credentials = fromTokenFile({ ...role, webIdentityTokenFile, clientConfig: exchangeConfig(service) });
    expect(await identityOf(credentials)).toMatchObject({
      Account: seedNames.service_account_id,
      Arn: `arn:aws:sts::${seedNames.service_account_id}:assumed-role/FullAccess/slice`,
      UserId: expect.stringMatching(/^SCRA[A-Z2-7]{16}:slice$/),
    });
    expect(await s3Client(service, await credentials()).send(list)).toMatchObject({ KeyCount: 0 });
    await rm(directory, { recursive: true });
  });

  test('signs in with the CI token of a trusted workflow', async () => {
    const credentials = await signIn(service, await ciToken(service));
    expect(await identityOf(credentials)).toMatchObject({ Account: seedNames.service_account_id });
    expect(await s3Client(service, credentials).send(list)).toMatchObject({ KeyCount: 0 });
  });

  // The AWS SDK for Java drops the path of the configured URL.
  test('signs in by an exchange at the root of the data proxy, which refuses an untrusted run', async () => {
    const clientConfig = { ...exchangeConfig(service), endpoint: service.dataUrl };
    const credentials = fromWebToken({ roleArn: roleArn(), webIdentityToken: service.key, clientConfig });
    expect(await identityOf(credentials, clientConfig)).toMatchObject({ Account: seedNames.service_account_id });
    expect(await s3Client(service, await credentials()).send(list)).toMatchObject({ KeyCount: 0 });
    const webIdentityToken = await ciToken(service, { sub: 'repo:tide-institute/pipelines:pull_request' });
    await expect(fromWebToken({ roleArn: roleArn(), webIdentityToken, clientConfig })()).rejects.toMatchObject({
      name: 'AccessDenied',
      $metadata: { httpStatusCode: 403 },
    });
  });
});

describe('a user', () => {
  const dataToken = (sub: string = identity_id) => userToken(service, sub, data_client_id);
  const asUser = (token: string, serviceAccountId: string = ada, role = 'FullAccess') =>
    signIn(service, token, { serviceAccountId, role });
  const put = (Key: string) => new PutObjectCommand({ Bucket: 'tide-institute', Key, Body: 'x' });

  test('signs in with a token and a stock client, and writes and lists by the rights they have', async () => {
    const credentials = await asUser(await dataToken());
    const s3 = s3Client(service, credentials);
    await s3.send(put('raw-drafts/by-ada.txt'));
    const { Buckets, Owner } = await s3.send(new ListBucketsCommand({}));
    expect(Buckets?.map(({ Name }) => Name)).toContain('tide-institute');
    expect(Owner?.DisplayName).toBe(ada);
    expect(await identityOf(credentials)).toMatchObject({
      Account: ada,
      Arn: `arn:aws:sts::${ada}:assumed-role/FullAccess/slice`,
      UserId: expect.stringMatching(/^SCRA[A-Z2-7]{16}:slice$/),
    });

    const readOnly = s3Client(service, await asUser(await dataToken(), ada, 'ReadOnly'));
    await expect(readOnly.send(put('raw-drafts/no.txt'))).rejects.toMatchObject({ name: 'AccessDenied' });
  });

  test('records one audit event per minute and role when a tool signs in', async () => {
    const user = await service.user(identity_id);
    // Moves to the middle of a minute without sign-ins, because the audit trail has one event a minute.
    service.advance(150 - ((service.services.clock() / 1000) % 60));
    const minute = new Date(Math.floor(service.services.clock() / 60_000) * 60_000).toISOString();
    for (const role of ['FullAccess', 'FullAccess', 'ReadOnly']) await asUser(await dataToken(), ada, role);
    const isRecorded = async () => {
      const { body } = await user('GET', `/accounts/${ada}/audit-events?kind=data_credentials.issued`);
      // Events of earlier tests may arrive late.
      const events = (body as { time: string }[]).filter(({ time }) => time >= minute);
      expect(events).toHaveLength(2);
      expect(events[0]).toMatchObject({ actor: { account_id: ada }, subject: { to: 'tool' } });
    };
    await vi.waitFor(isRecorded, { timeout: 20_000, interval: 50 });
  });

  test.each<[string, () => Promise<string>, string, string]>([
    ['a token for the management API', () => userToken(service, identity_id), ada, 'InvalidIdentityToken'],
    [
      'a token for both audiences',
      () => userToken(service, identity_id, [data_client_id, client_id]),
      ada,
      'InvalidIdentity',
    ],
    ["another user's token", () => dataToken('somebody-else'), ada, 'AccessDenied'],
    ["a user's token for a service account's role", () => dataToken(), seedNames.service_account_id, 'AccessDenied'],
    ["a user's token for an organization's role", () => dataToken(), 'tide-institute', 'AccessDenied'],
    ["a run's token for a user's role", () => ciToken(service), ada, 'AccessDenied'],
  ])('the exchange refuses %s', async (_, token, account, code) => {
    await expect(asUser(await token(), account)).rejects.toMatchObject({ name: expect.stringContaining(code) });
  });

  test.each<[string, string | string[]]>([
    ["the data client's", data_client_id],
    ["both clients'", [client_id, data_client_id]],
    ["both clients', in reverse order", [data_client_id, client_id]],
    ["a second deployment's", 'sluice-of-another'],
    ['its own and a foreign one', [client_id, 'https://elsewhere.example.org']],
  ])('the management API refuses a token with the audience %s, and accepts its own', async (_, audience) => {
    const statusFor = async (token: string) =>
      (await service.withAuthorization(`Bearer ${token}`)('GET', '/whoami')).status;
    expect(await statusFor(await userToken(service, identity_id, audience))).toBe(401);
    expect(await statusFor(await userToken(service, identity_id))).toBe(200);
    expect(await statusFor(await userToken(service, identity_id, [client_id]))).toBe(200);
  });
});

describe('the management API refuses temporary credentials', () => {
  const needIdentity = registry.filter(
    ({ permission, ignoresAuthorization }) => permission.kind !== 'anyone' && !ignoresAuthorization,
  );
  const asHeader = (form: (credentials: Credentials) => string) => async (credentials: Credentials) => ({
    authorization: form(credentials),
  });

  test.each<[string, (credentials: Credentials, request: Sent) => Promise<Record<string, string>>]>([
    ['as an API key', asHeader(({ accessKeyId, secretAccessKey }) => `${accessKeyId} ${secretAccessKey}`)],
    [
      'as an API key with the session token',
      asHeader(({ accessKeyId, sessionToken }) => `${accessKeyId} ${sessionToken}`),
    ],
    ['as a bearer token', asHeader(({ sessionToken }) => `Bearer ${sessionToken}`)],
    ['as the service-account key that issued them', asHeader(() => `Bearer ${service.key}`)],
    ['as a signature', signed],
  ])('%s', async (_, present) => {
    expect(needIdentity.length).toBeGreaterThan(40);
    const credentials = await signIn(service, service.key);
    for (const { method, body: schema, example, ...operation } of needIdentity) {
      const path = routePath(operation).replace(/\{(\w+)\}/g, (_match, name: string) => example?.path?.[name] ?? '');
      const request = {
        method,
        url: service.apiUrl + path,
        body: schema === undefined ? undefined : JSON.stringify(example?.body),
      };
      const headers = await present(credentials, request);
      expectProblem(await service.anyone(method, request.url, request.body, headers), {
        status: 401,
        code: 'unauthenticated',
        detail:
          'The Authorization header is not valid; sign in and send "Authorization: Bearer <token>", or an API key as "Authorization: <access_key_id> <secret_access_key>"',
      });
    }
  });
});

interface Sent {
  method: string;
  url: string;
  body: string | undefined;
}

async function signed(credentials: Credentials, { method, url, body }: Sent): Promise<Record<string, string>> {
  const { host, hostname, pathname } = new URL(url);
  const signer = new SignatureV4({ credentials, region: 'us-east-1', service: 'execute-api', sha256: Sha256 });
  const request = { method, protocol: 'http:', hostname, path: pathname, headers: { host } };
  const { headers } = await signer.sign(body === undefined ? request : { ...request, body });
  const { host: _host, ...others } = headers;
  return others;
}

const ofServiceAccount = '/service-accounts/tide-institute--nightly-sync';
const ofOwner = '/accounts/tide-institute';

// After a theft of credentials, a user disables the service account to end its sessions, and then enables it again.
test.each([
  ['a service account', `${ofServiceAccount}/disable`, `${ofServiceAccount}/enable`],
  ['its owner', `${ofOwner}/disable`, `${ofOwner}/enable`],
])(
  'credentials issued before %s was disabled stay invalid after it is enabled, and new ones work at once',
  async (_, disable, enable) => {
    const user = await service.user(identity_id);
    const path = '/tide-institute/raw-drafts/private.csv';
    const put = (credentials: Credentials) =>
      sendSigned(service, credentials, { method: 'PUT', path, body: 'x' }, { signedAt: service.services.clock() });
    const stolen = [await signIn(service, service.key), await signIn(service, await ciToken(service))];
    for (const credentials of stolen) expect((await put(credentials)).status).toBe(200);

    for (let round = 0; round < 2; round += 1) {
      const mine = await signIn(service, service.key);
      expect((await put(mine)).status).toBe(200);
      expect((await user('POST', disable)).status).toBe(200);
      expect((await user('POST', enable)).status).toBe(200);
      service.advance(61);
      for (const credentials of [...stolen, mine]) expectS3Error(await put(credentials), deniedError, path);
    }
    for (const token of [service.key, await ciToken(service)]) {
      expect((await put(await signIn(service, token))).status).toBe(200);
    }
  },
);
