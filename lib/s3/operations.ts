import type { DataAction } from '../domain/data/data-access.ts';
import { ServiceError } from '../domain/errors.ts';
import type { Query, S3Resource } from './resource.ts';

type Method = 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
type Row = readonly [
  name: string,
  on: 'service' | 'bucket' | 'object',
  method: Method,
  /**
   * The query parameters that select an S3 operation. The first row whose parameters are all in the request handles the
   * request.
   */
  needs: readonly string[],
  right: DataAction | 'none',
  /** Query parameters that a request of the operation may have in addition to those that select it. */
  takes?: readonly string[],
];

const readParameters = [
  'partNumber',
  ...['cache-control', 'content-disposition', 'content-encoding', 'content-language', 'content-type', 'expires'].map(
    (header) => `response-${header}`,
  ),
];
const listParameters = ['prefix', 'delimiter', 'encoding-type'];
const listV2Parameters = [...listParameters, 'max-keys', 'continuation-token', 'start-after', 'fetch-owner'];
const uploadParameters = [...listParameters, 'max-uploads', 'key-marker', 'upload-id-marker'];
const versionParameters = [...listParameters, 'max-keys', 'key-marker', 'version-id-marker'];
const bucketParameters = ['prefix', 'max-buckets', 'continuation-token', 'bucket-region'];

const rows = [
  ['ListParts', 'object', 'GET', ['uploadId'], 'write', ['max-parts', 'part-number-marker']],
  // The current object version needs only the right to read. The code of the operation checks which version is
  // requested.
  ['GetObjectTagging', 'object', 'GET', ['tagging', 'versionId'], 'write'],
  ['GetObjectTagging', 'object', 'GET', ['tagging'], 'read'],
  ['GetObjectAttributes', 'object', 'GET', ['attributes', 'versionId'], 'write'],
  ['GetObjectAttributes', 'object', 'GET', ['attributes'], 'read'],
  ['GetObject', 'object', 'GET', ['versionId'], 'write', readParameters],
  ['HeadObject', 'object', 'HEAD', ['versionId'], 'write', readParameters],
  // S3 does not have this operation. It compares two versions of a repository.
  ['CompareVersions', 'object', 'GET', ['compare-with'], 'read', ['from-key']],
  ['GetObject', 'object', 'GET', [], 'read', readParameters],
  ['HeadObject', 'object', 'HEAD', [], 'read', readParameters],
  ['UploadPartCopy', 'object', 'PUT', ['partNumber', 'uploadId'], 'write'],
  ['CopyObject', 'object', 'PUT', [], 'write'],
  ['UploadPart', 'object', 'PUT', ['partNumber', 'uploadId'], 'write'],
  ['PutObjectTagging', 'object', 'PUT', ['tagging'], 'write'],
  ['PutObject', 'object', 'PUT', [], 'write'],
  ['CreateMultipartUpload', 'object', 'POST', ['uploads'], 'write'],
  ['CompleteMultipartUpload', 'object', 'POST', ['uploadId'], 'write'],
  ['AbortMultipartUpload', 'object', 'DELETE', ['uploadId'], 'write'],
  ['DeleteObjectTagging', 'object', 'DELETE', ['tagging'], 'write'],
  ['DeleteObject', 'object', 'DELETE', [], 'write'],
  ['ListObjectsV2', 'bucket', 'GET', ['list-type'], 'read', listV2Parameters],
  ['GetBucketLocation', 'bucket', 'GET', ['location'], 'none'],
  ['GetBucketVersioning', 'bucket', 'GET', ['versioning'], 'none'],
  ['ListMultipartUploads', 'bucket', 'GET', ['uploads'], 'write', uploadParameters],
  ['ListObjectVersions', 'bucket', 'GET', ['versions'], 'write', versionParameters],
  ['ListObjects', 'bucket', 'GET', [], 'read', [...listParameters, 'max-keys', 'marker']],
  ['HeadBucket', 'bucket', 'HEAD', [], 'none'],
  ['CreateBucket', 'bucket', 'PUT', [], 'none'],
  ['ListBuckets', 'service', 'GET', [], 'none', bucketParameters],
  ['DeleteObjects', 'bucket', 'POST', ['delete'], 'write'],
] as const satisfies readonly Row[];

export type OperationName = (typeof rows)[number][0];
export interface Operation {
  name: OperationName;
  on: Row[1];
  method: Method;
  /** The query parameters that select an S3 operation. */
  needs: readonly string[];
  /** Query parameters that a request of an S3 operation may have in addition to those that select it. */
  takes: readonly string[];
  /** The right that the caller must have in the repository. `none` for an operation without a repository. */
  right: Row[4];
}

const operations: readonly Operation[] = rows.map(([name, on, method, needs, right, takes = []]) => {
  return { name, on, method, needs, takes, right };
});
/** Operations whose path may name a version of a repository. All other operations would change the version. */
const versionReads: readonly OperationName[] = [
  'GetObject',
  'HeadObject',
  'GetObjectAttributes',
  'GetObjectTagging',
  'CompareVersions',
];
/** Operations that need the header `x-amz-copy-source`. */
const copies: readonly OperationName[] = ['CopyObject', 'UploadPartCopy'];

/** Returns true if the operation can read an object of a version of a repository. */
export function readsVersions({ name }: Operation): boolean {
  return versionReads.includes(name);
}

// These query parameters change what S3 does, even when they have a value, so the proxy never ignores them. It ignores
// other unknown parameters with a value, such as `?v=2`, which clients add to avoid a cached response.
const meaningfulParameters: ReadonlySet<string> = new Set([
  'select-type',
  ...operations.flatMap(({ needs, takes }) => [...needs, ...takes]),
]);

/**
 * Returns the operation of a request. Throws ServiceError `method_not_allowed` or `not_implemented`. Refuses an unknown
 * parameter that may select another S3 operation. Without this check, the request could become a plain read, write, or
 * delete.
 */
export function findOperation(
  method: string,
  isCopy: boolean,
  resource: Pick<S3Resource, 'account_id' | 'bucketKey'>,
  query: Query,
): Operation {
  if (!['GET', 'HEAD', 'PUT', 'POST', 'DELETE'].includes(method)) {
    throw new ServiceError('method_not_allowed', 'The method must be GET, HEAD, PUT, POST or DELETE.');
  }
  const on = resource.account_id === undefined ? 'service' : resource.bucketKey === undefined ? 'bucket' : 'object';
  const operation = operations.find(
    (row) =>
      row.on === on &&
      row.method === method &&
      copies.includes(row.name) === isCopy &&
      row.needs.every((name) => query.has(name)),
  );
  if (operation === undefined) throw notOffered();
  for (const [name, value] of query) {
    if (operation.needs.includes(name) || operation.takes.includes(name)) continue;
    const isPlainRead = operation.name === 'GetObject' || operation.name === 'HeadObject';
    if (isPlainRead && value !== '' && !meaningfulParameters.has(name)) continue;
    throw name === 'versionId' ? versionsStay() : notOffered();
  }
  if (query.has('list-type') && query.get('list-type') !== '2') throw notOffered();
  return operation;
}

/**
 * Returns the error for a request that deletes stored object versions. The owner needs them to recover data after
 * somebody writes with a leaked key.
 */
function versionsStay(): ServiceError {
  return new ServiceError(
    'not_implemented',
    'Versions are read-only; leave versionId out to delete or tag the current object.',
  );
}

function notOffered(): ServiceError {
  return new ServiceError(
    'not_implemented',
    'This operation is not supported; objects, lists, copies, tags and multipart uploads are.',
  );
}
