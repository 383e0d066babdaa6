import { inject } from 'vitest';
import type { DynamoDbEndpoint } from '../../lib/local/dynamodb/endpoint.ts';
// It says what is injected, to programs of types that do not hold all tests.
import type {} from './engine.ts';

/** The engine of this test file, with a database of its own: that of its process, so that no other file uses it meanwhile. */
export function engineOfThisFile(): DynamoDbEndpoint {
  const engines = inject('engines');
  const engine = engines[Number(process.env['VITEST_POOL_ID'] ?? 0) % engines.length];
  const accessKeyId = process.env['TEST_DATABASE'];
  if (engine === undefined || accessKeyId === undefined)
    throw new Error('the run has engines, and the file a database');
  return { ...engine, credentials: { ...engine.credentials, accessKeyId } };
}
