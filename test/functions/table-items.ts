import { randomUUID } from 'node:crypto';
import { DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient, GetCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { engineOfThisFile } from '../service/engine-of-this-file.ts';

/** Direct access to the table, without the service. */
export interface TableItems {
  tableName: string;
  all(): Promise<Record<string, unknown>[]>;
  find(pk: string, sk: string): Promise<Record<string, unknown> | undefined>;
  /** Writes many items together, which is faster than the API. */
  putAll(items: readonly object[]): Promise<void>;
  /** Stops the stream for tests with many writes. Writes in the engine become slower as its streams grow. */
  stopStream(): Promise<void>;
}

export function lookAtTable(tableName = `test-${randomUUID()}`): TableItems {
  const marshallOptions = { removeUndefinedValues: true };
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(engineOfThisFile()), { marshallOptions });
  return {
    tableName,
    async all() {
      const items: Record<string, unknown>[] = [];
      const pages = paginateScan({ client }, { TableName: tableName, ConsistentRead: true, Limit: 1000 });
      for await (const { Items = [] } of pages) items.push(...Items);
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
