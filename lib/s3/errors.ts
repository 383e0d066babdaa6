import type { BufferedResponse, EdgeRequest } from '../domain/data/decision.ts';
import { conflictCodes, type ErrorCode, rowOfEach, ServiceError } from '../domain/errors.ts';
import { carriesServiceAccountKey } from '../domain/service-accounts/key-in-url.ts';
import { xmlTextElement } from '../domain/xml.ts';
import { readSignature } from '../sigv4/presented-signature.ts';
import { LoggedStorageError, shownError } from './storage-errors/shown-errors.ts';

interface S3Error {
  /** The S3 error code. It tells clients whether to retry or to sign in again. */
  code: string;
  status: number;
}

const row = <Code extends ErrorCode>(code: string, status: number, ...codes: Code[]) =>
  rowOfEach(codes, { code, status });

const s3Errors: Record<ErrorCode, S3Error> = {
  ...row('InvalidRequest', 400, 'invalid_request', 'field_invalid', 'id_reserved', 'body_malformed', 'secret_in_url'),
  ...row('InvalidRequest', 400, 'unsupported_media_type', 'idempotency_mismatch'),
  ...row('InvalidRequest', 400, 'unknown_action', 'session_policy_refused'),
  ...row('MalformedXML', 400, 'malformed_xml'),
  ...row('AccessDenied', 403, 'unauthenticated', 'access_denied', 'account_disabled', 'bearer_token_required'),
  ...row('AccessDenied', 403, 'request_expired'),
  ...row('NoSuchKey', 404, 'not_found', 'route_not_found'),
  ...row('NoSuchUpload', 404, 'no_such_upload'),
  ...row('MethodNotAllowed', 405, 'method_not_allowed'),
  ...row('OperationAborted', 409, ...conflictCodes),
  ...row('EntityTooLarge', 400, 'payload_too_large'),
  ...row('PreconditionFailed', 412, 'stale'),
  ...row('SlowDown', 503, 'throttled'),
  ...row('ServiceUnavailable', 503, 'unavailable', 'identity_provider_unreachable'),
  ...row('NotImplemented', 501, 'not_implemented'),
  ...row('InternalError', 500, 'internal'),
  ...row('InvalidToken', 400, 'invalid_identity_token', 'invalid_security_token'),
  ...row('ExpiredToken', 403, 'expired_identity_token', 'expired_token'),
  ...row('AuthorizationHeaderMalformed', 400, 'authorization_malformed'),
  ...row('InvalidAccessKeyId', 403, 'invalid_access_key_id'),
  ...row('SignatureDoesNotMatch', 403, 'signature_mismatch'),
  ...row('RequestTimeTooSkewed', 403, 'request_time_skewed'),
  ...row('XAmzContentSHA256Mismatch', 400, 'content_hash_mismatch'),
  ...row('IncompleteBody', 400, 'incomplete_body'),
  ...row('InvalidChunkSizeError', 400, 'invalid_chunk_size'),
  ...row('MalformedTrailerError', 400, 'malformed_trailer'),
  ...row('BadDigest', 400, 'bad_digest'),
  ...row('InvalidArgument', 400, 'invalid_argument'),
  ...row('InvalidDigest', 400, 'invalid_digest'),
  ...row('KeyTooLongError', 400, 'key_too_long'),
};

/**
 * The request data that an error response repeats. `resource` is the path as received, or empty if the path is unknown.
 */
export interface ErrorContext {
  method: string;
  resource: string;
  requestId: string;
}

export function errorContext(request: Pick<EdgeRequest, 'method' | 'rawPath' | 'requestId'>): ErrorContext {
  return { method: request.method, resource: request.rawPath, requestId: request.requestId };
}

/**
 * Renders a thrown value as an S3 error. Only a ServiceError and a LoggedStorageError show their message. Any other
 * error becomes `InternalError`.
 */
export function renderError(error: unknown, context: ErrorContext): BufferedResponse {
  if (error instanceof LoggedStorageError) {
    const { message, ...shown } = shownError(error.shown);
    return renderS3Error(shown, message, context);
  }
  if (!(error instanceof ServiceError)) {
    return renderS3Error(
      s3Errors.internal,
      'The request failed on our side; try again, and report the request id if it fails again.',
      context,
    );
  }
  const answer = renderS3Error(s3Errors[error.code], error.publicMessage, context);
  // The `Retry-After` header tells clients how long to wait. The time is short, because the service may be available
  // again soon.
  return error.code === 'unavailable' ? { ...answer, headers: { ...answer.headers, 'retry-after': '1' } } : answer;
}

export function renderS3Error({ code, status }: S3Error, message: string, context: ErrorContext): BufferedResponse {
  const { method, resource, requestId } = context;
  const body = [
    '<?xml version="1.0" encoding="UTF-8"?>\n<Error>',
    xmlTextElement('Code', code),
    xmlTextElement('Message', message),
    // If the URL contains a secret, leave the path out of the response, because users copy responses into logs and bug
    // reports.
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

const deniedMessage =
  'The repository does not exist or these credentials do not allow this; check the path and the grants.';

/**
 * Returns the error for a missing resource and also for a missing right. Both have the same message, so that the
 * response does not reveal what exists.
 */
export function accessDenied(): ServiceError {
  return new ServiceError('access_denied', deniedMessage);
}

/**
 * Replaces a refusal by an error that mentions missing credentials, if the request has none. Many clients that find no
 * credentials send an unsigned request without a warning, and their users then look for a mistake in their grants. The
 * message depends only on the request, so it does not reveal what exists.
 */
export function namingMissingCredentials(error: ServiceError, request: EdgeRequest): ServiceError {
  if (error.publicMessage !== deniedMessage || readSignature(request) !== undefined) return error;
  return withoutCredentials();
}

export function withoutCredentials(): ServiceError {
  return new ServiceError(
    'access_denied',
    'This request needs credentials and came without any; check the path, and check that the client finds its credentials and signs with them.',
  );
}

/**
 * Refuses a write to `s3://account/key`, a path that contains no repository. The error is the same whether or not the
 * account exists.
 */
export function keyWithoutRepository(): ServiceError {
  return new ServiceError(
    'access_denied',
    'A key starts with a repository that these credentials may use: s3://account/repository/key.',
  );
}
