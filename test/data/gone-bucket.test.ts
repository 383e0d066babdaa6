import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '../../lib/domain/limits.ts';
import { made } from '../functions/people.ts';
import type { SignerOptions } from '../lib/sigv4/signed-request.ts';
import { type SeededService, startSeededService } from '../service/seeded-service.ts';
import { everyOperation, type OperationCase } from './every-operation.ts';
import { exchange } from './whole-answer.ts';

/** A repository on a connection whose bucket the owner has deleted. */

let service: SeededService;
let signer: SignerOptions;
const goneBucket = 'deleted-by-its-owner';

beforeAll(async () => {
  service = await startSeededService();
  const [admin, ada] = await Promise.all([service.person('admin'), service.person('ada')]);
  const { region, endpoint, access_key_id, secret_access_key } = service.storage;
  await made(
    admin('POST', '/data-connections', {
      data_connection_id: 'lost-store',
      name: 'Lost store',
      read_only: false,
      allowed_data_modes: ['open'],
      details: { provider: 's3', bucket: goneBucket, base_prefix: '', region, endpoint },
      authentication: { type: 's3_access_key', access_key_id, secret_access_key },
    }),
  );
  await made(
    ada('POST', '/repositories/tide-institute', {
      repository_id: 'lost',
      data_mode: 'open',
      meta: { title: 'T', description: '', tags: '' },
      data_connection_id: 'lost-store',
    }),
  );
  const { body } = await made(ada('POST', '/accounts/ada/api-keys', { name: 'k', expires: '2999-01-01T00:00:00Z' }));
  signer = { accessKeyId: body.access_key_id, secretAccessKey: body.secret_access_key };
});
afterAll(() => service.close());

const ask = ({ method, path, name: _, relayedRoot: __, ...rest }: OperationCase) =>
  exchange(service.dataUrl, { method, path: `/tide-institute${path}`, ...rest }, signer);

/** Returns the logged failures. Messages to users are excluded, because earlier actions may still cause some. */
const failures = () => service.logged.filter((line) => 'failure' in line && line.failure !== undefined);

describe('a bucket that is gone', () => {
  // The local store has no versions, and checks for them first.
  const operations = everyOperation('tide-institute', 'lost').filter(({ name }) => !name.endsWith('of a version'));
  test.each(operations)(
    'is 500 to $name, never "deleted", and whoever runs the service hears of it',
    async (operation) => {
      // The result of the check for another operation has expired.
      service.advance(limits.existingBucketTtlSeconds);
      service.logged.length = 0;
      const answer = await ask(operation);
      expect(answer.status).toBe(500);
      if (operation.method !== 'HEAD') expect(answer.body).toContain('<Code>InternalError</Code>');
      expect(JSON.stringify(answer)).not.toContain(goneBucket);
      expect(failures()).toEqual([
        {
          source: 'edge',
          failure: expect.objectContaining({ message: expect.stringContaining('as it is configured') }),
        },
      ]);
      expect(JSON.stringify(service.logged)).not.toContain(goneBucket);
    },
  );

  test('is 500 to somebody without credentials', async () => {
    service.advance(limits.existingBucketTtlSeconds);
    const answer = await exchange(service.dataUrl, { method: 'GET', path: '/tide-institute/lost/object' });
    expect([answer.status, answer.body]).toEqual([500, expect.stringContaining('<Code>InternalError</Code>')]);
  });
});

test('an object that is not there in a bucket that is stays 404', async () => {
  for (const method of ['GET', 'HEAD']) {
    service.advance(limits.existingBucketTtlSeconds);
    service.logged.length = 0;
    const answer = await exchange(service.dataUrl, { method, path: '/tide-institute/tide-gauges/none' });
    expect([answer.status, failures()]).toEqual([404, []]);
  }
});
