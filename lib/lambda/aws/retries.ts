import { AwsError } from './aws-error.ts';

/** Of refusals that have another status than 5xx (AWS SDKs and Tools Reference Guide, "Retry behavior"). */
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

/** Whether the same request may succeed in a moment. */
export function isTransient(error: unknown): boolean {
  if (error instanceof AwsError) return error.$metadata.httpStatusCode >= 500 || throttled.has(error.name);
  return isTimeout(error) || (error instanceof Error && 'code' in error && networkCodes.has(String(error.code)));
}

export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

const budgetMax = 500;
const costs = { timeout: 10, other: 5 };

/**
 * How often an instance tries again in all, as the AWS SDKs count it (their reference guide, "Retry behavior", standard
 * mode): while nothing succeeds, requests stop being sent three times.
 */
export class RetryBudget {
  #left = budgetMax;

  take(isTimeout: boolean): boolean {
    const cost = isTimeout ? costs.timeout : costs.other;
    if (this.#left < cost) return false;
    this.#left -= cost;
    return true;
  }

  /** After a success. */
  refill(): void {
    this.#left = Math.min(budgetMax, this.#left + costs.other);
  }
}
