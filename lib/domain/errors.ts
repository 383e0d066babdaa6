/** Refusals because of a resource's state, such as a taken name. Only the management API has them, with 409. */
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
  'idempotency_in_progress',
  'invitation_declined',
  'issuer_unusable',
  'last_owner',
  'limit_reached',
  'place_taken',
  'repository_id_taken',
  'secret_shown_once',
  'service_account_id_taken',
  'wrong_state',
] as const;
type ConflictCode = (typeof conflictCodes)[number];

/** Returns the same row for each code, for protocols that do not distinguish these codes. */
export function rowOfEach<Code extends ErrorCode, const Row>(codes: readonly Code[], row: Row): Record<Code, Row> {
  return Object.fromEntries(codes.map((code) => [code, row])) as Record<Code, Row>;
}

/** The closed set of refusal codes. Each protocol has an exhaustive table of all codes, which the compiler checks. */
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
  // credential exchange
  | 'unknown_action'
  | 'invalid_identity_token'
  | 'expired_identity_token'
  | 'identity_provider_unreachable'
  // signed requests
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
  // objects
  | 'bad_digest'
  | 'invalid_argument'
  | 'invalid_digest'
  | 'key_too_long';

/** One fault in an input. `path` is dotted (`profile.name`), and empty for the whole input. */
export interface InputFault {
  path: string;
  message: string;
}

interface ServiceErrorOptions {
  cause?: unknown;
  faults?: readonly InputFault[];
  /** Seconds until a retry may succeed, for refusals by a rate limit. */
  retryAfterSeconds?: number;
  /** The ID of a resource that the refused request created before. */
  madeId?: string;
}

/** A refusal that the caller may see. `publicMessage` says what to do; `cause` goes to the log only. */
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

/** Creates the refusal of well-formed input with invalid values. The message names the fields. */
export function invalidInput(faults: readonly InputFault[]): ServiceError {
  const named = faults.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return new ServiceError('field_invalid', `The request is not valid: ${named.join('; ')}`, { faults });
}

/** Returns the refusal of a change that met another change of the same item. */
export function conflict(message: string): ServiceError {
  return new ServiceError('concurrent_change', message);
}
