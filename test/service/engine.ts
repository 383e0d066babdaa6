import type { TestProject } from 'vitest/node';
import { startDynamoDbEngine } from '../../lib/local/dynamodb/engine.ts';
import type { DynamoDbAddress } from '../../lib/local/service.ts';

declare module 'vitest' {
  interface ProvidedContext {
    engines: DynamoDbAddress[];
  }
}

/** An engine's writes take the longer the more records the streams of all its tables hold, so a whole run has several. */
const engineCount = Number(process.env['SLUICE_TEST_ENGINES'] ?? 6);

/** Engines for the whole run: each test service has a table of its own in one of them. */
export default async function startEngines(project: TestProject) {
  const engines = await Promise.all(Array.from({ length: engineCount }, () => startDynamoDbEngine()));
  project.provide(
    'engines',
    engines.map(({ endpoint, region, credentials }) => ({ endpoint, region, credentials })),
  );
  return () => Promise.all(engines.map((engine) => engine.close()));
}
