import type { Clock } from '../../domain/time.ts';
import { type PresentedSignature, readSignature } from '../../sigv4/presented-signature.ts';
import { verifySignature } from '../../sigv4/verify.ts';
import { isLoopbackHost, misdirectedSentence } from '../web-server.ts';
import { refuseUnknownMeaning } from './attributes.ts';
import type { Bucket } from './bucket.ts';
import { checkKey, ObjectStoreError, refusalOf, renderError } from './errors.ts';
import { StoredBytes } from './files/blob-files.ts';
import type { StoreResponse } from './operation.ts';
import { type ObjectStoreRequest, readRequest, type StoreRequest } from './request.ts';
import { findOperation, listBuckets } from './routes.ts';

export interface Serving {
  buckets: ReadonlyMap<string, Bucket>;
  credentials: StoreCredentials;
  region: string;
  clock: Clock;
  nextRequestId: () => string;
  /** Reports faults of the store itself. The client sees only InternalError. */
  onFault: (error: unknown) => void;
}

const serverName = 'Sluice-development-object-store';

/**
 * Answers one request. Never rejects: a failure is a response with S3's error
 * document.
 */
export async function respond(serving: Serving, incoming: StoreRequest): Promise<StoreResponse> {
  const requestId = serving.nextRequestId();
  let answer: StoreResponse;
  try {
    answer = await decide(serving, incoming);
  } catch (error) {
    answer = refuse(serving, error, incoming, requestId);
  }
  const { status, headers, body } = answer;
  return {
    status,
    headers: { server: serverName, ...lengthOf(answer), ...headers, 'x-amz-request-id': requestId },
    ...(body === undefined || incoming.method === 'HEAD' ? {} : { body }),
  };
}

async function decide(serving: Serving, incoming: StoreRequest): Promise<StoreResponse> {
  const { buckets, credentials, region, clock } = serving;
  const request = readRequest(incoming);
  if (!isLoopbackHost(request.headers['host'])) throw new ObjectStoreError('MisdirectedRequest', misdirectedSentence);
  const loadBucket = (name: string): Bucket => {
    const bucket = buckets.get(name);
    if (bucket !== undefined) return bucket;
    throw new ObjectStoreError('NoSuchBucket', 'The specified bucket does not exist', { BucketName: name });
  };
  const signature = readSignature(request);
  if (signature === undefined) {
    // S3 reports a missing bucket to unauthenticated callers too.
    if (request.bucket !== '') loadBucket(request.bucket);
    throw new ObjectStoreError('AccessDenied', 'Access Denied');
  }
  authenticate(request, signature, { credentials, region, now: clock() });
  if (request.bucket === '') {
    if (request.method === 'GET' && request.key === '') return listBuckets({ buckets: [...buckets.values()] });
    throw new ObjectStoreError('InvalidBucketName', 'The specified bucket is not valid.');
  }
  const operation = findOperation(request);
  refuseUnknownMeaning(request.headers);
  checkKey(request.key);
  return operation({
    request,
    body: { headers: request.headers, signature, credentials, chunks: incoming.chunks },
    bucket: loadBucket(request.bucket),
    loadBucket,
    buckets: [...buckets.values()],
    region,
    clock,
  });
}

function refuse({ onFault }: Serving, error: unknown, incoming: StoreRequest, requestId: string): StoreResponse {
  let refusal = refusalOf(error);
  if (refusal === undefined) {
    if (!incoming.hasLeft()) onFault(error);
    refusal = new ObjectStoreError('InternalError', 'We encountered an internal error. Please try again.');
  }
  const resource = incoming.target.split('?', 1)[0] ?? '';
  return {
    status: refusal.status,
    headers: { ...refusal.headers, 'content-type': 'application/xml' },
    body: renderError(refusal, resource, requestId),
  };
}

function lengthOf({ status, body }: StoreResponse): Record<string, string> {
  if (status === 204 || status === 304 || body instanceof StoredBytes) return {};
  return { 'content-length': String(Buffer.byteLength(body ?? '')) };
}

export interface StoreCredentials {
  access_key_id: string;
  secret_access_key: string;
  /** Session token of an assumed role. Every request must then carry it. */
  session_token?: string;
}

/**
 * Verifies that a request is signed with the store's key pair for its region, in its header or as a presigned URL.
 * Throws InvalidAccessKeyId, InvalidToken, AuthorizationHeaderMalformed, or what the verification throws.
 */
function authenticate(
  request: ObjectStoreRequest,
  signature: PresentedSignature,
  { credentials, region, now }: { credentials: StoreCredentials; region: string; now: number },
): void {
  if (signature.access_key_id !== credentials.access_key_id) {
    throw new ObjectStoreError(
      'InvalidAccessKeyId',
      'The AWS Access Key Id you provided does not exist in our records.',
      { AWSAccessKeyId: signature.access_key_id },
    );
  }
  // Another session's token, or a token with keys that need none, shows that a client's credentials were passed on.
  if (signature.session_token !== credentials.session_token) {
    throw new ObjectStoreError('InvalidToken', 'The provided token is malformed or otherwise invalid.');
  }
  if (signature.region !== region) {
    throw new ObjectStoreError(
      'AuthorizationHeaderMalformed',
      `The authorization header is malformed; the region '${signature.region}' is wrong; expecting '${region}'`,
      { Region: region },
    );
  }
  verifySignature(request, signature, credentials, { now, service: 's3' });
}
