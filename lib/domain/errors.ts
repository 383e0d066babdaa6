/**
 * Codes of refusals that the current state of a resource causes, such as a taken name. Only the management API sends
 * them, with status 409.
 */
export const conflictCodes = [
  'account_exists',
  'account_id_taken',
  'account_not_empty',
  'adoption_required',
  'already_member',
  'already_offered',
  'already_registered',
  'already_trusted',
  'concurrent_change',
  'data_connection_id_taken',
  'data_connection_refused',
  'files_being_deleted',
  'idempotency_in_progress',
  'invitation_declined',
  'issuer_unusable',
  'last_owner',
  'limit_reached',
  'place_taken',
  'repository_id_taken',
  'secret_shown_once',
  'service_account_id_taken',
  'version_name_taken',
  'wrong_state',
] as const;
type ConflictCode = (typeof conflictCodes)[number];

/** Maps each code to the same table row, for a protocol that does not distinguish these codes. */
export function rowOfEach<Code extends ErrorCode, const Row>(codes: readonly Code[], row: Row): Record<Code, Row> {
  return Object.fromEntries(codes.map((code) => [code, row])) as Record<Code, Row>;
}

/** All refusal codes. Each protocol has a table with a row for every code, and the compiler reports a missing row. */
export type ErrorCode =
  | ConflictCode
  | 'invalid_request'
  | 'field_invalid'
  | 'id_reserved'
  | 'body_malformed'
  | 'secret_in_url'
  | 'malformed_xml'
  | 'unauthenticated'
  | 'access_denied'
  | 'account_disabled'
  | 'bearer_token_required'
  | 'not_found'
  | 'route_not_found'
  | 'no_such_upload'
  | 'method_not_allowed'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'idempotency_mismatch'
  | 'stale'
  | 'throttled'
  | 'unavailable'
  | 'not_implemented'
  | 'internal'
  // Codes of the credential exchange.
  | 'unknown_action'
  | 'invalid_identity_token'
  | 'expired_identity_token'
  | 'identity_provider_unreachable'
  // Codes of signed requests.
  | 'authorization_malformed'
  | 'invalid_access_key_id'
  | 'invalid_security_token'
  | 'signature_mismatch'
  | 'request_time_skewed'
  | 'request_expired'
  | 'expired_token'
  | 'content_hash_mismatch'
  | 'incomplete_body'
  | 'invalid_chunk_size'
  | 'malformed_trailer'
  | 'session_policy_refused'
  // Codes of requests for objects.
  | 'bad_digest'
  | 'invalid_argument'
  | 'invalid_digest'
  | 'key_too_long';

/**
 * One invalid field of an input. `path` is the dotted field name (`profile.name`), or empty if the fault concerns the
 * whole input.
 */
export interface InputFault {
  path: string;
  message: string;
}

interface ServiceErrorOptions {
  cause?: unknown;
  faults?: readonly InputFault[];
  /** Seconds until a retry may succeed, for refusals by a rate limit. */
  retryAfterSeconds?: number;
  /** The ID of a resource that an earlier attempt of the request created. */
  madeId?: string;
}

/**
 * An error that the service sends to the caller. `publicMessage` tells the caller what to do. The service writes
 * `cause` to the log only.
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly faults: readonly InputFault[];
  readonly retryAfterSeconds: number | undefined;
  readonly madeId: string | undefined;

  constructor(code: ErrorCode, publicMessage: string, options: ServiceErrorOptions = {}) {
    super(publicMessage, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.faults = options.faults ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.madeId = options.madeId;
  }

  get publicMessage(): string {
    return this.message;
  }
}

/** Creates the error for a well-formed input with invalid values. The message names the fields. */
export function invalidInput(faults: readonly InputFault[]): ServiceError {
  const named = faults.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return new ServiceError('field_invalid', `The request is not valid: ${named.join('; ')}`, { faults });
}

/** Creates the error for a change that conflicts with a simultaneous change of the same item. */
export function conflict(message: string): ServiceError {
  return new ServiceError('concurrent_change', message);
}
