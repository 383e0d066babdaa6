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
  /** The port of the emulator. 0 selects a free port. */
  port: number;
  /**
   * The folder of all data. A later run with the same folder loads the data again. Only one process may use the folder
   * at a time.
   */
  directory: string;
  credentials: StoreCredentials;
  /** Credentials of an assumed role, which the emulator accepts in addition to its key pair. */
  lent?: StoreCredentials | undefined;
  /** Region that requests must be signed for. The default is `us-east-1`. */
  region?: string;
  clock: Clock;
  /** The names of all buckets. Clients cannot create or delete buckets. */
  buckets: readonly string[];
  /** True to enable versioning in buckets where it was never set. */
  isVersioned?: boolean;
  /** Reports unexpected errors of the emulator itself. By default, they are written to the standard error output. */
  onFault?: (error: unknown) => void;
}

export interface StoreCredentials {
  access_key_id: string;
  secret_access_key: string;
  /** The session token, for credentials of an assumed role. Every request must then contain this token. */
  session_token?: string;
}

interface Serving extends Required<Pick<ObjectStoreOptions, 'credentials' | 'region' | 'clock' | 'onFault'>> {
  buckets: ReadonlyMap<string, Bucket>;
  lent: StoreCredentials | undefined;
}

/**
 * Starts an S3-compatible storage for development. It has path-style URLs and one key pair. ACLs, encryption, and
 * bucket settings other than versioning are not supported (501).
 * Do not use it for important data: its index is in memory, and it does not sync writes to the disk. Rejects with
 * LocalStartError when another process uses the port, and with another error when the folder cannot be read.
 */
export async function startObjectStore(options: ObjectStoreOptions): Promise<StartedServer> {
  const { port, directory, credentials, lent, region = 'us-east-1', clock, onFault = reportFault } = options;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const buckets = new Map<string, Bucket>();
  for (const name of options.buckets) {
    // Check the name, because it becomes the name of a folder.
    if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name)) throw new Error(`not a bucket name: ${name}`);
    const bucket = await Bucket.open(name, join(directory, name));
    if (options.isVersioned && bucket.versioning === undefined) bucket.setVersioning('Enabled');
    buckets.set(name, bucket);
  }
  const serving: Serving = { buckets, credentials, lent, region, clock, onFault };
  const underWay = new Set<Promise<void>>();
  // Requests have no time limit, because an upload takes as long as its client needs.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 65_000, maxHeaderSize: 64 * 1024 });
  const listener = (message: IncomingMessage, response: ServerResponse) => {
    const served: Promise<void> = serve(serving, message, response).finally(() => underWay.delete(served));
    underWay.add(served);
  };
  server.on('request', listener);
  // Without this handler, Node would send `100 Continue` before the emulator can refuse the request.
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
 * Answers one HTTP request. Never rejects. When the client closes the connection, or when sending fails in the middle
 * of the response, it closes the connection.
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
    // A part of the response was already sent. Destroy the connection, because a normal end would make the client
    // believe that the response is complete.
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
  // If writing fails, for example on a full disk, reading stops. Leave the connection open for the error response.
  return { [Symbol.asyncIterator]: () => message.iterator({ destroyOnReturn: false }) };
}

function writeHead(message: IncomingMessage, response: ServerResponse, answer: StoreResponse, requestId: string): void {
  const { status, headers, body = '' } = answer;
  const hasNoLength = status === 204 || status === 304 || body instanceof StoredBytes;
  // Set Content-Length last. Node encodes a Content-Disposition after it differently.
  const { 'content-length': length = hasNoLength ? undefined : Buffer.byteLength(body), ...fields } = headers;
  // A client that waited for `100 Continue` and got an error may or may not send its body. The server cannot tell
  // which, so it closes the connection.
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
    // Check the bucket first, because S3 reports a missing bucket even to unauthenticated callers.
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
    // Ignore the error if the client closed the connection in the middle of its body, because it is no error of the
    // emulator.
    if (!message.destroyed || message.complete) onFault(error);
    refusal = new ObjectStoreError('InternalError', 'We encountered an internal error. Please try again.');
  }
  const body = renderError(refusal, splitTarget(message.url).rawPath, requestId);
  return { status: refusal.status, headers: { ...refusal.headers, 'content-type': 'application/xml' }, body };
}

/**
 * Verifies that a request is signed for the region with the emulator's key pair, in its header or as a presigned URL.
 * Throws InvalidAccessKeyId, InvalidToken, AuthorizationHeaderMalformed, and the errors of the signature verification.
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
  // Reject a token of another session, and any token if the emulator's credentials have none. Such a token shows that
  // the service wrongly forwarded a client's credentials to storage.
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
