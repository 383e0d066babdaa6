import { createHash } from 'node:crypto';

/** The first response to a create, for its retries. Contains no secrets: a retry that needs one is refused. */
export interface StoredAnswer {
  status: number;
  body: unknown;
  location: string | undefined;
}

/** One use of an `Idempotency-Key`: its caller, its content, and the request that began it. */
export interface IdempotentRequest {
  /** Caller and key. The same key of another caller has another scope. */
  scope: string;
  /** Operation, path, and body. */
  fingerprint: string;
  request_id: string;
}

export type IdempotencyState =
  | { kind: 'first' }
  | { kind: 'answered'; answer: StoredAnswer }
  | { kind: 'running' }
  | { kind: 'mismatch' };

export interface IdempotencyStore {
  /** Claims the key unless another request holds it. Costs one write, and one read if the key is held. */
  begin(request: IdempotentRequest, now: number): Promise<IdempotencyState>;
  /** Returns the answer stored for this very request, without claiming the key. */
  findAnswer(request: IdempotentRequest, now: number): Promise<StoredAnswer | undefined>;
  finish(request: IdempotentRequest, answer: StoredAnswer, now: number): Promise<void>;
  /** Releases the key after a refusal. The request created nothing, so a retry may run. */
  abandon(request: IdempotentRequest): Promise<void>;
}

export function fingerprintOf(request: { operation: string; path: unknown; body: unknown }): string {
  return createHash('sha256')
    .update(JSON.stringify([request.operation, request.path, request.body]))
    .digest('hex');
}
