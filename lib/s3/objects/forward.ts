import type { Decision, StorageRequest } from '../../domain/data/decision.ts';
import { formatFreshness, freshUntilHeader } from '../../domain/data/open-data-cache.ts';
import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { type DecodedBody, decodeChunkSignedBody } from '../chunk-signed-body.ts';
import { checkForwardedBody, forwardedPayloadHash } from '../payload.ts';
import type { RepositoryStorage } from '../repository-storage.ts';
import { storageRequest } from '../storage-request.ts';
import { type ObjectRequest, openObject } from './object-request.ts';
import { readVersion } from './read-version.ts';

/** Lets the platform stream the request to storage, signed anew, and storage's answer back. */
export async function forwardObject(request: ObjectRequest): Promise<Decision> {
  const { edgeRequest, operation, query, caller, now } = request;
  const isSigned = caller.signature !== undefined;
  const parameters = Array.from(query).filter(
    ([name]) => operation.needs.includes(name) || operation.takes.includes(name),
  );
  // Whoever may choose the type of an answer can make this host serve a page of theirs, so S3 wants it signed.
  if (!isSigned && parameters.some(([name]) => name.startsWith('response-'))) {
    throw new ServiceError('invalid_request', 'Parameters that start with response- need a signed request.');
  }
  const forward = (storage: RepositoryStorage, key: string): Decision => {
    if (edgeRequest.method === 'PUT') checkForwardedBody(edgeRequest, request.headers, caller.signature);
    const decoded = decodeSignedChunks(request);
    const signed = storageRequest(
      storage,
      {
        method: edgeRequest.method,
        key,
        query: parameters,
        // The viewer function drops the wish for them, so that all who read are given the same.
        headers: request.isOpen
          ? { ...request.headers, 'x-amz-checksum-mode': 'ENABLED' }
          : (decoded?.headers ?? request.headers),
        payloadHash: decoded?.payloadHash ?? forwardedPayloadHash(caller.signature),
        // CloudFront adds it after the function, and S3 wants every x-amz- header that arrives to be signed.
        unsentHeaders: { 'x-amz-cf-id': edgeRequest.requestId },
      },
      now,
    );
    return {
      kind: 'forward',
      ...(decoded === undefined ? {} : { decoding: decoded.decoding }),
      request: request.isOpen ? withFreshness(signed, storage, now) : signed,
    };
  };
  if (operation.needs.includes('versionId')) return readVersion(request, forward);
  const { storage, key } = await openObject(request);
  return forward(storage, key);
}

/** Not signed: it is for who shapes the answer, and storage knows nothing of it. */
function withFreshness(
  request: StorageRequest,
  { facts_read_at }: RepositoryStorage,
  decidedAt: number,
): StorageRequest {
  const freshUntil = facts_read_at + limits.readAuthorizationTtlSeconds * 1000;
  const freshness = formatFreshness({ freshUntil, decidedAt });
  return { ...request, headers: { ...request.headers, [freshUntilHeader]: freshness } };
}

function decodeSignedChunks({ headers, caller }: ObjectRequest): DecodedBody | undefined {
  const { signature, signingKey } = caller;
  return signature && signingKey && decodeChunkSignedBody(headers, signature, signingKey);
}
