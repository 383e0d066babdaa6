import { inject } from 'vitest';
import type { DynamoDbEndpoint } from '../../lib/local/dynamodb/engine.ts';

// Declares the types of the injected values, for type checks that do not include all tests.
import type {} from './engine.ts';

/** Returns the engine of this test file, with a database that no other file uses. */
export function engineOfThisFile(): DynamoDbEndpoint {
  const engines = inject('engines');
  const engine = engines[Number(process.env['VITEST_POOL_ID'] ?? 0) % engines.length];
  const accessKeyId = process.env['TEST_DATABASE'];
  if (engine === undefined || accessKeyId === undefined)
    throw new Error('the run has engines, and the file a database');
  return { ...engine, credentials: { ...engine.credentials, accessKeyId } };
}
