import { afterAll, describe, expect, test } from 'vitest';
import { limits } from '../../lib/domain/limits.ts';
import { connection, made, newKey, repository, signUpTides } from '../functions/users.ts';
import { connectByRole, startRefusingStorage, successful } from '../service/account-storage.ts';
import { testService } from '../service/test-service.ts';
import { everyOperation } from './every-operation.ts';
import { exchange } from './whole-answer.ts';

/** Storage of an account that refuses the credentials of the service after its owner has connected it. */

const service = await testService({ accountLoopbackEndpoints: true });
const { endpoint, bucket, region, access_key_id, secret_access_key } = service.storage;

const storage = await startRefusingStorage(endpoint);
afterAll(() => storage.close());
const { url } = storage;

const { ada } = await signUpTides(service);
const byKey = connection('by-key', {
  details: { provider: 's3', bucket, base_prefix: '_by-key/', region, endpoint: url },
  authentication: { type: 's3_access_key', access_key_id, secret_access_key },
});
await made(ada('POST', '/accounts/tides/data-connections', byKey));
await made(ada('POST', '/data-connections/by-key/test', { access: 'read_write' }));
await connectByRole(service, successful(ada), { account_id: 'tides', data_connection_id: 'by-role', endpoint: url });
const repositories = ['by-key', 'by-role'];
for (const id of repositories)
  await made(ada('POST', '/repositories/tides', repository(id, { data_connection_id: id })));
const { credentials } = await newKey(service, ada, '/accounts/ada');

const send = (request: { method: string; path: string }, isSigned = true) =>
  exchange(service.dataUrl, request, isSigned ? { ...credentials, signedAt: service.services.clock() } : undefined);
const codeIn = ({ body }: { body: string }) => /<Code>(\w+)<\/Code>/.exec(body)?.[1];
const healthOf = async (id: string) => (await made(ada('GET', `/data-connections/${id}`))).body.health;

describe.each(repositories)('storage of %s that refuses the credentials', (id) => {
  const operations = everyOperation('tides', id).map((operation) => ({
    ...operation,
    path: `/tides${operation.path}`,
  }));

  test.each(['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'ExpiredToken', 'InvalidToken'])(
    'with the code %s gives every operation the same error',
    async (code) => {
      storage.codeFor = () => code;
      service.advance(limits.workingStorageTtlSeconds);
      for (const { name, ...operation } of operations) {
        const answer = await send(operation);
        expect([name, answer.status]).toEqual([name, 503]);
        if (operation.method === 'HEAD') continue;
        expect([name, codeIn(answer)]).toEqual([name, 'StorageCredentialsRefused']);
        expect(answer.body).toContain('test the data connection');
        expect(answer.body).not.toContain(code);
      }
    },
  );

  test('is shown to its owner after any streamed request, and works again after the next one', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      service.advance(limits.storageSuccessRecordedEverySeconds);
      storage.codeFor = () => 'InvalidAccessKeyId';
      const before = new Date(service.services.clock()).toISOString();
      await send({ method, path: `/tides/${id}/object` });
      const failed = { step: 'list', code: 'credentials_refused' };
      await expect.poll(async () => (await healthOf(id))?.failed_at >= before).toBe(true);
      expect(await healthOf(id)).toMatchObject(failed);
      storage.codeFor = (path) => (path.includes('list-type') ? undefined : 'AccessDenied');
      service.advance(limits.workingStorageTtlSeconds);
      await send({ method, path: `/tides/${id}/object` });
      await expect.poll(async () => (await healthOf(id))?.worked_at >= before).toBe(true);
    }
  });

  test('for one object only is no fault of the storage', async () => {
    storage.codeFor = (path) => (path.includes('/secret') ? 'AccessDenied' : undefined);
    service.advance(limits.workingStorageTtlSeconds);
    const before = await healthOf(id);
    for (const method of ['GET', 'HEAD']) {
      for (const isSigned of [true, false]) {
        const answer = await send({ method, path: `/tides/${id}/secret` }, isSigned);
        expect(answer.status).toBe(403);
        if (method === 'GET') expect(codeIn(answer)).toBe('AccessDenied');
      }
    }
    expect(await healthOf(id)).toEqual(before);
  });
});
