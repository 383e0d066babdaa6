import {
  BatchGetCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { SendTableRequest, TableAnswer, TableRequests } from './table-requests.ts';

type Senders = {
  [Name in keyof TableRequests]: (
    client: DynamoDBDocumentClient,
    input: TableRequests[Name],
    options: { abortSignal?: AbortSignal },
  ) => Promise<TableAnswer>;
};

const senders: Senders = {
  BatchGetItem: (client, input, options) => client.send(new BatchGetCommand(input), options),
  DeleteItem: (client, input, options) => client.send(new DeleteCommand(input), options),
  GetItem: (client, input, options) => client.send(new GetCommand(input), options),
  PutItem: (client, input, options) => client.send(new PutCommand(input), options),
  Query: (client, input, options) => client.send(new QueryCommand(input), options),
  TransactWriteItems: (client, input, options) => client.send(new TransactWriteCommand(input), options),
  UpdateItem: (client, input, options) => client.send(new UpdateCommand(input), options),
};

export function sendWithSdk(client: DynamoDBDocumentClient): SendTableRequest {
  return (name, input, abortSignal) => senders[name](client, input, abortSignal === undefined ? {} : { abortSignal });
}
