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
import type { SendTableRequest } from './table-requests.ts';

const commands = {
  BatchGetItem: BatchGetCommand,
  DeleteItem: DeleteCommand,
  GetItem: GetCommand,
  PutItem: PutCommand,
  Query: QueryCommand,
  TransactWriteItems: TransactWriteCommand,
  UpdateItem: UpdateCommand,
};

export function sendWithSdk(client: DynamoDBDocumentClient): SendTableRequest {
  return (name, input, abortSignal) => {
    const Command = commands[name] as new (given: typeof input) => GetCommand;
    return client.send(new Command(input), abortSignal && { abortSignal });
  };
}
