import type { BufferedResponse } from '../domain/data/decision.ts';
import { conflictCodes, type ErrorCode, rowOfEach, type ServiceError } from '../domain/errors.ts';
import { escapeXml, namedReferences, renderNodes, type XmlNode } from '../domain/xml.ts';

const namespace = 'https://sts.amazonaws.com/doc/2011-06-15/';

interface WireError {
  code: string;
  status: number;
  /** True if the message contains the request ID. Users report such errors to the operator. */
  showsRequestId?: true;
}

const wireErrors: Record<ErrorCode, WireError> = {
  invalid_request: { code: 'ValidationError', status: 400 },
  field_invalid: { code: 'ValidationError', status: 400 },
  id_reserved: { code: 'ValidationError', status: 400 },
  body_malformed: { code: 'ValidationError', status: 400 },
  secret_in_url: { code: 'ValidationError', status: 400 },
  malformed_xml: { code: 'ValidationError', status: 400 },
  unauthenticated: { code: 'MissingAuthenticationToken', status: 403 },
  access_denied: { code: 'AccessDenied', status: 403, showsRequestId: true },
  account_disabled: { code: 'AccessDenied', status: 403, showsRequestId: true },
  bearer_token_required: { code: 'AccessDenied', status: 403, showsRequestId: true },
  not_found: { code: 'ResourceNotFound', status: 404 },
  route_not_found: { code: 'ResourceNotFound', status: 404 },
  no_such_upload: { code: 'ResourceNotFound', status: 404 },
  method_not_allowed: { code: 'MethodNotAllowed', status: 405 },
  ...rowOfEach(conflictCodes, { code: 'Conflict', status: 409 }),
  // Use a code that clients know, because AWS STS has no codes for these two errors.
  payload_too_large: { code: 'ValidationError', status: 400 },
  unsupported_media_type: { code: 'ValidationError', status: 400 },
  idempotency_mismatch: { code: 'IdempotentParameterMismatch', status: 400 },
  stale: { code: 'ValidationError', status: 400 },
  throttled: { code: 'Throttling', status: 400 },
  unavailable: { code: 'ServiceUnavailable', status: 503, showsRequestId: true },
  not_implemented: { code: 'NotImplemented', status: 501 },
  internal: { code: 'InternalFailure', status: 500, showsRequestId: true },
  unknown_action: { code: 'InvalidAction', status: 400 },
  invalid_identity_token: { code: 'InvalidIdentityToken', status: 400, showsRequestId: true },
  expired_identity_token: { code: 'ExpiredTokenException', status: 400, showsRequestId: true },
  identity_provider_unreachable: { code: 'IDPCommunicationError', status: 400, showsRequestId: true },
  authorization_malformed: { code: 'IncompleteSignature', status: 400 },
  invalid_access_key_id: { code: 'InvalidClientTokenId', status: 403 },
  invalid_security_token: { code: 'InvalidClientTokenId', status: 403 },
  signature_mismatch: { code: 'SignatureDoesNotMatch', status: 403 },
  request_time_skewed: { code: 'RequestExpired', status: 400 },
  request_expired: { code: 'RequestExpired', status: 400 },
  expired_token: { code: 'ExpiredToken', status: 403 },
  content_hash_mismatch: { code: 'SignatureDoesNotMatch', status: 403 },
  incomplete_body: { code: 'ValidationError', status: 400 },
  invalid_chunk_size: { code: 'ValidationError', status: 400 },
  session_policy_refused: { code: 'ValidationError', status: 400, showsRequestId: true },
  malformed_trailer: { code: 'ValidationError', status: 400 },
  bad_digest: { code: 'ValidationError', status: 400 },
  invalid_argument: { code: 'ValidationError', status: 400 },
  invalid_digest: { code: 'ValidationError', status: 400 },
  key_too_long: { code: 'ValidationError', status: 400 },
};

/** Renders the response of an action in the form of the AWS STS API reference. */
export function renderResult(action: string, result: readonly XmlNode[], requestId: string): BufferedResponse {
  const content: XmlNode[] = [
    [`${action}Result`, result],
    ['ResponseMetadata', [['RequestId', requestId]]],
  ];
  return answer(200, `${action}Response`, content, requestId);
}

export function renderError({ code, publicMessage }: ServiceError, requestId: string): BufferedResponse {
  const wire = wireErrors[code];
  const message = wire.showsRequestId ? `${publicMessage} (request id ${requestId})` : publicMessage;
  const error: XmlNode[] = [
    ['Type', wire.status < 500 ? 'Sender' : 'Receiver'],
    ['Code', wire.code],
    ['Message', message],
  ];
  const content: XmlNode[] = [
    ['Error', error],
    ['RequestId', requestId],
  ];
  const shown = answer(wire.status, 'ErrorResponse', content, requestId);
  return code === 'method_not_allowed' ? { ...shown, headers: { ...shown.headers, allow: 'POST' } } : shown;
}

function answer(status: number, root: string, content: readonly XmlNode[], requestId: string): BufferedResponse {
  return {
    status,
    headers: {
      'content-type': 'text/xml',
      'cache-control': 'no-store',
      // SDKs read the request ID from this header, too. AWS STS uses `x-amzn-requestid`, but CloudFront returns 502 if
      // a function sets that header.
      'x-amz-request-id': requestId,
    },
    body: `<${root} xmlns="${namespace}">${renderNodes(content, escapeText)}</${root}>\n`,
  };
}

/** Escapes text, and replaces characters that XML 1.0 does not allow. */
function escapeText(text: string): string {
  return escapeXml(text.replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd'), namedReferences);
}
