import {
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListBucketsCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { seedNames } from '../../../lib/local/seed.ts';
import { s3Client, signIn } from '../../service/data-clients.ts';
import { seededService } from '../../service/seeded-service.ts';
import { userToken } from '../../service/user-tokens.ts';
import { made, repository } from '../users.ts';

const service = await seededService();
const ada = await service.user('ada');
// The limit is sixty requests per user and minute, and the audit trail has one event a minute. Each test starts in a
// new minute.
beforeEach(() => service.advance(61 - ((service.services.clock() / 1000) % 60)));

const path = '/session/data-credentials';
const organization = seedNames.organization_id;
const ours = `${organization}/raw-drafts`;
const { data_connection_id } = seedNames;
const winds = repository('winds', { data_mode: 'private', data_connection_id });

async function issued(body: object, client = ada) {
  const { status, body: answer, headers } = await client('POST', path, { role: 'FullAccess', ...body });
  expect({ status, detail: answer.detail }).toEqual({ status: 200, detail: undefined });
  return { ...answer, headers } as Record<
    'access_key_id' | 'secret_access_key' | 'session_token' | 'expires_at',
    string
  > & {
    headers: Headers;
  };
}

/** Creates a client for each request, because the Date header of the first response would set the clock of a client. */
function clientOf(answer: Awaited<ReturnType<typeof issued>>): Pick<S3Client, 'send'> {
  const { access_key_id, secret_access_key, session_token } = answer;
  const credentials = { accessKeyId: access_key_id, secretAccessKey: secret_access_key, sessionToken: session_token };
  const send = (command: GetObjectCommand) =>
    s3Client(service, credentials, (service.services.clock() - Date.now()) / 1000).send(command);
  return { send } as Pick<S3Client, 'send'>;
}

/** Expects an expiry this long after `since`, in whole seconds of the service's clock. */
function expectToEndAfter(seconds: number, { expires_at }: { expires_at: string }, since: number): void {
  const issuedAt = Date.parse(expires_at) / 1000 - seconds;
  expect(issuedAt).toBeGreaterThanOrEqual(Math.floor(since / 1000));
  expect(issuedAt).toBeLessThanOrEqual(service.services.clock() / 1000);
}

const put = (s3: Pick<S3Client, 'send'>, Key: string, Bucket = organization) =>
  s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
const get = (s3: Pick<S3Client, 'send'>, Key: string, Bucket = organization) =>
  s3.send(new GetObjectCommand({ Bucket, Key }));
const denied = { name: 'AccessDenied' };

describe('data credentials of a user', () => {
  test('have the rights of the user for an hour, and are never cached', async () => {
    const before = service.services.clock();
    const answer = await issued({});
    expect(answer.access_key_id).toMatch(/^SCTA[A-Z2-7]{16}$/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expectToEndAfter(3600, answer, before);
    await put(clientOf(answer), 'raw-drafts/page.txt');
    expect((await get(clientOf(answer), 'raw-drafts/page.txt')).ContentLength).toBe(1);
  });

  test('end at their expiry', async () => {
    const before = service.services.clock();
    const answer = await issued({ duration_seconds: 900 });
    expectToEndAfter(900, answer, before);
    const end = Date.parse(answer.expires_at);
    const moveTo = (time: number) => service.advance((time - service.services.clock()) / 1000);
    // Check 30 seconds before the end, because the request also takes time.
    moveTo(end - 30_000);
    await put(clientOf(answer), 'raw-drafts/page.txt');
    moveTo(end + 1);
    await expect(put(clientOf(answer), 'raw-drafts/page.txt')).rejects.toMatchObject({ name: 'ExpiredToken' });
  });

  test('cannot write with the role ReadOnly', async () => {
    const s3 = clientOf(await issued({ role: 'ReadOnly' }));
    await get(s3, 'raw-drafts/page.txt');
    await expect(put(s3, 'raw-drafts/page.txt')).rejects.toMatchObject(denied);
  });

  test('appear in the audit trail of the account with role and repository', async () => {
    await issued({ repository: ours });
    await issued({ repository: ours });
    const { body } = await ada('GET', '/accounts/ada/audit-events?kind=data_credentials.issued&limit=2');
    expect(body[0]).toMatchObject({
      kind: 'data_credentials.issued',
      actor: { account_id: 'ada' },
      subject: { role: 'FullAccess', to: 'page', repository: ours },
    });
    expect(body[1].subject).not.toMatchObject({ repository: ours });
  });

  test('for presigned URLs appear once a minute in the audit trail, for any number of requests', async () => {
    service.advance(61);
    for (const purpose of ['link', 'link', 'page']) await issued({ role: 'ReadOnly', repository: ours, purpose });
    const { body } = await ada('GET', '/accounts/ada/audit-events?kind=data_credentials.issued&limit=3');
    const told = body.map(({ subject }: { subject: object }) => subject);
    expect(told.slice(0, 2)).toEqual(
      expect.arrayContaining(['link', 'page'].map((to) => ({ role: 'ReadOnly', to, repository: ours }))),
    );
    expect(told[2]).not.toMatchObject({ to: 'link' });
  });

  test('stop working when the account is disabled, and still do when it is enabled again', async () => {
    const admin = await service.user('admin');
    const before = await issued({});
    expect((await admin('POST', '/accounts/ada/disable')).status).toBe(200);
    expect((await ada('POST', path, { role: 'FullAccess' })).status).toBe(403);
    const token = await userToken(service, 'ada', service.identity.people.data_client_id);
    await expect(signIn(service, token, { serviceAccountId: 'ada' })).rejects.toMatchObject({
      name: expect.stringContaining('AccessDenied'),
    });
    service.advance(61);
    await expect(put(clientOf(before), 'raw-drafts/page.txt')).rejects.toMatchObject(denied);
    expect((await admin('POST', '/accounts/ada/enable')).status).toBe(200);
    service.advance(301);
    await expect(put(clientOf(before), 'raw-drafts/page.txt')).rejects.toMatchObject(denied);
    await expect(get(clientOf(before), 'raw-drafts/page.txt')).rejects.toMatchObject(denied);
    await put(clientOf(await issued({})), 'raw-drafts/page.txt');
  });
});

describe('credentials for one repository', () => {
  let s3: Pick<S3Client, 'send'>;
  beforeEach(async () => {
    s3 = clientOf(await issued({ repository: ours }));
    await put(clientOf(await issued({})), 'winds/private.txt');
  });
  beforeAll(async () => {
    await made(ada('POST', `/repositories/${organization}`, winds));
  });
  const open = 'tide-gauges';

  test('write and read in that repository', async () => {
    await put(s3, 'raw-drafts/narrow.txt');
    expect((await get(s3, 'raw-drafts/narrow.txt')).ContentLength).toBe(1);
  });

  test('read public data elsewhere, and nothing more', async () => {
    await put(clientOf(await issued({})), `${open}/open.txt`);
    await get(s3, `${open}/open.txt`);
    await expect(get(s3, 'winds/private.txt')).rejects.toMatchObject(denied);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['write to another of the same account', () => put(s3, 'winds/x.txt')],
    ['write to an open one', () => put(s3, `${open}/x.txt`)],
    [
      'copy from another',
      () =>
        s3.send(
          new CopyObjectCommand({
            Bucket: organization,
            Key: 'raw-drafts/c',
            CopySource: `${organization}/winds/private.txt`,
          }),
        ),
    ],
    [
      'copy to another',
      () =>
        s3.send(
          new CopyObjectCommand({
            Bucket: organization,
            Key: 'winds/c',
            CopySource: `${organization}/raw-drafts/narrow.txt`,
          }),
        ),
    ],
    ['list another', () => s3.send(new ListObjectsV2Command({ Bucket: organization, Prefix: 'winds/' }))],
    [
      'list the uploads of another',
      () => s3.send(new ListMultipartUploadsCommand({ Bucket: organization, Prefix: 'winds/' })),
    ],
    [
      'start an upload in another',
      () => s3.send(new CreateMultipartUploadCommand({ Bucket: organization, Key: 'winds/u' })),
    ],
  ])('cannot %s', async (_, attempt) => {
    await expect(attempt()).rejects.toMatchObject(denied);
  });

  test('cannot join uploads that started in other repositories', async () => {
    const whole = clientOf(await issued({}));
    const { UploadId } = await whole.send(new CreateMultipartUploadCommand({ Bucket: organization, Key: 'winds/u' }));
    const part = (Key: string) =>
      s3.send(new UploadPartCommand({ Bucket: organization, Key, UploadId, PartNumber: 1, Body: 'x' }));
    await expect(part('winds/u')).rejects.toMatchObject(denied);
    await expect(part('raw-drafts/u')).rejects.toMatchObject({ name: 'NoSuchUpload' });
    await expect(
      s3.send(new ListPartsCommand({ Bucket: organization, Key: 'raw-drafts/u', UploadId })),
    ).rejects.toMatchObject({ name: 'NoSuchUpload' });
  });

  test('delete only the objects of that repository among those of a request', async () => {
    await put(s3, 'raw-drafts/gone.txt');
    const Objects = ['raw-drafts/gone.txt', 'winds/private.txt', `${open}/open.txt`].map((Key) => ({ Key }));
    const { Deleted, Errors } = await s3.send(new DeleteObjectsCommand({ Bucket: organization, Delete: { Objects } }));
    expect(Deleted?.map(({ Key }) => Key)).toEqual(['raw-drafts/gone.txt']);
    expect(Errors?.map(({ Key, Code }) => `${Key} ${Code}`).sort()).toEqual([
      `${open}/open.txt AccessDenied`,
      'winds/private.txt AccessDenied',
    ]);
    await get(clientOf(await issued({})), 'winds/private.txt');
  });

  test('list the one account, with that repository and the public ones', async () => {
    const { Buckets } = await s3.send(new ListBucketsCommand({}));
    expect(Buckets?.map(({ Name }) => Name)).toEqual([organization]);
    const { CommonPrefixes } = await s3.send(new ListObjectsV2Command({ Bucket: organization, Delimiter: '/' }));
    const shown = CommonPrefixes?.map(({ Prefix }) => Prefix);
    expect(shown).toContain('raw-drafts/');
    expect(shown).not.toContain('winds/');
  });

  test('end with the repository, and do not work in a new one of the same name', async () => {
    const path = `/repositories/${organization}/winds`;
    const narrow = clientOf(await issued({ repository: `${organization}/winds` }));
    await put(narrow, 'winds/mine.txt');
    await made(ada('POST', `${path}/disable`));
    await made(ada('POST', `${path}/delete`, { confirm: `${organization}/winds` }));
    await made(ada('POST', `/repositories/${organization}`, winds));
    service.advance(301);
    await expect(put(narrow, 'winds/mine.txt')).rejects.toMatchObject(denied);
    await expect(get(narrow, 'winds/mine.txt')).rejects.toMatchObject(denied);
    expect((await narrow.send(new ListBucketsCommand({}))).Buckets ?? []).toEqual([]);
  });
});

describe('a request for data credentials is refused', () => {
  test.each<[string, object, string]>([
    ['without a role', { role: undefined }, 'role'],
    ['for another role', { role: 'Administrator' }, 'role'],
    ['for less than a quarter of an hour', { duration_seconds: 899 }, 'duration_seconds'],
    ['for more than an hour', { duration_seconds: 3601 }, 'duration_seconds'],
    ['for a repository without its account', { repository: 'raw-drafts' }, 'repository'],
    ['for a path', { repository: `${ours}/secret` }, 'repository'],
    ['for an invalid ID', { repository: `${organization}/..` }, 'repository'],
    ['for a missing repository', { repository: `${organization}/nothing` }, 'repository'],
    ['for a missing account', { repository: 'nobody-here/raw-drafts' }, 'repository'],
    ['with an additional field', { account_id: 'ada' }, 'account_id'],
  ])('%s', async (_, body, field) => {
    const { status, body: problem } = await ada('POST', path, { role: 'FullAccess', ...body });
    expect(status).toBe(400);
    expect(JSON.stringify(problem.errors)).toContain(field);
  });

  test('for a repository that the user may not read, like for a missing one', async () => {
    const stranger = await service.user('stranger-to-all');
    const account = { account_id: 'stranger-to-all', account_type: 'user', profile: {} };
    expect((await stranger('POST', '/accounts', account)).status).toBe(201);
    const ask = async (repository: string) => {
      const { status, body } = await stranger('POST', path, { role: 'ReadOnly', repository });
      return { status, body: { ...body, request_id: '' } };
    };
    expect(await ask(ours)).toEqual(await ask(`${organization}/nothing`));
    expect((await ask(ours)).status).toBe(400);
    expect((await ask(`${organization}/tide-gauges`)).status).toBe(200);
  });

  test('with data credentials and with tokens of tools', async () => {
    const { access_key_id, secret_access_key, session_token } = await issued({});
    for (const authorization of [`${access_key_id} ${secret_access_key}`, `Bearer ${session_token}`]) {
      expect((await service.withAuthorization(authorization)('POST', path, { role: 'ReadOnly' })).status).toBe(401);
    }
    const dataToken = await userToken(service, 'ada', service.identity.people.data_client_id);
    expect((await service.withAuthorization(`Bearer ${dataToken}`)('POST', path, { role: 'ReadOnly' })).status).toBe(
      401,
    );
  });

  test('after sixty requests of a user in a minute, and other users are not limited', async () => {
    service.advance(120 - ((service.services.clock() / 1000) % 60));
    const statuses: number[] = [];
    for (let round = 0; round < 61; round += 1) statuses.push((await ada('POST', path, { role: 'ReadOnly' })).status);
    expect(statuses).toEqual([...Array(60).fill(200), 429]);
    const admin = await service.user('admin');
    expect((await admin('POST', path, { role: 'ReadOnly' })).status).toBe(200);
    service.advance(60);
    expect((await ada('POST', path, { role: 'ReadOnly' })).status).toBe(200);
  });
});
