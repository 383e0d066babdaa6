import { createHash } from 'node:crypto';

/**
 * The stored first response to a creation request. A retry of the request gets this response again. It contains no
 * secrets: if the full response contains a secret, the retry is refused.
 */
export interface StoredAnswer {
  status: number;
  body: unknown;
  location: string | undefined;
}

export interface IdempotentRequest {
  /** The caller and the idempotency key. Two callers can use the same key independently. */
  scope: string;
  /** Identifies the content of a request: operation, path, and body. */
  fingerprint: string;
  request_id: string;
}

export type IdempotencyState =
  | { kind: 'first' }
  | { kind: 'answered'; answer: StoredAnswer }
  | { kind: 'running' }
  | { kind: 'mismatch' };

export interface IdempotencyStore {
  /**
   * Reserves an idempotency key, unless another request has reserved it. Costs one write, and one read if the key is
   * already reserved.
   */
  begin(request: IdempotentRequest, now: number): Promise<IdempotencyState>;
  /** Returns the stored response if the same request ran earlier. Does not reserve the idempotency key. */
  findAnswer(request: IdempotentRequest, now: number): Promise<StoredAnswer | undefined>;
  finish(request: IdempotentRequest, answer: StoredAnswer, now: number): Promise<void>;
  /** Releases the idempotency key after a refusal. The refused request created nothing, so a retry may run. */
  abandon(request: IdempotentRequest): Promise<void>;
}

export function fingerprintOf(request: { operation: string; path: unknown; body: unknown }): string {
  return createHash('sha256')
    .update(JSON.stringify([request.operation, request.path, request.body]))
    .digest('hex');
}
