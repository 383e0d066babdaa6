import { hash } from 'node:crypto';
import type { Decision, StorageRequest } from '../../domain/data/decision.ts';
import { formatFreshness, freshUntilHeader, versionEtagHeader } from '../../domain/data/open-data-cache.ts';
import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { encodeStrictly } from '../../sigv4/canonical.ts';
import { type DecodedBody, decodeChunkSignedBody } from '../chunk-signed-body.ts';
import { accessDenied, errorContext, namingMissingCredentials, renderError } from '../errors.ts';
import { checkForwardedBody, forwardedPayloadHash } from '../payload.ts';
import { openRepository, type RepositoryStorage, undefinedIfDenied } from '../repository-storage.ts';
import { formatStorageCheck, storageCheckHeader } from '../storage-check.ts';
import { storageRequest } from '../storage-request.ts';
import type { ManifestEntry } from '../versions/manifest.ts';
import { findInVersion } from '../versions/open-version.ts';
import { type ObjectRequest, openObject } from './object-request.ts';

/**
 * Signs the request for storage. CloudFront then streams the request body to storage, and the response to the client.
 */
export async function forwardObject(request: ObjectRequest): Promise<Decision> {
  const { edgeRequest, operation, query, caller, now } = request;
  const isSigned = caller.signature !== undefined;
  const parameters = Array.from(query).filter(
    ([name]) => operation.needs.includes(name) || operation.takes.includes(name),
  );
  // Without a signature, refuse parameters that set response headers. Anyone could otherwise create a link with which
  // this host serves their object as an HTML page. S3 also requires a signature for these parameters.
  if (!isSigned && parameters.some(([name]) => name.startsWith('response-'))) {
    throw new ServiceError('invalid_request', 'Parameters that start with response- need a signed request.');
  }
  const forward = (storage: RepositoryStorage, key: string, entry?: ManifestEntry): Decision => {
    if (edgeRequest.method === 'PUT') checkForwardedBody(edgeRequest, request.headers, caller.signature);
    const decoded = decodeSignedChunks(request);
    const signed = storageRequest(
      storage,
      {
        method: edgeRequest.method,
        key,
        query: entry === undefined ? parameters : parametersFor(entry, parameters),
        // Request the object's checksum from storage for the client. The viewer function removes this header from the
        // client's request, so that all readers get the same cached response.
        headers: request.isOpen
          ? { ...request.headers, 'x-amz-checksum-mode': 'ENABLED' }
          : (decoded?.headers ?? request.headers),
        payloadHash: decoded?.payloadHash ?? forwardedPayloadHash(caller.signature),
        // CloudFront adds this header after the edge function has run. S3 requires that the signature covers all
        // `x-amz-` headers, so the function signs the header but does not send it.
        unsentHeaders: { 'x-amz-cf-id': edgeRequest.requestId },
      },
      now,
    );
    const headers = { ...signed.headers, [storageCheckHeader]: formatStorageCheck(storage, now) };
    const checkable = { ...signed, headers };
    const checked = entry === undefined ? checkable : withVersionEtag(checkable, entry);
    return {
      kind: 'forward',
      ...(decoded === undefined ? {} : { decoding: decoded.decoding }),
      request: request.isOpen ? withFreshness(checked, storage, now) : checked,
    };
  };
  const { version } = request;
  if (version !== undefined) {
    const found = await findInVersion(request, { ...request, version });
    return forward(found.storage, found.key, found.entry);
  }
  if (operation.needs.includes('versionId')) return readVersion(request, forward);
  const { storage, key } = await openObject(request);
  return forward(storage, key);
}

/** Replaces the parameter `versionId`, which clients may send because the response to an earlier read contained it. */
function parametersFor(
  { version_id }: ManifestEntry,
  parameters: readonly (readonly [name: string, value: string])[],
): (readonly [name: string, value: string])[] {
  const requested = parameters.find(([name]) => name === 'versionId');
  if (requested !== undefined && requested[1] !== version_id) {
    throw new ServiceError(
      'not_found',
      'The version of the repository has another versionId of this key; leave it out.',
    );
  }
  return [...parameters.filter(([name]) => name !== 'versionId'), ['versionId', version_id]];
}

/**
 * Adds the recorded ETag of an object in a repository version to the request, without signing it. The function
 * shape-response compares it with the ETag of the response. Storage ignores the header.
 */
function withVersionEtag(request: StorageRequest, { etag }: ManifestEntry): StorageRequest {
  return { ...request, headers: { ...request.headers, [versionEtagHeader]: encodeStrictly(etag) } };
}

/**
 * Adds an unsigned header to the request to storage. The function shape-response reads the header, and storage ignores
 * it.
 */
function withFreshness(
  request: StorageRequest,
  { authorization_read_at }: RepositoryStorage,
  decidedAt: number,
): StorageRequest {
  const freshUntil = authorization_read_at + limits.readAuthorizationTtlSeconds * 1000;
  const freshness = formatFreshness({ freshUntil, decidedAt });
  return { ...request, headers: { ...request.headers, [freshUntilHeader]: freshness } };
}

function decodeSignedChunks({ headers, caller }: ObjectRequest): DecodedBody | undefined {
  const { signature, signingKey } = caller;
  return signature && signingKey && decodeChunkSignedBody(headers, signature, signingKey);
}

/**
 * Reads one stored version of an object. The current version needs the right to read. Earlier versions need the right
 * to write, because an owner may have deleted them on purpose. Only storage knows which version is current, so a caller
 * who may only read costs one more HEAD request.
 */
export async function readVersion(
  request: ObjectRequest,
  forward: (storage: RepositoryStorage, key: string) => Decision,
): Promise<Decision> {
  const { edgeRequest, query, now, account_id, repository_id, key, access, caller, ageMaxSeconds } = request;
  if (key === undefined) throw accessDenied();
  const path = { account_id, repository_id };
  const open = (action: 'read' | 'write') => openRepository(access, caller.principal, action, path, ageMaxSeconds);
  const writable = await open('write').catch(undefinedIfDenied);
  if (writable !== undefined) return forward(writable, key);
  const storage = await open('read');
  const head = { method: 'HEAD', key, query: [], headers: {}, payloadHash: hash('sha256', '', 'hex') };
  return {
    kind: 'relay',
    request: storageRequest(storage, head, now),
    body: new Uint8Array(),
    next: ({ status, headers }) => {
      const isCurrent = status === 200 && headers['x-amz-version-id'] === query.get('versionId');
      return isCurrent ? forward(storage, key) : undefined;
    },
    rewrite: () => renderError(namingMissingCredentials(accessDenied(), edgeRequest), errorContext(edgeRequest)),
  };
}
