import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { type ErrorCode, rowOfEach, ServiceError } from '../domain/errors.ts';
import { type ProblemCode, problems, problemType } from '../operations/problems.ts';

/** Maps the error codes of signed requests and of the credential exchange to codes of the management API. */
const codesElsewhere: Record<Exclude<ErrorCode, ProblemCode>, ProblemCode> = {
  ...rowOfEach(
    ['malformed_xml', 'unknown_action', 'invalid_identity_token', 'expired_identity_token'],
    'invalid_request',
  ),
  ...rowOfEach(['authorization_malformed', 'content_hash_mismatch', 'incomplete_body'], 'invalid_request'),
  ...rowOfEach(['invalid_chunk_size', 'session_policy_refused', 'malformed_trailer'], 'invalid_request'),
  ...rowOfEach(['bad_digest', 'invalid_argument', 'invalid_digest', 'key_too_long'], 'invalid_request'),
  ...rowOfEach(['invalid_access_key_id', 'invalid_security_token', 'signature_mismatch'], 'access_denied'),
  ...rowOfEach(['request_time_skewed', 'request_expired', 'expired_token'], 'access_denied'),
  no_such_upload: 'not_found',
  identity_provider_unreachable: 'unavailable',
};

export interface Problem {
  /** The URL of the explanation of the code on the reference page. */
  type: string;
  code: ProblemCode;
  title: string;
  status: number;
  detail?: string;
  request_id: string;
  errors?: { path: string; message: string }[];
  /** The ID of the created resource, for the code `secret_shown_once`. The caller can revoke the resource. */
  made_id?: string;
}

/**
 * Converts an error to a problem document. For an internal error, the document shows only the request ID, and the
 * message and the cause go to the log.
 */
export function toProblem(error: ServiceError, requestId: string): Problem {
  const code =
    error.code in codesElsewhere
      ? codesElsewhere[error.code as keyof typeof codesElsewhere]
      : (error.code as ProblemCode);
  const { status, title } = problems[code];
  return {
    type: problemType(code),
    code,
    title,
    status,
    ...(code === 'internal' ? {} : { detail: error.publicMessage }),
    request_id: requestId,
    ...(error.madeId === undefined ? {} : { made_id: error.madeId }),
    ...(error.faults.length === 0 ? {} : { errors: error.faults.map(({ path, message }) => ({ path, message })) }),
  };
}

/**
 * Converts any error to a ServiceError. The public message contains no text from an unexpected error or an error of
 * the JSON parser.
 */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  // Drop the cause of a JSON parser error, because it contains the request body. The body must reach neither the
  // response nor the log.
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  if (status === 415) {
    return new ServiceError('unsupported_media_type', 'Send the body as JSON with "content-type: application/json"');
  }
  if (status === 422) return new ServiceError('body_malformed', 'The body is not valid JSON; check its syntax');
  return new ServiceError('internal', 'Internal error', { cause: error });
}

export function problemResult(refusal: ServiceError, requestId: string): APIGatewayProxyStructuredResultV2 {
  const problem = toProblem(refusal, requestId);
  // Ask clients to wait only a short time, because the service may be available again soon.
  const retryAfterSeconds = refusal.retryAfterSeconds ?? (problem.status === 503 ? 1 : undefined);
  return {
    statusCode: problem.status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...(problem.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    },
    body: JSON.stringify(problem),
  };
}
