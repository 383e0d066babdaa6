import type { ErrorCode, ServiceError } from '../domain/errors.ts';

interface ProblemKind {
  status: number;
  title: string;
}

/** RFC 9457. Codes that only signed requests and the exchange know map to what they would mean here. */
const kinds: Record<ErrorCode, ProblemKind> = {
  invalid_request: { status: 400, title: 'Invalid request' },
  malformed_xml: { status: 400, title: 'Invalid request' },
  unauthenticated: { status: 401, title: 'Authentication required' },
  access_denied: { status: 403, title: 'Not allowed' },
  not_found: { status: 404, title: 'Not found' },
  no_such_upload: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  conflict: { status: 409, title: 'Conflict' },
  payload_too_large: { status: 413, title: 'Body too large' },
  unsupported_media_type: { status: 415, title: 'Body is not JSON' },
  idempotency_mismatch: { status: 422, title: 'Idempotency key used with another request' },
  throttled: { status: 429, title: 'Too many requests' },
  unavailable: { status: 503, title: 'Service unavailable' },
  not_implemented: { status: 501, title: 'Not implemented' },
  internal: { status: 500, title: 'Internal error' },
  unknown_action: { status: 400, title: 'Invalid request' },
  invalid_identity_token: { status: 400, title: 'Invalid request' },
  expired_identity_token: { status: 400, title: 'Invalid request' },
  identity_provider_unreachable: { status: 503, title: 'Service unavailable' },
  authorization_malformed: { status: 400, title: 'Invalid request' },
  invalid_access_key_id: { status: 403, title: 'Not allowed' },
  invalid_security_token: { status: 403, title: 'Not allowed' },
  signature_mismatch: { status: 403, title: 'Not allowed' },
  request_time_skewed: { status: 403, title: 'Not allowed' },
  request_expired: { status: 403, title: 'Not allowed' },
  expired_token: { status: 403, title: 'Not allowed' },
  content_hash_mismatch: { status: 400, title: 'Invalid request' },
  incomplete_body: { status: 400, title: 'Invalid request' },
  invalid_chunk_size: { status: 400, title: 'Invalid request' },
  session_policy_refused: { status: 400, title: 'Invalid request' },
  malformed_trailer: { status: 400, title: 'Invalid request' },
  bad_digest: { status: 400, title: 'Invalid request' },
  invalid_argument: { status: 400, title: 'Invalid request' },
  invalid_digest: { status: 400, title: 'Invalid request' },
  key_too_long: { status: 400, title: 'Invalid request' },
};

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail?: string;
  request_id: string;
  errors?: { path: string; message: string }[];
}

/** An internal error says nothing but its request id: its sentence and cause are for the log. */
export function toProblem(error: ServiceError, requestId: string): Problem {
  const { status, title } = kinds[error.code];
  return {
    type: 'about:blank',
    title,
    status,
    ...(error.code === 'internal' ? {} : { detail: error.publicMessage }),
    request_id: requestId,
    ...(error.faults.length === 0 ? {} : { errors: error.faults.map(({ path, message }) => ({ path, message })) }),
  };
}
