import { type RequestCondition, requestConditions, type StorageRequestHead } from './request-conditions.ts';
import type { ShownErrorName } from './shown-errors.ts';

interface ErrorRow {
  status: number;
  /** Conditions of the request that must all hold. */
  when: readonly RequestCondition[];
  shown: ShownErrorName;
  reason: string;
}

/**
 * Translates the status of a storage error to an S3 error. An edge function cannot read the body of a streamed
 * response, so storage's own code is unknown. The first matching row wins. If no row can tell two codes apart, the most
 * general error of the status is shown.
 */
export const errorTable: readonly ErrorRow[] = [
  row(400, ['puts', 'brings more than one upload may'], 'EntityTooLarge', 'S3 takes 5 GiB in one request'),
  row(400, ['names a part that none can be'], 'InvalidArgument', 'parts are numbered from 1 to 10,000'),
  row(400, ['puts', 'has metadata of more than 2 KB'], 'MetadataTooLarge', 'S3 counts names and values'),
  row(400, ['puts', 'names a class that S3 does not have'], 'InvalidStorageClass', 'no storage could take it'),
  row(400, ['puts', 'has tags that are no form'], 'InvalidArgument', 'not encoded, or a name twice: S3 reads no tags'),
  row(400, ['puts', 'has tags that S3 does not take'], 'InvalidTag', 'counted and read as S3 does'),
  row(
    400,
    ['puts', 'has a digest that only storage compares'],
    'BadDigest',
    'others were compared before the request to it',
  ),
  row(
    400,
    ['puts', 'has a hash that only storage compares'],
    'XAmzContentSHA256Mismatch',
    'the same of the signed hash',
  ),
  row(400, ['puts', 'asks for encryption'], 'InvalidArgument', 'what S3 says of keys and algorithms that do not fit'),
  row(400, ['reads', 'names a version'], 'InvalidArgument', 'S3 says so of ids that are none'),
  row(400, ['reads', 'sets headers of the answer'], 'InvalidArgument', 'S3 says so of what can be no value'),
  row(400, [], 'InvalidRequest', 'the plainest of its status'),
  row(403, [], 'AccessDenied', 'the connection may not; that an object is archived is not told apart'),
  row(404, ['asks the bucket'], 'brokenStorage', 'it is not there itself'),
  row(404, ['names an upload'], 'NoSuchUpload', 'a part, or the end, of an upload that is gone'),
  row(404, ['reads', 'names a version'], 'NoSuchVersion', 'S3 says so of the object too'),
  row(404, ['reads'], 'NoSuchKey', 'the object is not there'),
  row(404, ['puts', 'copies'], 'NoSuchKey', 'the source is not there'),
  row(404, ['puts', 'has If-Match'], 'NoSuchKey', 'the object that it was to replace is not there'),
  row(404, ['puts'], 'brokenStorage', 'what a plain write can miss is the bucket alone'),
  row(404, [], 'NoSuchKey', 'S3 takes deleting nothing for done; other storages say that there was nothing'),
  row(405, [], 'MethodNotAllowed', 'a version that is the mark of a deletion, say'),
  row(408, [], 'RequestTimeout', 'S3 has 400 for it, and clients that go by the code try again'),
  row(409, ['has a condition'], 'ConditionalRequestConflict', 'the object changed while the condition was looked at'),
  row(409, [], 'pathInUse', 'where objects are files, one cannot lie below another; trying again changes nothing'),
  row(411, [], 'MissingContentLength', 'S3 wants to know how long an upload is'),
  row(412, [], 'PreconditionFailed', 'a condition does not hold'),
  row(413, [], 'EntityTooLarge', 'S3 has 400 for it'),
  row(416, ['reads', 'names a part'], 'InvalidPartNumber', 'the object has fewer parts'),
  row(416, [], 'InvalidRange', 'the range lies outside the object'),
  row(429, [], 'SlowDown', 'S3 has 503 for it, and every client slows down at its code'),
  row(501, [], 'NotImplemented', 'the storage does not offer it'),
  row(503, [], 'SlowDown', 'and gets the request again later'),
  row(304, ['copies'], 'PreconditionFailed', 'some storages say of a source what they say of a read; S3 has 412'),
  row(301, [], 'brokenStorage', 'the bucket is in another region than the connection says'),
  row(307, [], 'brokenStorage', 'the same, shortly after it was made'),
  row(401, [], 'brokenStorage', "the connection's credentials are not what the storage asks for"),
];

function row(status: number, when: readonly RequestCondition[], shown: ShownErrorName, reason: string): ErrorRow {
  return { status, when, shown, reason };
}

/** Returns `InternalError` for a status without a row. For example, a redirect would reveal the storage's location. */
export function errorByRequest(status: number, request: StorageRequestHead): ShownErrorName {
  const found = errorTable.find((candidate) => {
    return candidate.status === status && candidate.when.every((fact) => requestConditions[fact](request));
  });
  return found?.shown ?? 'InternalError';
}
