import { inject } from 'vitest';
import type { DynamoDbEndpoint } from '../../lib/local/service.ts';

/** The engine of this test file: files take turns. */
export function engineOfThisFile(): DynamoDbEndpoint {
  const engines = inject('engines');
  const engine = engines[Number(process.env['VITEST_WORKER_ID'] ?? 0) % engines.length];
  if (engine === undefined) throw new Error('the run has engines');
  return engine;
}
