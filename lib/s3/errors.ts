import type { BufferedResponse, EdgeRequest } from '../domain/data/decision.ts';
import { type ErrorCode, everyConflict, ServiceError } from '../domain/errors.ts';
import { carriesServiceAccountKey } from '../domain/service-accounts/key-in-url.ts';
import { xmlTextElement } from '../domain/xml.ts';

interface S3Error {
  /** The S3 error code. Clients use it to decide whether to retry or to sign in again. */
  code: string;
  status: number;
}

const s3Errors: Record<ErrorCode, S3Error> = {
  invalid_request: { code: 'InvalidRequest', status: 400 },
  field_invalid: { code: 'InvalidRequest', status: 400 },
  id_reserved: { code: 'InvalidRequest', status: 400 },
  body_malformed: { code: 'InvalidRequest', status: 400 },
  secret_in_url: { code: 'InvalidRequest', status: 400 },
  malformed_xml: { code: 'MalformedXML', status: 400 },
  unauthenticated: { code: 'AccessDenied', status: 403 },
  access_denied: { code: 'AccessDenied', status: 403 },
  account_disabled: { code: 'AccessDenied', status: 403 },
  bearer_token_required: { code: 'AccessDenied', status: 403 },
  not_found: { code: 'NoSuchKey', status: 404 },
  route_not_found: { code: 'NoSuchKey', status: 404 },
  no_such_upload: { code: 'NoSuchUpload', status: 404 },
  method_not_allowed: { code: 'MethodNotAllowed', status: 405 },
  ...everyConflict({ code: 'OperationAborted', status: 409 }),
  payload_too_large: { code: 'EntityTooLarge', status: 400 },
  unsupported_media_type: { code: 'InvalidRequest', status: 400 },
  idempotency_mismatch: { code: 'InvalidRequest', status: 400 },
  stale: { code: 'PreconditionFailed', status: 412 },
  throttled: { code: 'SlowDown', status: 503 },
  unavailable: { code: 'ServiceUnavailable', status: 503 },
  not_implemented: { code: 'NotImplemented', status: 501 },
  internal: { code: 'InternalError', status: 500 },
  unknown_action: { code: 'InvalidRequest', status: 400 },
  invalid_identity_token: { code: 'InvalidToken', status: 400 },
  expired_identity_token: { code: 'ExpiredToken', status: 403 },
  identity_provider_unreachable: { code: 'ServiceUnavailable', status: 503 },
  authorization_malformed: { code: 'AuthorizationHeaderMalformed', status: 400 },
  invalid_access_key_id: { code: 'InvalidAccessKeyId', status: 403 },
  invalid_security_token: { code: 'InvalidToken', status: 400 },
  signature_mismatch: { code: 'SignatureDoesNotMatch', status: 403 },
  request_time_skewed: { code: 'RequestTimeTooSkewed', status: 403 },
  request_expired: { code: 'AccessDenied', status: 403 },
  expired_token: { code: 'ExpiredToken', status: 403 },
  content_hash_mismatch: { code: 'XAmzContentSHA256Mismatch', status: 400 },
  incomplete_body: { code: 'IncompleteBody', status: 400 },
  invalid_chunk_size: { code: 'InvalidChunkSizeError', status: 400 },
  session_policy_refused: { code: 'InvalidRequest', status: 400 },
  malformed_trailer: { code: 'MalformedTrailerError', status: 400 },
  bad_digest: { code: 'BadDigest', status: 400 },
  invalid_argument: { code: 'InvalidArgument', status: 400 },
  invalid_digest: { code: 'InvalidDigest', status: 400 },
  key_too_long: { code: 'KeyTooLongError', status: 400 },
};

/** Request data for an error response. `resource` is the path as received, or empty if it is unknown. */
export interface ErrorContext {
  method: string;
  resource: string;
  requestId: string;
}

export function errorContext(request: Pick<EdgeRequest, 'method' | 'rawPath' | 'requestId'>): ErrorContext {
  return { method: request.method, resource: request.rawPath, requestId: request.requestId };
}

/**
 * Renders any thrown value as an S3 error. Shows the message of a ServiceError only; other errors are `InternalError`.
 */
export function renderError(error: unknown, context: ErrorContext): BufferedResponse {
  if (!(error instanceof ServiceError)) {
    return renderS3Error(
      s3Errors.internal,
      'The request failed on our side; try again, and report the request id if it fails again.',
      context,
    );
  }
  const answer = renderS3Error(s3Errors[error.code], error.publicMessage, context);
  // The service may be available again soon, and clients wait for as long as this header says.
  return error.code === 'unavailable' ? { ...answer, headers: { ...answer.headers, 'retry-after': '1' } } : answer;
}

export function renderS3Error({ code, status }: S3Error, message: string, context: ErrorContext): BufferedResponse {
  const { method, resource, requestId } = context;
  const body = [
    '<?xml version="1.0" encoding="UTF-8"?>\n<Error>',
    xmlTextElement('Code', code),
    xmlTextElement('Message', message),
    // Users copy responses into logs and issues, so the response must not repeat a secret from the URL.
    resource === '' || carriesServiceAccountKey(resource) || /sck.{1,12}[0-9A-Za-z]{30}/i.test(resource)
      ? ''
      : xmlTextElement('Resource', resource),
    xmlTextElement('RequestId', requestId),
    '</Error>',
  ].join('');
  return {
    status,
    headers: { 'content-type': 'application/xml', 'x-amz-request-id': requestId },
    body: method === 'HEAD' ? '' : body,
  };
}
