import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import type { DynamoDbEndpoint } from '../../lib/local/service-options.ts';

/**
 * An engine has a database for each access key. In one that all files shared, a write to a new table would cost the more
 * the more changes the streams of all former tables hold: after 12,000 of them fourteen times as much.
 */
const accessKeyId = `TEST${randomBytes(8).toString('hex')}`;

/** The engine of this test file, with a database of its own: files take turns. */
export function engineOfThisFile(): DynamoDbEndpoint {
  const engines = inject('engines');
  const engine = engines[Number(process.env['VITEST_WORKER_ID'] ?? 0) % engines.length];
  if (engine === undefined) throw new Error('the run has engines');
  return { ...engine, credentials: { ...engine.credentials, accessKeyId } };
}
