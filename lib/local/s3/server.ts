import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../domain/time.ts';
import { type PresentedSignature, readSignature } from '../../sigv4/presented-signature.ts';
import { verifySignature } from '../../sigv4/verify.ts';
import { isLoopbackHost, misdirectedSentence, type StartedServer, splitTarget, startServer } from '../web-server.ts';
import { refuseUnknownMeaning } from './attributes.ts';
import { Bucket, StoredBytes } from './bucket.ts';
import { checkKey, ObjectStoreError, refusalOf, renderError } from './errors.ts';
import type { StoreResponse } from './operation.ts';
import { type ObjectStoreRequest, readRequest } from './request.ts';
import { findOperation } from './routes.ts';

interface ObjectStoreOptions {
  /** 0 picks a free port. */
  port: number;
  /** Folder of all data, which a later run loads again. Only one process may use it at a time. */
  directory: string;
  credentials: StoreCredentials;
  /** Credentials of an assumed role, which are accepted too. */
  lent?: StoreCredentials | undefined;
  /** Region that requests must be signed for. The default is `us-east-1`. */
  region?: string;
  clock: Clock;
  /** The buckets of the store. Clients cannot create or delete buckets. */
  buckets: readonly string[];
  /** Reports faults of the store itself. The default writes to the error output. */
  onFault?: (error: unknown) => void;
}

export interface StoreCredentials {
  access_key_id: string;
  secret_access_key: string;
  /** Session token of an assumed role. Every request must then carry it. */
  session_token?: string;
}

interface Serving extends Required<Pick<ObjectStoreOptions, 'credentials' | 'region' | 'clock' | 'onFault'>> {
  buckets: ReadonlyMap<string, Bucket>;
  lent: StoreCredentials | undefined;
}

/**
 * Starts an S3-compatible store for development: path style, one key pair, no versions, ACLs, encryption or bucket
 * settings (501). It holds its index in memory and does not sync writes to the disk, so it is not for data that
 * matters. Rejects with LocalStartError when the port is taken, and with another error when the folder cannot be read.
 */
export async function startObjectStore(options: ObjectStoreOptions): Promise<StartedServer> {
  const { port, directory, credentials, lent, region = 'us-east-1', clock, onFault = reportFault } = options;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const buckets = new Map<string, Bucket>();
  for (const name of options.buckets) {
    // The bucket name becomes a folder name.
    if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name)) throw new Error(`not a bucket name: ${name}`);
    buckets.set(name, await Bucket.open(name, join(directory, name)));
  }
  const serving: Serving = { buckets, credentials, lent, region, clock, onFault };
  const underWay = new Set<Promise<void>>();
  // Requests have no time limit: an upload takes as long as its client needs.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 65_000, maxHeaderSize: 64 * 1024 });
  const listener = (message: IncomingMessage, response: ServerResponse) => {
    const served: Promise<void> = serve(serving, message, response).finally(() => underWay.delete(served));
    underWay.add(served);
  };
  server.on('request', listener);
  // The store can refuse a request before it reads the body.
  server.on('checkContinue', listener);
  const started = await startServer(server, port);
  return {
    ...started,
    async close() {
      await started.close();
      await Promise.allSettled(underWay);
    },
  };
}

function reportFault(error: unknown): void {
  console.error('object store:', error);
}

/**
 * Answers one request over HTTP. Never rejects: when the client leaves or the response fails half-way, it closes the
 * connection.
 */
async function serve(serving: Serving, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const requestId = randomBytes(8).toString('hex').toUpperCase();
  let answer: StoreResponse;
  try {
    answer = await respond(serving, message, response);
  } catch (error) {
    answer = refuse(serving, error, message, requestId);
  }
  const { body = '' } = answer;
  try {
    writeHead(message, response, answer, requestId);
    if (!(body instanceof StoredBytes)) response.end(message.method === 'HEAD' ? '' : body);
    else await pipeline(body, response);
  } catch (error) {
    if (!response.destroyed || !isPrematureClose(error)) serving.onFault(error);
    // An end would make the part that was sent look whole.
    response.destroy();
  } finally {
    if (body instanceof StoredBytes) body.close();
  }
}

function isPrematureClose(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}

function bodyOf(message: IncomingMessage, response: ServerResponse): AsyncIterable<Uint8Array> {
  if (message.headers.expect !== undefined) response.writeContinue();
  // When reading stops at a fault, such as a full disk, the connection must stay open for the error response.
  return { [Symbol.asyncIterator]: () => message.iterator({ destroyOnReturn: false }) };
}

function writeHead(message: IncomingMessage, response: ServerResponse, answer: StoreResponse, requestId: string): void {
  const { status, headers, body = '' } = answer;
  const hasNoLength = status === 204 || status === 304 || body instanceof StoredBytes;
  // The length comes last: Node writes a Content-Disposition after it in another encoding.
  const { 'content-length': length = hasNoLength ? undefined : Buffer.byteLength(body), ...fields } = headers;
  // A client that got no `100 Continue` may or may not send its body. Only a new connection is unambiguous.
  const isAmbiguous = status >= 400 && message.headers.expect !== undefined && !message.readableEnded;
  response.writeHead(status, {
    server: 'Sluice-development-object-store',
    ...fields,
    'x-amz-request-id': requestId,
    ...(isAmbiguous ? { connection: 'close' } : {}),
    ...(length === undefined ? {} : { 'content-length': length }),
  });
}

async function respond(serving: Serving, message: IncomingMessage, response: ServerResponse): Promise<StoreResponse> {
  const { buckets, region, clock } = serving;
  const request = readRequest(message);
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
  const { lent } = serving;
  const credentials = lent?.access_key_id === signature.access_key_id ? lent : serving.credentials;
  authenticate(request, signature, { credentials, region, now: clock() });
  if (request.bucket === '') throw new ObjectStoreError('InvalidBucketName', 'The specified bucket is not valid.');
  const operation = findOperation(request);
  refuseUnknownMeaning(request.headers);
  checkKey(request.key);
  return operation({
    request,
    body: { headers: request.headers, signature, credentials, chunks: () => bodyOf(message, response) },
    bucket: loadBucket(request.bucket),
    loadBucket,
    region,
    clock,
  });
}

function refuse({ onFault }: Serving, error: unknown, message: IncomingMessage, requestId: string): StoreResponse {
  let refusal = refusalOf(error);
  if (refusal === undefined) {
    // A client that left in the middle of its body is no fault of the store.
    if (!message.destroyed || message.complete) onFault(error);
    refusal = new ObjectStoreError('InternalError', 'We encountered an internal error. Please try again.');
  }
  const body = renderError(refusal, splitTarget(message.url).rawPath, requestId);
  return { status: refusal.status, headers: { ...refusal.headers, 'content-type': 'application/xml' }, body };
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
