import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { onTestFinished } from 'vitest';
import { openTable } from '../../lib/lambda/table.ts';
import { createTable } from '../../lib/local/dynamodb/table.ts';
import { engineOfThisFile } from './engine-of-this-file.ts';
import { watchRequests } from './watched-requests.ts';

/** Creates an empty table in the real engine. A test can count its requests and make them fail. */
export async function tableOfThisTest() {
  const client = new DynamoDBClient({ ...engineOfThisFile(), maxAttempts: 1 });
  onTestFinished(() => client.destroy());
  const tableName = `test-${randomUUID()}`;
  await createTable(client, { table_name: tableName });
  const requests: string[] = [];
  const failing = new Set<string>();
  watchRequests(({ command }) => {
    requests.push(command);
    if (failing.has(command)) throw Object.assign(new Error('injected'), { name: 'InternalServerError' });
  }).instrument(client);
  // Requests of this client are not counted.
  const writer = DynamoDBDocumentClient.from(new DynamoDBClient(engineOfThisFile()));
  onTestFinished(() => writer.destroy());
  return {
    table: openTable(client, tableName),
    requests,
    /** Names of commands that fail before they reach the engine. */
    failing,
    put: (item: Record<string, unknown>) => writer.send(new PutCommand({ TableName: tableName, Item: item })),
  };
}
