import * as z from 'zod';
import {
  fingerprintOf,
  type IdempotencyStore,
  type IdempotentRequest,
  type StoredAnswer,
} from '../domain/accounts/idempotency.ts';
import { invalidInput, ServiceError } from '../domain/errors.ts';
import type { Operation } from '../operations/operation.ts';
import type { Credential } from './authenticate.ts';
import type { ValidInput } from './validate.ts';

/**
 * Reads the `Idempotency-Key` header. Returns undefined if the header is absent or the operation creates nothing.
 * Throws `invalid_request` for a malformed key.
 */
export function readIdempotentRequest(
  operation: Operation,
  key: string | undefined,
  credential: Credential,
  input: ValidInput,
  requestId: string,
): IdempotentRequest | undefined {
  if (key === undefined || operation.kind !== 'create') return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw invalidInput([{ path: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' }]);
  }
  return {
    scope: JSON.stringify([callerName(credential), key]),
    fingerprint: fingerprintOf({ operation: operation.name, path: input.path, body: input.body }),
    request_id: requestId,
  };
}

/**
 * Reserves the idempotency key for this request, and returns undefined. If the request is a retry, returns the first
 * response. Throws `idempotency_mismatch`, `idempotency_in_progress`, and `secret_shown_once`.
 */
export async function claimOrReplay(
  operation: Operation,
  request: IdempotentRequest,
  store: IdempotencyStore,
  now: number,
): Promise<StoredAnswer | undefined> {
  const state = await store.begin(request, now);
  switch (state.kind) {
    case 'first':
      return undefined;
    case 'answered':
      return replay(operation, state.answer);
    case 'mismatch':
      throw new ServiceError(
        'idempotency_mismatch',
        'This Idempotency-Key was used with another request; choose a new key',
      );
    case 'running':
      throw new ServiceError(
        'idempotency_in_progress',
        'The first request with this Idempotency-Key is still running; try again in a moment',
      );
  }
}

/**
 * Returns the stored response to an earlier attempt of the request. If this response contained a secret, throws an
 * error that names the created resource.
 */
function replay(operation: Operation, answer: StoredAnswer): StoredAnswer {
  if (operation.secretOf === undefined) return answer;
  const { name } = storedName.parse(answer.body);
  throw new ServiceError(
    'secret_shown_once',
    `The first request with this Idempotency-Key created ${name}; its secret is shown only once. If the response was lost, revoke it and create another`,
    { madeId: name },
  );
}

const storedName = z.object({ name: z.string() });

export function withoutSecrets(operation: Operation, answer: StoredAnswer): StoredAnswer {
  if (operation.secretOf === undefined) return answer;
  const made = answer.body as Readonly<Record<string, unknown>>;
  return { ...answer, body: { name: String(made[operation.secretOf]) } };
}

/**
 * Returns a name that identifies the caller. For a user, it is the identity, which does not change when the user
 * creates the account.
 */
function callerName(credential: Credential): string {
  switch (credential.kind) {
    case 'anonymous':
      return '';
    case 'user':
      return JSON.stringify(['user', credential.issuer, credential.identity_id]);
    case 'api_key':
      return `key ${credential.key.access_key_id}`;
  }
}
