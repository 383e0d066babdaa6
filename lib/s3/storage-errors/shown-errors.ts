import { faultOfErrorCode } from '../../domain/data/storage-faults.ts';
import { ServiceError } from '../../domain/errors.ts';

/** The error that a client gets for an error of the storage. */
interface ShownError {
  code: string;
  status: number;
  message: string;
}

const brokenSentence =
  'The storage behind this repository cannot be used as it is configured; report this to the operator of this service.';

/**
 * The S3 error codes that clients may see, each with a message of this service. The storage's own messages may contain
 * its bucket and keys.
 */
const ownCodes = {
  AccessDenied: [403, 'The storage behind this repository refused the request.'],
  BadDigest: [400, 'The body does not match the checksum that was sent with it; send it again.'],
  BadRequest: [400, 'The storage refused the request, for example because it has more than 10 tags.'],
  ConditionalRequestConflict: [409, 'Another request changed the object meanwhile; try again.'],
  EntityTooLarge: [400, 'The upload is larger than the storage takes; upload it in parts.'],
  EntityTooSmall: [400, 'A part is too small: every part but the last needs 5 MiB.'],
  IncompleteBody: [400, 'The request body is not as long as the request says; send it again whole.'],
  InternalError: [500, 'The storage behind this repository failed; try again.'],
  InvalidArgument: [400, 'The storage refused an argument of the request.'],
  InvalidDigest: [400, 'The Content-MD5 that was sent is not valid.'],
  InvalidObjectState: [403, 'The object is archived and must be restored before it is read.'],
  InvalidPart: [400, 'A part was not found or its ETag does not match; list the parts.'],
  InvalidPartNumber: [416, 'The object has no part of this number.'],
  InvalidPartOrder: [400, 'The parts must be listed in ascending order.'],
  InvalidRange: [416, 'The range lies outside the object.'],
  InvalidRequest: [400, 'The storage refused the request as invalid.'],
  InvalidStorageClass: [400, 'The storage class is not valid.'],
  InvalidTag: [
    400,
    'A tag is not valid: at most 10, their keys different, of 1 to 128 characters, values of at most 256.',
  ],
  KeyTooLongError: [400, 'The key is too long.'],
  MalformedXML: [400, 'The XML of the request body does not fit the operation.'],
  MetadataTooLarge: [400, 'The metadata headers are too large: names and values may have 2 KB together.'],
  MethodNotAllowed: [405, 'The storage does not allow this method on the object.'],
  MissingContentLength: [411, 'The upload needs a Content-Length.'],
  NoSuchKey: [404, 'The object does not exist.'],
  NoSuchUpload: [404, 'The multipart upload does not exist; it was completed or aborted.'],
  NoSuchVersion: [404, 'The object has no such version.'],
  NotImplemented: [501, 'The storage behind this repository does not support this.'],
  OperationAborted: [409, 'Another operation on the object is under way; try again.'],
  PreconditionFailed: [412, 'A condition of the request is not met.'],
  // SDKs retry after the error code `RequestTimeout`, whatever the status is, so the code must not change.
  RequestTimeout: [400, 'The storage waited too long for the body; send it again.'],
  ServiceUnavailable: [503, 'The storage behind this repository is not available; try again.'],
  SlowDown: [503, 'The storage asks to slow down; try again later.'],
  XAmzContentChecksumMismatch: [400, 'The body does not match the checksum that was sent with it; send it again.'],
  XAmzContentSHA256Mismatch: [400, 'The body does not match the SHA-256 in x-amz-content-sha256; send it again.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

/** Errors for which S3 has no error code of their own, with the code that clients get instead. */
const furtherErrors = {
  // Storage answered 409 although the request has no condition. A retry does not help, so clients must get an error
  // code after which they do not retry.
  pathInUse: [
    'InvalidRequest',
    409,
    'Something in the storage is in the way, such as an object where this key needs a folder; use another key.',
  ],
  // The error for a write whose response does not confirm the requested encryption.
  notEncrypted: [
    'NotImplemented',
    501,
    'The storage behind this repository does not confirm the requested encryption and may have stored the object ' +
      'unencrypted; delete it, or write it again without requesting encryption.',
  ],
  // The error for a read whose response does not confirm the customer's key. The returned object is not encrypted with
  // this key.
  notEncryptedByKey: [
    'InvalidRequest',
    400,
    'The object is not encrypted with the key that was sent; read it without a key.',
  ],
  // The stored object of a repository version has changed since the version was created. The status must not make
  // clients retry, and must not say that the key does not exist.
  versionObjectChanged: [
    'VersionObjectChanged',
    409,
    'The storage has another object than the one in this version, so it is not sent; report this to the owner of the repository.',
  ],
  versionObjectMissing: [
    'VersionObjectMissing',
    409,
    'The storage no longer has the object of this version; report this to the owner of the repository.',
  ],
  versionManifestAltered: [
    'VersionManifestAltered',
    409,
    'The list of objects of this version was changed or deleted in the storage, so nothing of it is sent; report this to the owner of the repository.',
  ],
  // The storage, or the token service of AWS, refuses the credentials of the connection. A key rotation can cause this
  // for a short time, so clients may retry.
  credentialsRefused: [
    'StorageCredentialsRefused',
    503,
    'The storage of this repository refuses the credentials of this service; ask the owner of the repository to test the data connection.',
  ],
  // The error for wrongly configured storage. Clients cannot correct the configuration, so the operator is notified.
  brokenStorage: ['InternalError', 500, brokenSentence],
} as const satisfies Record<string, readonly [code: string, status: number, message: string]>;

type OwnCode = keyof typeof ownCodes;
type Further = keyof typeof furtherErrors;
export type ShownErrorName = OwnCode | Further;

/**
 * Error codes about the storage's bucket or its region. Clients did not cause these errors, so clients never see the
 * codes.
 */
const faultCodes: readonly string[] =
  `AuthorizationHeaderMalformed IllegalLocationConstraintException InvalidBucketName NoSuchAccessPoint
  NoSuchBucket`.split(/\s+/);

export function shownError(name: ShownErrorName): ShownError {
  const [code, status, message] =
    name in ownCodes ? [name, ...ownCodes[name as OwnCode]] : furtherErrors[name as Further];
  return { code, status, message };
}

/** An error of the storage that the proxy logs. Clients get the error named `shown` in its place. */
export class LoggedStorageError extends Error {
  override name = 'LoggedStorageError';
  readonly shown: ShownErrorName;

  constructor(shown: Extract<Further, `version${string}` | 'credentialsRefused'>, options?: ErrorOptions) {
    super(shownError(shown).message, options);
    this.shown = shown;
  }
}

/** Returns the error that clients get for an error code of the storage. Returns undefined for an unknown code. */
export function findShownName(code: string | undefined): ShownErrorName | undefined {
  if (code === undefined) return undefined;
  if (faultOfErrorCode(code)?.code === 'credentials_refused') return 'credentialsRefused';
  if (faultCodes.includes(code)) return 'brokenStorage';
  return Object.hasOwn(ownCodes, code) ? (code as OwnCode) : undefined;
}

/** Returns the error for wrongly configured storage. Its cause is written only to the log. */
export function brokenStorage(answered: string): ServiceError {
  return new ServiceError('internal', brokenSentence, { cause: new Error(`the storage answered ${answered}`) });
}
