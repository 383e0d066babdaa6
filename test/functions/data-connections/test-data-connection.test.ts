import { ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, expect, test } from 'vitest';
import { testService } from '../../service/test-service.ts';
import { connection, made, signUp, signUpAdmin } from '../users.ts';

const service = await testService();
const admin = await signUpAdmin(service);
const ada = await signUp(service, 'ada');
const { endpoint, region, access_key_id, secret_access_key } = service.storage;
const credentials = { accessKeyId: access_key_id, secretAccessKey: secret_access_key };
const storage = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
afterAll(() => storage.destroy());

/** Stores a connection to the storage of this service, with the given changes. */
async function stored(id: string, changes: { details?: object; authentication?: object; read_only?: boolean } = {}) {
  const { bucket } = service.storage;
  const authentication = { type: 's3_access_key', access_key_id, secret_access_key, ...changes.authentication };
  const details = { provider: 's3', bucket, base_prefix: `_${id}/`, region, endpoint, ...changes.details };
  await made(admin('POST', '/data-connections', connection(id, { ...changes, authentication, details })));
  return id;
}

const tested = (id: string, access = 'read', by = admin) => by('POST', `/data-connections/${id}/test`, { access });
async function codesOf(id: string, access = 'read'): Promise<Record<string, string>> {
  const { body } = await made(tested(id, access));
  expect(JSON.stringify(body)).not.toContain(service.storage.secret_access_key);
  return Object.fromEntries(body.checks.map((each: { check: string; code: string }) => [each.check, each.code]));
}

// Each test starts in its own minute of the rate limit's clock, so that no test exceeds the limit.
const nextMinute = () => service.advance(61 - ((service.services.clock() / 1000) % 60));

test('refuses callers who are not administrators, also for a missing connection', async () => {
  const id = await stored('guarded');
  const [there, absent] = [await tested(id, 'read', ada), await tested('not-there', 'read', ada)];
  expect([there.status, absent.status]).toEqual([403, 403]);
  expect({ ...there.body, request_id: '' }).toEqual({ ...absent.body, request_id: '' });
  expect((await tested('not-there')).status).toBe(404);
  expect((await tested(id, 'everything')).body).toMatchObject({ code: 'field_invalid', errors: [{ path: 'access' }] });
});

test('reports that the local storage can be listed, and reads an object if one exists', async () => {
  nextMinute();
  const id = await stored('readable');
  const untouched = { write: 'not_asked', delete: 'not_asked' };
  expect(await codesOf(id)).toEqual({
    address: 'ok',
    reach: 'ok',
    region: 'ok',
    list: 'ok',
    read: 'nothing_to_read',
    ...untouched,
  });
  await storage.send(
    new PutObjectCommand({ Bucket: service.storage.bucket, Key: '_readable/a file & more.txt', Body: 'there' }),
  );
  expect(await codesOf(id)).toMatchObject({ read: 'ok', ...untouched });
});

test('writes an object, reads it, and deletes it', async () => {
  nextMinute();
  const id = await stored('writable');
  const { body } = await made(tested(id, 'read_write'));
  expect(body.checks.map(({ state }: { state: string }) => state)).toEqual(Array(7).fill('passed'));
  const { bucket: Bucket } = service.storage;
  const left = await storage.send(new ListObjectsV2Command({ Bucket, Prefix: '_writable/' }));
  expect(left.KeyCount).toBe(0);
  expect(await codesOf(await stored('closed', { read_only: true }), 'read_write')).toMatchObject({
    list: 'ok',
    write: 'read_only',
    delete: 'read_only',
  });
});

test('reports an error in the credentials, the bucket, the region, or the name', async () => {
  nextMinute();
  const odd = async (id: string, changes: object) => codesOf(await stored(id, changes));
  expect(await odd('no-secret', { authentication: { secret_access_key: 'another' } })).toMatchObject({
    reach: 'ok',
    list: 'credentials_refused',
  });
  expect(await odd('no-bucket', { details: { bucket: 'not-there' } })).toMatchObject({ list: 'bucket_not_found' });
  expect(await odd('no-region', { details: { region: 'eu-north-9' } })).toMatchObject({
    region: 'region_differs',
    list: 'region_differs',
  });
  expect(await odd('no-host', { details: { endpoint: 'https://storage.example.org' } })).toMatchObject({
    address: 'name_not_found',
  });
});

test('writes an audit event for the administrator, and limits each user to ten tests a minute', async () => {
  nextMinute();
  const id = await stored('counted');
  for (let time = 0; time < 10; time += 1) await made(tested(id));
  const refused = await tested(id);
  expect(refused).toMatchObject({ status: 429, body: { code: 'throttled' } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  nextMinute();
  expect((await tested(id)).status).toBe(200);
  const { body: session } = await admin('GET', '/whoami');
  const trail = `/accounts/${session.account.account_id}/audit-events?kind=data_connection.tested`;
  const { body } = await made(admin('GET', trail));
  expect(body[0]).toMatchObject({ subject: { data_connection_id: 'counted', access: 'read' } });
  expect(JSON.stringify(service.logged)).not.toContain(service.storage.secret_access_key);
});
