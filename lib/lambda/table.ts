import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { sendWithSdk } from '../store/sdk-requests.ts';
import { Table } from '../store/table.ts';

export function openTable(client: DynamoDBClient, tableName: string): Table {
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  return new Table(sendWithSdk(documents), tableName);
}
