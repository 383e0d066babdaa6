import path from 'node:path';
import type { DynamoDbEndpoint } from './endpoint.ts';
import { startDynamoDbEngine } from './engine.ts';

/** Starts an engine that ends with this process. It stores its tables in the data folder if there is one. */
export async function startEmbeddedEngine(
  { dataDirectory, javaHome }: { dataDirectory?: string | undefined; javaHome?: string | undefined },
  started: AsyncDisposableStack,
): Promise<DynamoDbEndpoint> {
  const directory = dataDirectory === undefined ? undefined : path.join(dataDirectory, 'dynamodb');
  const engine = await startDynamoDbEngine({ directory, javaHome });
  started.defer(() => engine.close());
  return engine;
}
