import type { TestProject } from 'vitest/node';
import { startDynamoDbEngine } from '../../lib/local/dynamodb/engine.ts';
import type { DynamoDbAddress } from '../../lib/local/service.ts';

declare module 'vitest' {
  interface ProvidedContext {
    dynamodb: DynamoDbAddress;
  }
}

/** One engine for the whole run: each test service has a table of its own in it. */
export default async function startEngine(project: TestProject) {
  const engine = await startDynamoDbEngine();
  project.provide('dynamodb', { endpoint: engine.endpoint, region: engine.region, credentials: engine.credentials });
  return () => engine.close();
}
