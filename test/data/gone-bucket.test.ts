import { describe, expect, test } from 'vitest';
import { limits } from '../../lib/domain/limits.ts';
import { seededService } from '../service/seeded-service.ts';
import { everyOperation, type OperationCase } from './every-operation.ts';
import { repositoryOn } from './listing-fixture.ts';
import { exchange } from './whole-answer.ts';

/** A repository on a connection whose bucket the owner has deleted. */

const goneBucket = 'deleted-by-its-owner';
const service = await seededService();
const { region, endpoint, access_key_id, secret_access_key } = service.storage;
const details = { bucket: goneBucket, base_prefix: '', region, endpoint };
const signer = await repositoryOn(service, 'lost', details, { access_key_id, secret_access_key });

const ask = ({ method, path, name: _, relayedRoot: __, ...rest }: OperationCase) =>
  exchange(service.dataUrl, { method, path: `/tide-institute${path}`, ...rest }, signer);

/** Returns the logged failures. Messages to users are excluded, because earlier actions may still cause some. */
const failures = () => service.logged.filter((line) => 'failure' in line && line.failure !== undefined);

describe('a deleted bucket', () => {
  // Requests for versions are not tested, because the local store has no versions and refuses them before it checks the
  // bucket.
  const operations = everyOperation('tide-institute', 'lost').filter(({ name }) => !name.endsWith('of a version'));
  test.each(operations)('causes a logged 500 for $name, never a success of a deletion', async (operation) => {
    // The cached result of the check for the previous operation has expired.
    service.advance(limits.workingStorageTtlSeconds);
    service.logged.length = 0;
    const answer = await ask(operation);
    expect(answer.status).toBe(500);
    if (operation.method !== 'HEAD') expect(answer.body).toContain('<Code>InternalError</Code>');
    expect(JSON.stringify(answer)).not.toContain(goneBucket);
    const failure = expect.objectContaining({ message: expect.stringContaining('as it is configured') });
    expect(failures()).toEqual([{ source: 'edge', failure }]);
    expect(JSON.stringify(service.logged)).not.toContain(goneBucket);
  });

  test('causes 500 for a request without credentials', async () => {
    service.advance(limits.workingStorageTtlSeconds);
    const answer = await exchange(service.dataUrl, { method: 'GET', path: '/tide-institute/lost/object' });
    expect([answer.status, answer.body]).toEqual([500, expect.stringContaining('<Code>InternalError</Code>')]);
  });
});

test('a missing object in an existing bucket is 404', async () => {
  for (const method of ['GET', 'HEAD']) {
    service.advance(limits.workingStorageTtlSeconds);
    service.logged.length = 0;
    const answer = await exchange(service.dataUrl, { method, path: '/tide-institute/tide-gauges/none' });
    expect([answer.status, failures()]).toEqual([404, []]);
  }
});
