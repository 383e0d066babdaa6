import type {
  BatchGetCommandInput,
  DeleteCommandInput,
  GetCommandInput,
  PutCommandInput,
  QueryCommandInput,
  TransactWriteCommandInput,
  UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';

import type { Item } from './keys.ts';

/** Requests to the table, with items as plain objects, as the AWS SDK's document client declares them. */
export interface TableRequests {
  BatchGetItem: BatchGetCommandInput;
  DeleteItem: DeleteCommandInput;
  GetItem: GetCommandInput;
  PutItem: PutCommandInput;
  Query: QueryCommandInput;
  TransactWriteItems: TransactWriteCommandInput;
  UpdateItem: UpdateCommandInput;
}

/** A response. Each operation returns some of these fields. */
export interface TableAnswer {
  Item?: Item | undefined;
  Attributes?: Item | undefined;
  Items?: Item[] | undefined;
  LastEvaluatedKey?: Item | undefined;
  Responses?: Record<string, Item[]> | undefined;
  UnprocessedKeys?: Record<string, { Keys?: Item[] | undefined }> | undefined;
  /** Present if the request contained `ReturnConsumedCapacity`. */
  ConsumedCapacity?: unknown;
}

/** Sends requests to DynamoDB. Rejects with errors that have the names of DynamoDB's exceptions. */
export type SendTableRequest = <Name extends keyof TableRequests>(
  name: Name,
  input: TableRequests[Name],
  abortSignal?: AbortSignal,
) => Promise<TableAnswer>;

// Compares names, because the two clients have different classes for each exception.

export function isConditionFailed(error: unknown): boolean {
  return error instanceof Error && error.name === 'ConditionalCheckFailedException';
}

/** Returns the reason of a canceled transaction for each of its writes, or undefined for any other error. */
export function cancellationCodes(error: unknown): (string | undefined)[] | undefined {
  if (!(error instanceof Error) || error.name !== 'TransactionCanceledException') return undefined;
  const { CancellationReasons: reasons = [] } = error as { CancellationReasons?: { Code?: string }[] };
  return reasons.map(({ Code }) => Code);
}
