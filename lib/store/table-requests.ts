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

/** The DynamoDB requests that the store sends. Items are plain objects, as in the AWS SDK's document client. */
export interface TableRequests {
  BatchGetItem: BatchGetCommandInput;
  DeleteItem: DeleteCommandInput;
  GetItem: GetCommandInput;
  PutItem: PutCommandInput;
  Query: QueryCommandInput;
  TransactWriteItems: TransactWriteCommandInput;
  UpdateItem: UpdateCommandInput;
}

/** A response of DynamoDB. Each operation returns some of these fields. */
export interface TableAnswer {
  Item?: Item | undefined;
  Attributes?: Item | undefined;
  Items?: Item[] | undefined;
  LastEvaluatedKey?: Item | undefined;
  Responses?: Record<string, Item[]> | undefined;
  UnprocessedKeys?: Record<string, { Keys?: Item[] | undefined }> | undefined;
  /** The capacity units of the request. Present if the request contained `ReturnConsumedCapacity`. */
  ConsumedCapacity?: unknown;
}

/** Sends a request to DynamoDB. Rejects with an error whose `name` is the name of DynamoDB's exception. */
export type SendTableRequest = <Name extends keyof TableRequests>(
  name: Name,
  input: TableRequests[Name],
  abortSignal?: AbortSignal,
) => Promise<TableAnswer>;

// Compare the names of errors, because the AWS SDK and the smaller client have different classes for the same
// exception.

export function isConditionFailed(error: unknown): boolean {
  return error instanceof Error && error.name === 'ConditionalCheckFailedException';
}

/** Returns the reason of each write in a canceled transaction. Returns undefined for any other error. */
export function cancellationCodes(error: unknown): (string | undefined)[] | undefined {
  if (!(error instanceof Error) || error.name !== 'TransactionCanceledException') return undefined;
  const { CancellationReasons: reasons = [] } = error as { CancellationReasons?: { Code?: string }[] };
  return reasons.map(({ Code }) => Code);
}

/**
 * Names of AWS errors that can be retried although their status is below 500 (AWS SDKs and Tools Reference Guide,
 * "Retry behavior").
 */
const throttled = new Set([
  'LimitExceededException',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'RequestTimeout',
  'RequestTimeoutException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'TransactionInProgressException',
]);

const networkCodes = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

/** Returns true if a service was unreachable, too slow, or busy, so that a retry may succeed. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, $metadata } = error as { code?: unknown; $metadata?: { httpStatusCode?: number } };
  const isRefused = ($metadata?.httpStatusCode ?? 0) >= 500 || throttled.has(error.name);
  return isRefused || isTimeout(error) || networkCodes.has(String(code));
}

export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}
