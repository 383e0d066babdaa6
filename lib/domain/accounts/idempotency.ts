import { createHash } from 'node:crypto';

/** The first answer to a create, for a retry of it. Secrets are not in it: a retry that comes for one is refused. */
export interface StoredAnswer {
  status: number;
  body: unknown;
  location: string | undefined;
}

/** One use of an `Idempotency-Key`: whose, for what, and which request of the caller's began it. */
export interface IdempotentRequest {
  /** Caller and key; the same key of another caller is another one. */
  scope: string;
  /** Operation, path and body. */
  fingerprint: string;
  request_id: string;
}

export type IdempotencyState =
  | { kind: 'first' }
  | { kind: 'answered'; answer: StoredAnswer }
  | { kind: 'running' }
  | { kind: 'mismatch' };

export interface IdempotencyStore {
  /** Takes the key for this request, unless another one has it. One write, and a read where it is taken. */
  begin(request: IdempotentRequest, now: number): Promise<IdempotencyState>;
  /** The answer stored for this very request, without taking the key. */
  findAnswer(request: IdempotentRequest, now: number): Promise<StoredAnswer | undefined>;
  finish(request: IdempotentRequest, answer: StoredAnswer, now: number): Promise<void>;
  /** Gives the key back after a refusal: nothing was made, so a retry may try again. */
  abandon(request: IdempotentRequest): Promise<void>;
}

export function fingerprintOf(request: { operation: string; path: unknown; body: unknown }): string {
  return createHash('sha256')
    .update(JSON.stringify([request.operation, request.path, request.body]))
    .digest('hex');
}
