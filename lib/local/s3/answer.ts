import type { Clock } from '../../domain/time.ts';
import { readSignature } from '../../sigv4/presented-signature.ts';
import { isStreamed, type LocalRequest, type LocalResponse, type StreamedBody } from '../in-process-http.ts';
import { isLoopbackHost, misdirectedSentence } from '../loopback-host.ts';
import { refuseUnknownMeaning } from './attributes.ts';
import { authenticate, type StoreCredentials } from './authenticate.ts';
import type { Bucket } from './bucket.ts';
import { listBuckets } from './describe-buckets.ts';
import { ObjectStoreError, refusalOf, renderError } from './errors.ts';
import { ReaderClosed } from './files/blob-files.ts';
import { checkKey } from './keys.ts';
import { readRequest } from './request.ts';
import { findOperation } from './routes.ts';

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
 * Answers one request, from a connection or from this process. Never rejects: a failure is a response with S3's error
 * document.
 */
export async function respond(serving: Serving, incoming: LocalRequest): Promise<LocalResponse> {
  const requestId = serving.nextRequestId();
  let answer: LocalResponse;
  try {
    answer = await decide(serving, incoming);
  } catch (error) {
    answer = refuse(serving, error, incoming, requestId);
  }
  const { status, headers, body } = answer;
  return {
    status,
    headers: { server: serverName, ...lengthOf(answer), ...headers, 'x-amz-request-id': requestId },
    ...(body === undefined || incoming.method === 'HEAD'
      ? {}
      : { body: isStreamed(body) ? reportingFaults(body, serving) : body }),
  };
}

async function decide(serving: Serving, incoming: LocalRequest): Promise<LocalResponse> {
  const { buckets, credentials, region, clock } = serving;
  const request = readRequest(incoming);
  if (!isLoopbackHost(request.headers['host'])) throw new ObjectStoreError('MisdirectedRequest', misdirectedSentence);
  const loadBucket = (name: string): Bucket => {
    const bucket = buckets.get(name);
    if (bucket !== undefined) return bucket;
    throw new ObjectStoreError('NoSuchBucket', 'The specified bucket does not exist', {
      details: { BucketName: name },
    });
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
    body: {
      headers: request.headers,
      signature,
      credentials,
      chunks: incoming.chunks,
    },
    bucket: loadBucket(request.bucket),
    loadBucket,
    buckets: [...buckets.values()],
    region,
    clock: clock,
  });
}

function refuse({ onFault }: Serving, error: unknown, incoming: LocalRequest, requestId: string): LocalResponse {
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

function lengthOf({ status, body }: LocalResponse): Record<string, string> {
  if (status === 204 || status === 304 || isStreamed(body)) return {};
  return { 'content-length': String(Buffer.byteLength(body ?? '')) };
}

function reportingFaults(body: StreamedBody, { onFault }: Serving): StreamedBody {
  const report = (error: unknown) => {
    if (!(error instanceof ReaderClosed)) onFault(error);
    throw error;
  };
  return {
    prepare: () => body.prepare().catch(report),
    sendTo: (target) => body.sendTo(target).catch(report),
    close: () => body.close(),
  };
}
