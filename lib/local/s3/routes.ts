import { completeMultipartUpload } from './complete-multipart.ts';
import { copyObject } from './copy-object.ts';
import { deleteObjects } from './delete-objects.ts';
import { invalidArgument, ObjectStoreError } from './errors.ts';
import { listMultipartUploads, listObjects, listObjectVersions } from './list-objects.ts';
import { abortMultipartUpload, createMultipartUpload, listParts, uploadPart, uploadPartCopy } from './multipart.ts';
import { getObjectAttributes } from './object-attributes.ts';
import type { Call, Operation, StoreResponse } from './operation.ts';
import { readObject } from './read-object.ts';
import type { ObjectStoreRequest } from './request.ts';
import { deleteObjectTagging, getObjectTagging, putObjectTagging } from './tags.ts';
import { getBucketVersioning, putBucketVersioning } from './versions.ts';
import { deleteObject, putObject } from './write-object.ts';

/**
 * The operations. The key consists of the HTTP method, what the path names (service, bucket, or object), and the
 * subresource in the query.
 */
const routes: Readonly<Record<string, Operation>> = {
  'GET bucket': listObjects,
  'HEAD bucket': headBucket,
  'GET bucket uploads': listMultipartUploads,
  'GET bucket versions': listObjectVersions,
  'GET bucket versioning': getBucketVersioning,
  'PUT bucket versioning': putBucketVersioning,
  'POST bucket delete': deleteObjects,

  'GET object': readObject,
  'HEAD object': readObject,
  'PUT object': putObject,
  'PUT object copy': copyObject,
  'DELETE object': deleteObject,

  'GET object attributes': getObjectAttributes,

  'GET object tagging': getObjectTagging,
  'PUT object tagging': putObjectTagging,
  'DELETE object tagging': deleteObjectTagging,

  'POST object uploads': createMultipartUpload,
  'PUT object uploadId': uploadPart,
  'PUT object uploadId copy': uploadPartCopy,
  'POST object uploadId': completeMultipartUpload,
  'DELETE object uploadId': abortMultipartUpload,
  'GET object uploadId': listParts,
};

/** The operations that accept a version ID of an object. */
const ofVersion: readonly Operation[] = [
  readObject,
  deleteObject,
  getObjectAttributes,
  getObjectTagging,
  putObjectTagging,
  deleteObjectTagging,
];

/**
 * The query parameters that select another operation. All other parameters belong to an operation, or are ignored, as
 * in S3.
 */
const subresources = `
  accelerate acl analytics attributes cors delete encryption intelligent-tiering inventory legal-hold lifecycle
  location logging metadataConfiguration metadataTable metrics notification object-lock ownershipControls policy
  policyStatus publicAccessBlock renameObject replication requestPayment restore retention select session tagging
  torrent uploadId uploads versioning versions website
`
  .trim()
  .split(/\s+/);

/** Returns the operation of a request. Throws NotImplemented for an operation that the emulator does not have. */
export function findOperation({ method, key, query, headers }: ObjectStoreRequest): Operation {
  const named = subresources.filter((name) => query.has(name));
  const isCopy = method === 'PUT' && headers['x-amz-copy-source'] !== undefined;
  const route = [method, key === '' ? 'bucket' : 'object', ...named, ...(isCopy ? ['copy'] : [])].join(' ');
  const operation = Object.hasOwn(routes, route) ? routes[route] : undefined;
  if (operation !== undefined && query.has('versionId') && !ofVersion.includes(operation)) {
    throw invalidArgument('This operation does not accept a version-id.', 'versionId', query.get('versionId'));
  }
  if (operation !== undefined) return operation;
  throw new ObjectStoreError(
    'NotImplemented',
    'This development store does not implement the operation; connect a real S3-compatible store to try it.',
  );
}

function headBucket({ region }: Call): StoreResponse {
  return { status: 200, headers: { 'content-type': 'application/xml', 'x-amz-bucket-region': region } };
}
