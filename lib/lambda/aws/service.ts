import { hash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { HeaderFields } from '../../domain/data/decision.ts';
import { type SigningCredentials, signRequest } from '../../sigv4/sign.ts';
import { isTimeout, isTransient } from '../../store/table-requests.ts';
import { readEnvironmentCredentials } from '../environment-credentials.ts';
import type { AwsError } from './aws-error.ts';
import { createPostClient, type PostAnswer, type PostClient } from './post.ts';

export interface AwsServiceOptions {
  region: string;
  /** The time limit of one attempt, from the connection to the end of the response. */
  timeoutMs?: number;
  triesMax?: number;
  /** The URL to use instead of the service's regional endpoint. */
  endpoint?: string;
  credentials?: () => SigningCredentials;
  /** True for an operation that needs no credentials. */
  isUnsigned?: boolean;
}

export interface AwsService {
  /**
   * Returns the body of a 200 response.
   *
   * @throws AwsError for a refusal; Node's network errors; the reason of `signal`
   */
  send(headers: HeaderFields, body: string, signal?: AbortSignal): Promise<string>;
  close(): void;
}

export function regionOf(arn: string): string {
  return arn.split(':')[3] ?? '';
}

/**
 * Default timeout of a request to AWS. From a distant region, the first connection takes three round trips of up to 300
 * ms each.
 */
const usualTimeoutMs = 5000;
const usualTriesMax = 3;
const restMs = 50;

/**
 * Creates a client that sends signed requests to an AWS service. It retries transient failures as the AWS SDK does. The
 * SDK itself would add 150 KB.
 */
export function createAwsService(
  name: string,
  readRefusal: (answer: PostAnswer) => AwsError,
  { region, timeoutMs = usualTimeoutMs, triesMax = usualTriesMax, ...options }: AwsServiceOptions,
  client: PostClient = createPostClient(options.endpoint ?? `https://${name}.${region}.amazonaws.com`),
): AwsService {
  const { credentials = readEnvironmentCredentials } = options;
  const budget = new RetryBudget();

  const tryOnce = async (headers: HeaderFields, body: string, signal: AbortSignal | undefined) => {
    const request = { method: 'POST', rawPath: '/', rawQuery: '', headers: { host: client.host, ...headers } };
    const payloadHash = hash('sha256', body, 'hex');
    const signed = options.isUnsigned
      ? request.headers
      : signRequest(request, credentials(), { now: Date.now(), region, service: name, payloadHash });
    const answer = await client.post({ headers: signed, body, timeoutMs, signal });
    if (answer.status !== 200) throw readRefusal(answer);
    return answer.body;
  };

  return {
    async send(headers, body, signal) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          const answer = await tryOnce(headers, body, signal);
          budget.refill();
          return answer;
        } catch (error) {
          if (attempt === triesMax || signal?.aborted || !isTransient(error)) throw error;
          if (!budget.take(isTimeout(error))) throw error;
        }
        // Wait for a random time (full jitter), so that many instances do not retry at the same moment.
        await wait(Math.random() * restMs * 2 ** attempt, undefined, { signal });
      }
    },
    close: () => client.close(),
  };
}

const budgetMax = 500;
const costs = { timeout: 10, other: 5 };

/**
 * Limits the retries of an instance as the AWS SDKs do (AWS SDKs and Tools Reference Guide, "Retry behavior", standard
 * mode). Each retry uses a part of the budget. During an outage the budget is used up, and the client sends each
 * request only once.
 */
class RetryBudget {
  #left = budgetMax;

  take(isTimeout: boolean): boolean {
    const cost = isTimeout ? costs.timeout : costs.other;
    if (this.#left < cost) return false;
    this.#left -= cost;
    return true;
  }

  /** Adds to the retry budget after a successful request. */
  refill(): void {
    this.#left = Math.min(budgetMax, this.#left + costs.other);
  }
}
