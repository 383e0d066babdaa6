import { type ErrorCode, ServiceError } from '../../domain/errors.ts';
import { renderXml } from './xml.ts';

/** The HTTP status of each error code (Amazon S3 API reference, "Error responses"). */
const statuses = {
  AccessControlListNotSupported: 400,
  AccessDenied: 403,
  AuthorizationHeaderMalformed: 400,
  BadDigest: 400,
  ConditionalRequestConflict: 409,
  EntityTooLarge: 400,
  EntityTooSmall: 400,
  IncompleteBody: 400,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidArgument: 400,
  InvalidBucketName: 400,
  InvalidChunkSizeError: 400,
  InvalidDigest: 400,
  InvalidPart: 400,
  InvalidPartNumber: 416,
  InvalidPartOrder: 400,
  InvalidRange: 416,
  InvalidRequest: 400,
  InvalidStorageClass: 400,
  InvalidTag: 400,
  InvalidToken: 400,
  InvalidURI: 400,
  KeyTooLongError: 400,
  MalformedTrailerError: 400,
  MalformedXML: 400,
  MaxMessageLengthExceeded: 400,
  MetadataTooLarge: 400,
  MethodNotAllowed: 405,
  MisdirectedRequest: 421,
  MissingContentLength: 411,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NoSuchUpload: 404,
  NoSuchVersion: 404,
  NotImplemented: 501,
  PreconditionFailed: 412,
  RequestTimeTooSkewed: 403,
  SignatureDoesNotMatch: 403,
  XAmzContentSHA256Mismatch: 400,
} as const;
export type ObjectStoreErrorCode = keyof typeof statuses;

const codesOfServiceErrors: Partial<Record<ErrorCode, ObjectStoreErrorCode>> = {
  access_denied: 'AccessDenied',
  authorization_malformed: 'AuthorizationHeaderMalformed',
  incomplete_body: 'IncompleteBody',
  invalid_chunk_size: 'InvalidChunkSizeError',
  invalid_request: 'InvalidRequest',
  malformed_trailer: 'MalformedTrailerError',
  malformed_xml: 'MalformedXML',
  request_expired: 'AccessDenied',
  request_time_skewed: 'RequestTimeTooSkewed',
  signature_mismatch: 'SignatureDoesNotMatch',
};

type Fields = Readonly<Record<string, string>>;

export class ObjectStoreError extends Error {
  readonly code: ObjectStoreErrorCode;
  /** Further elements of the error document, such as `Key`. */
  readonly details: Fields;
  readonly headers: Fields;

  constructor(code: ObjectStoreErrorCode, message: string, details: Fields = {}, headers: Fields = {}) {
    super(message);
    this.name = 'ObjectStoreError';
    this.code = code;
    this.details = details;
    this.headers = headers;
  }

  get status(): number {
    return statuses[this.code];
  }
}

/**
 * Returns the error response for a thrown error. Returns undefined for an unexpected error of the emulator itself,
 * whose message clients must not see.
 */
export function refusalOf(error: unknown): ObjectStoreError | undefined {
  if (error instanceof ObjectStoreError) return error;
  if (!(error instanceof ServiceError)) return undefined;
  const code = codesOfServiceErrors[error.code];
  return code === undefined ? undefined : new ObjectStoreError(code, error.publicMessage);
}

export function invalidArgument(message: string, name: string, value?: string): ObjectStoreError {
  return new ObjectStoreError('InvalidArgument', message, {
    ArgumentName: name,
    ...(value === undefined ? {} : { ArgumentValue: value }),
  });
}

export function invalidRequest(message: string): ObjectStoreError {
  return new ObjectStoreError('InvalidRequest', message);
}

/**
 * Returns the error for a feature that the emulator does not have.
 *
 * @param feature the name of the feature, such as `the header x-amz-mfa`
 */
export function notImplemented(feature: string, details: Fields = {}): ObjectStoreError {
  return new ObjectStoreError('NotImplemented', `This development store does not support ${feature}.`, details);
}

export function malformedXml(): ObjectStoreError {
  return new ObjectStoreError(
    'MalformedXML',
    'The XML you provided was not well-formed or did not validate against our published schema',
  );
}

export function renderError(error: ObjectStoreError, resource: string, requestId: string): string {
  const { code, message, details } = error;
  return renderXml('Error', { Code: code, Message: message, ...details, Resource: resource, RequestId: requestId });
}

const keyBytesMax = 1024;

export function checkKey(key: string): void {
  const sizeBytes = Buffer.byteLength(key);
  if (sizeBytes <= keyBytesMax) return;
  throw new ObjectStoreError('KeyTooLongError', 'Your key is too long', {
    Size: String(sizeBytes),
    MaxSizeAllowed: String(keyBytesMax),
  });
}

export function noSuchKey(key?: string, headers: Fields = {}): ObjectStoreError {
  const details: Fields = key === undefined ? {} : { Key: key };
  return new ObjectStoreError('NoSuchKey', 'The specified key does not exist.', details, headers);
}
