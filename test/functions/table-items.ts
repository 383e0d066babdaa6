import { randomUUID } from 'node:crypto';
import { DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient, GetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { engineOfThisFile } from '../service/engine-of-this-file.ts';

/** A look at the table behind the service's back. */
export interface TableItems {
  tableName: string;
  all(): Promise<Record<string, unknown>[]>;
  find(pk: string, sk: string): Promise<Record<string, unknown> | undefined>;
  /** Many at once, where a test needs more than the API would make in its time. */
  putAll(items: readonly object[]): Promise<void>;
  /** For tests that write a lot: the engine takes longer for each write the more its streams hold. */
  stopStream(): Promise<void>;
}

export function lookAtTable(tableName = `test-${randomUUID()}`): TableItems {
  const marshallOptions = { removeUndefinedValues: true };
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(engineOfThisFile()), { marshallOptions });
  return {
    tableName,
    async all() {
      const items: Record<string, unknown>[] = [];
      let start: Record<string, unknown> | undefined;
      do {
        const page = await client.send(
          new ScanCommand({
            TableName: tableName,
            ConsistentRead: true,
            Limit: 1000,
            ...(start === undefined ? {} : { ExclusiveStartKey: start }),
          }),
        );
        items.push(...(page.Items ?? []));
        start = page.LastEvaluatedKey;
      } while (start !== undefined);
      return items;
    },
    async find(pk, sk) {
      const { Item } = await client.send(
        new GetCommand({ TableName: tableName, Key: { pk, sk }, ConsistentRead: true }),
      );
      return Item;
    },
    async stopStream() {
      await client.send(
        new UpdateTableCommand({ TableName: tableName, StreamSpecification: { StreamEnabled: false } }),
      );
    },
    async putAll(items) {
      for (let start = 0; start < items.length; start += 25) {
        const requests = items.slice(start, start + 25).map((Item) => ({ PutRequest: { Item: { ...Item } } }));
        await client.send(new BatchWriteCommand({ RequestItems: { [tableName]: requests } }));
      }
    },
  };
}
