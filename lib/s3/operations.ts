import type { DataAction } from '../domain/data/data-access.ts';
import { ServiceError } from '../domain/errors.ts';
import type { Query } from './query.ts';
import type { S3Resource } from './resource.ts';

interface OperationShape {
  name: string;
  on: 'service' | 'bucket' | 'object';
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Parameters that select this operation. The first row whose parameters are all present matches. */
  needs: readonly string[];
  /** Optional parameters. */
  takes: readonly string[];
  /** True when the operation requires `x-amz-copy-source`. */
  copies?: true;
  /** The required right in a repository, or `none` for an operation without a repository. */
  right: DataAction | 'none';
}

const readParameters = [
  'partNumber',
  'response-cache-control',
  'response-content-disposition',
  'response-content-encoding',
  'response-content-language',
  'response-content-type',
  'response-expires',
] as const;

const listParameters = ['prefix', 'delimiter', 'max-keys', 'encoding-type'] as const;

const operationShapes = [
  {
    name: 'ListParts',
    on: 'object',
    method: 'GET',
    needs: ['uploadId'],
    takes: ['max-parts', 'part-number-marker'],
    right: 'write',
  },
  // The required right depends on the version: the current version needs the right to read only.
  {
    name: 'GetObjectTagging',
    on: 'object',
    method: 'GET',
    needs: ['tagging', 'versionId'],
    takes: [],
    right: 'write',
  },
  { name: 'GetObjectTagging', on: 'object', method: 'GET', needs: ['tagging'], takes: [], right: 'read' },
  { name: 'GetObject', on: 'object', method: 'GET', needs: ['versionId'], takes: readParameters, right: 'write' },
  { name: 'HeadObject', on: 'object', method: 'HEAD', needs: ['versionId'], takes: readParameters, right: 'write' },
  {
    name: 'GetObject',
    on: 'object',
    method: 'GET',
    needs: [],
    takes: readParameters,
    right: 'read',
  },
  {
    name: 'HeadObject',
    on: 'object',
    method: 'HEAD',
    needs: [],
    takes: readParameters,
    right: 'read',
  },
  {
    name: 'UploadPartCopy',
    on: 'object',
    method: 'PUT',
    needs: ['partNumber', 'uploadId'],
    takes: [],
    copies: true,
    right: 'write',
  },
  { name: 'CopyObject', on: 'object', method: 'PUT', needs: [], takes: [], copies: true, right: 'write' },
  { name: 'UploadPart', on: 'object', method: 'PUT', needs: ['partNumber', 'uploadId'], takes: [], right: 'write' },
  { name: 'PutObjectTagging', on: 'object', method: 'PUT', needs: ['tagging'], takes: [], right: 'write' },
  { name: 'PutObject', on: 'object', method: 'PUT', needs: [], takes: [], right: 'write' },
  { name: 'CreateMultipartUpload', on: 'object', method: 'POST', needs: ['uploads'], takes: [], right: 'write' },
  { name: 'CompleteMultipartUpload', on: 'object', method: 'POST', needs: ['uploadId'], takes: [], right: 'write' },
  { name: 'AbortMultipartUpload', on: 'object', method: 'DELETE', needs: ['uploadId'], takes: [], right: 'write' },
  { name: 'DeleteObjectTagging', on: 'object', method: 'DELETE', needs: ['tagging'], takes: [], right: 'write' },
  { name: 'DeleteObject', on: 'object', method: 'DELETE', needs: [], takes: [], right: 'write' },
  {
    name: 'ListObjectsV2',
    on: 'bucket',
    method: 'GET',
    needs: ['list-type'],
    takes: [...listParameters, 'continuation-token', 'start-after', 'fetch-owner'],
    right: 'read',
  },
  { name: 'GetBucketLocation', on: 'bucket', method: 'GET', needs: ['location'], takes: [], right: 'none' },
  {
    name: 'ListMultipartUploads',
    on: 'bucket',
    method: 'GET',
    needs: ['uploads'],
    takes: ['prefix', 'delimiter', 'encoding-type', 'max-uploads', 'key-marker', 'upload-id-marker'],
    right: 'write',
  },
  { name: 'ListObjects', on: 'bucket', method: 'GET', needs: [], takes: [...listParameters, 'marker'], right: 'read' },
  { name: 'HeadBucket', on: 'bucket', method: 'HEAD', needs: [], takes: [], right: 'none' },
  { name: 'CreateBucket', on: 'bucket', method: 'PUT', needs: [], takes: [], right: 'none' },
  {
    name: 'ListBuckets',
    on: 'service',
    method: 'GET',
    needs: [],
    takes: ['prefix', 'max-buckets', 'continuation-token', 'bucket-region'],
    right: 'none',
  },
  { name: 'DeleteObjects', on: 'bucket', method: 'POST', needs: ['delete'], takes: [], right: 'write' },
] as const satisfies readonly OperationShape[];

export type OperationName = (typeof operationShapes)[number]['name'];
export interface Operation extends OperationShape {
  name: OperationName;
}

const operations: readonly Operation[] = operationShapes;

// These parameters change what S3 does, even with a value. They are never ignored as a cache-busting `?v=2`.
const meaningfulParameters: ReadonlySet<string> = new Set([
  'select-type',
  ...operations.flatMap(({ needs, takes }) => [...needs, ...takes]),
]);

/**
 * Returns the operation of a request. Throws ServiceError `method_not_allowed` or `not_implemented`. An unknown
 * parameter may select another S3 operation, so it must not be ignored in favor of a plain read, write, or delete.
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
      (row.copies ?? false) === isCopy &&
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

/** Refuses to change versions. They let the owner recover data after a leaked key was used to write. */
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
