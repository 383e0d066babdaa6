import type { Decision, EdgeRequest } from '../domain/data/decision.ts';
import { cacheHeader, isOpenRead, openMark } from '../domain/data/open-data-cache.ts';
import { ServiceError } from '../domain/errors.ts';
import { isIdentifier } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { refuseSecretInUrl } from '../domain/service-accounts/secret-in-url.ts';
import type { Clock } from '../domain/time.ts';
import { xmlDocument } from '../domain/xml.ts';
import { headerValue } from '../sigv4/canonical.ts';
import { type AuthenticationDependencies, authenticate } from './authenticate.ts';
import { answerPreflight, isPreflight } from './browser-headers.ts';
import {
  accessDenied,
  errorContext,
  namingMissingCredentials,
  renderError,
  renderS3Error,
  withoutCredentials,
} from './errors.ts';
import { checkExpectedOwner, headersForStorage } from './headers.ts';
import { listBuckets } from './lists/list-buckets.ts';
import { listMultipartUploads, listObjectVersions } from './lists/list-marked.ts';
import { listObjects } from './lists/list-objects.ts';
import { getObjectAttributes } from './objects/attributes.ts';
import { copyObject } from './objects/copy-object.ts';
import { deleteObjects } from './objects/delete-objects.ts';
import { forwardObject } from './objects/forward.ts';
import { completeMultipartUpload, createMultipartUpload, listParts } from './objects/multipart.ts';
import { type ObjectRequest, xmlAnswer } from './objects/object-request.ts';
import { deleteObjectTagging, getObjectTagging, putObjectTagging } from './objects/tagging.ts';
import { findOperation, type OperationName, readsVersions } from './operations.ts';
import { notUtf8, parseQuery, type S3Resource } from './resource.ts';
import { compareVersions } from './versions/compare-versions.ts';
import type { OpenManifest } from './versions/manifest-cache.ts';
import { versionsAreReadOnly } from './versions/open-version.ts';

export interface ObjectDependencies extends AuthenticationDependencies {
  clock: Clock;
  openManifest: OpenManifest;
  /** The protocol with which clients connect to this proxy. The default is https. */
  protocol?: 'http' | 'https';
}

const handlers: Record<OperationName, (request: ObjectRequest) => Promise<Decision>> = {
  GetObject: forwardObject,
  HeadObject: forwardObject,
  PutObject: forwardObject,
  DeleteObject: forwardObject,
  GetObjectAttributes: getObjectAttributes,
  GetObjectTagging: getObjectTagging,
  CompareVersions: compareVersions,
  PutObjectTagging: putObjectTagging,
  DeleteObjectTagging: deleteObjectTagging,
  UploadPart: forwardObject,
  AbortMultipartUpload: forwardObject,
  CopyObject: copyObject,
  UploadPartCopy: copyObject,
  CreateMultipartUpload: createMultipartUpload,
  CompleteMultipartUpload: completeMultipartUpload,
  ListParts: listParts,
  ListObjects: listObjects,
  ListObjectsV2: listObjects,
  DeleteObjects: deleteObjects,
  ListMultipartUploads: listMultipartUploads,
  ListObjectVersions: listObjectVersions,
  ListBuckets: listBuckets,
  CreateBucket: createBucket,
  HeadBucket: async (request) => ({ kind: 'respond', answer: bucketAnswer(request, '') }),
  GetBucketLocation: bucketDocument('LocationConstraint'),
  GetBucketVersioning: bucketDocument('VersioningConfiguration'),
};

/**
 * Decides what to do with an S3 request. The steps are, in this order: a secret in the URL, preflight, path and
 * operation, credentials (required for a write), headers, authorization, and body.
 *
 * Returns a refusal as a response. Throws an error that the client did not cause, including a ServiceError with a
 * cause; the caller logs it and renders it with `renderError`.
 *
 * @param resource the result of `parseResource`
 */
export async function decideObjectRequest(
  request: EdgeRequest,
  resource: S3Resource | undefined,
  deps: ObjectDependencies,
): Promise<Decision> {
  try {
    refuseSecretInUrl(request);
    if (isPreflight(request)) return { kind: 'respond', answer: answerPreflight(request) };
    const parsed = await parseRequest(request, resource ?? notUtf8(), deps);
    return await handlers[parsed.operation.name](parsed);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.cause !== undefined) throw error;
    const shown = namingMissingCredentials(error, request);
    return { kind: 'respond', answer: renderError(shown, errorContext(request)) };
  }
}

async function parseRequest(
  request: EdgeRequest,
  resource: S3Resource,
  deps: ObjectDependencies,
): Promise<ObjectRequest> {
  const { account_id } = resource;
  const { query, hoistedHeaders } = parseQuery(request.rawQuery);
  const headers = { ...hoistedHeaders, ...request.headers };
  const copySource = headerValue(headers, 'x-amz-copy-source');
  const isCopy = request.method === 'PUT' && copySource !== undefined;
  const operation = findOperation(request.method, isCopy, resource, query);
  if (resource.version !== undefined && !readsVersions(operation)) throw versionsAreReadOnly(resource.version);
  const ageMaxSeconds =
    operation.right === 'write' ? limits.writeAuthorizationTtlSeconds : limits.readAuthorizationTtlSeconds;
  const now = deps.clock();
  const caller = await authenticate(request, deps, { now, ageMaxSeconds });
  const isSigned = caller.signature !== undefined;
  // Anonymous callers may not write. The proxy refuses their writes before it reads anything else in the request.
  if (!isSigned && operation.right === 'write' && isChange(request.method)) throw withoutCredentials();
  const expectedOwner = 'x-amz-expected-bucket-owner';
  if (account_id !== undefined) checkExpectedOwner(expectedOwner, headerValue(headers, expectedOwner), account_id);
  const { access, sessionKeys, openManifest } = deps;
  return {
    edgeRequest: request,
    protocol: deps.protocol ?? 'https',
    headers: headersForStorage(headers, { method: request.method, isSigned }),
    copySource,
    expectedSourceOwner: headerValue(headers, 'x-amz-source-expected-bucket-owner'),
    query,
    operation,
    ...resource,
    account_id: account_id ?? '',
    repository_id: resource.repository_id ?? '',
    key: resource.key,
    isOpen: isMarkedOpen(request, resource.hostLabel),
    caller,
    access,
    sessionKeys,
    openManifest,
    now,
    ageMaxSeconds,
  };
}

/**
 * Returns true when all callers may share one cached response. The viewer function marks requests for such responses.
 * This function checks the same conditions again and does not trust the mark alone.
 */
export function isMarkedOpen(
  { method, rawPath, rawQuery, headers }: Pick<EdgeRequest, 'method' | 'rawPath' | 'rawQuery' | 'headers'>,
  hostLabel: string | undefined,
): boolean {
  return (
    headers[cacheHeader] === openMark &&
    isOpenRead({ method, path: rawPath, hasQuery: rawQuery !== '', headers, hostLabel })
  );
}

function isChange(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/**
 * Answers clients that check a bucket before they use it. Every valid account name counts as an existing bucket, even
 * if no account has the name. Account names are public, so the response reveals nothing. The proxy decides about
 * objects for each repository.
 */
function bucketAnswer({ edgeRequest, account_id }: ObjectRequest, document: string) {
  if (!isIdentifier(account_id)) throw accessDenied();
  return xmlAnswer(edgeRequest, document);
}

function bucketDocument(rootName: string) {
  return async (request: ObjectRequest): Promise<Decision> => {
    return { kind: 'respond', answer: bucketAnswer(request, xmlDocument(rootName, '')) };
  };
}

/**
 * Answers clients that try to create the bucket before they upload. They accept this error and continue. Every
 * signed-in caller gets the same response for every name, so the response does not reveal which accounts exist.
 */
async function createBucket(request: ObjectRequest): Promise<Decision> {
  if (request.caller.signature === undefined || !isIdentifier(request.account_id)) throw accessDenied();
  const error = { code: 'BucketAlreadyOwnedByYou', status: 409 };
  const message = 'Every account is a bucket already; create accounts with the management API.';
  return { kind: 'respond', answer: renderS3Error(error, message, errorContext(request.edgeRequest)) };
}
