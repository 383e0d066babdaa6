import { AwsError } from './aws-error.ts';

/** Retryable errors with a status below 500 (AWS SDKs and Tools Reference Guide, "Retry behavior"). */
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

/** Returns true when a retry may succeed. */
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
 * Limits the retries of an instance like the AWS SDKs (their reference guide, "Retry behavior", standard mode). During
 * an outage, the budget runs out, and each request is then sent only once.
 */
export class RetryBudget {
  #left = budgetMax;

  take(isTimeout: boolean): boolean {
    const cost = isTimeout ? costs.timeout : costs.other;
    if (this.#left < cost) return false;
    this.#left -= cost;
    return true;
  }

  /** Refills the budget after a success. */
  refill(): void {
    this.#left = Math.min(budgetMax, this.#left + costs.other);
  }
}
