import type {
  BatchGetCommandInput,
  DeleteCommandInput,
  GetCommandInput,
  PutCommandInput,
  QueryCommandInput,
  TransactWriteCommandInput,
  UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';

/** What is asked of the table, with items as plain objects: as the AWS SDK's document client declares it. */
export interface TableRequests {
  BatchGetItem: BatchGetCommandInput;
  DeleteItem: DeleteCommandInput;
  GetItem: GetCommandInput;
  PutItem: PutCommandInput;
  Query: QueryCommandInput;
  TransactWriteItems: TransactWriteCommandInput;
  UpdateItem: UpdateCommandInput;
}

type Item = Record<string, unknown>;

/** Each operation answers with some of these. */
export interface TableAnswer {
  Item?: Item | undefined;
  Attributes?: Item | undefined;
  Items?: Item[] | undefined;
  LastEvaluatedKey?: Item | undefined;
  Responses?: Record<string, Item[]> | undefined;
  UnprocessedKeys?: Record<string, { Keys?: Item[] | undefined }> | undefined;
  /** Where a request asked for it. */
  ConsumedCapacity?: unknown;
}

/**
 * How the table's requests reach DynamoDB: by the AWS SDK (`sendWithSdk`), or by our own client where an instance must
 * start fast (lib/lambda/aws). Rejects with errors that have the names of DynamoDB's exceptions.
 */
export type SendTableRequest = <Name extends keyof TableRequests>(
  name: Name,
  input: TableRequests[Name],
  abortSignal?: AbortSignal,
) => Promise<TableAnswer>;

// By their names: of two clients there are two classes for each exception.

export function isConditionFailed(error: unknown): boolean {
  return error instanceof Error && error.name === 'ConditionalCheckFailedException';
}

/** Why a transaction was canceled, for each of its writes; undefined for any other error. */
export function cancellationCodes(error: unknown): (string | undefined)[] | undefined {
  if (!(error instanceof Error) || error.name !== 'TransactionCanceledException') return undefined;
  const { CancellationReasons: reasons = [] } = error as { CancellationReasons?: { Code?: string }[] };
  return reasons.map(({ Code }) => Code);
}
