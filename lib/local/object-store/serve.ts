import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../domain/time.ts';
import { isLoopbackHost, misdirectedSentence } from '../loopback-host.ts';
import { refuseUnknownMeaning } from './attributes.ts';
import { authenticate, type StoreCredentials } from './authenticate.ts';
import type { Bucket } from './bucket.ts';
import { listBuckets } from './describe-buckets.ts';
import { ObjectStoreError, refusalOf, renderError } from './errors.ts';
import { checkKey } from './keys.ts';
import type { Answer } from './operation.ts';
import { readRequest } from './request.ts';
import { findOperation } from './routes.ts';

export interface Serving {
  buckets: ReadonlyMap<string, Bucket>;
  credentials: StoreCredentials;
  region: string;
  clock: Clock;
  /** Told of faults of the store itself; the client sees nothing of them but InternalError. */
  onFault: (error: unknown) => void;
}

const serverName = 'Sluice-development-object-store';

/** Answers one request. Never rejects: when the client has gone, or half an answer is out, the connection is closed. */
export async function serve(serving: Serving, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const requestId = randomBytes(8).toString('hex').toUpperCase();
  try {
    let answer: Answer;
    try {
      answer = await decide(serving, message, response);
    } catch (error) {
      answer = refuse(serving, error, message, requestId);
    }
    await send(message, response, { ...answer, headers: { ...answer.headers, 'x-amz-request-id': requestId } });
  } catch (error) {
    if (!isDeparture(error)) serving.onFault(error);
    response.destroy();
  }
}

async function decide(serving: Serving, message: IncomingMessage, response: ServerResponse): Promise<Answer> {
  const { buckets, credentials, region, clock } = serving;
  const request = readRequest(message);
  if (!isLoopbackHost(request.headers['host'])) throw new ObjectStoreError('MisdirectedRequest', misdirectedSentence);
  const signature = authenticate(request, { credentials, region, now: clock() });
  if (request.bucket === '') {
    if (request.method === 'GET' && request.key === '') return listBuckets({ buckets: [...buckets.values()] });
    throw new ObjectStoreError('InvalidBucketName', 'The specified bucket is not valid.');
  }
  const operation = findOperation(request);
  refuseUnknownMeaning(request.headers);
  checkKey(request.key);
  const loadBucket = (name: string): Bucket => {
    const bucket = buckets.get(name);
    if (bucket !== undefined) return bucket;
    throw new ObjectStoreError('NoSuchBucket', 'The specified bucket does not exist', {
      details: { BucketName: name },
    });
  };
  return operation({
    request,
    body: {
      headers: request.headers,
      signature,
      credentials,
      chunks: () => bodyOf(message, response),
    },
    bucket: loadBucket(request.bucket),
    loadBucket,
    buckets: [...buckets.values()],
    region,
    now: clock,
  });
}

function bodyOf(message: IncomingMessage, response: ServerResponse): AsyncIterable<Uint8Array> {
  if (message.headers.expect !== undefined) response.writeContinue();
  // When reading stops at a fault, a full disk say, the connection must stay open for the answer that says so.
  return { [Symbol.asyncIterator]: () => message.iterator({ destroyOnReturn: false }) };
}

function refuse({ onFault }: Serving, error: unknown, message: IncomingMessage, requestId: string): Answer {
  let refusal = refusalOf(error);
  if (refusal === undefined) {
    const hasLeft = message.destroyed && !message.complete;
    if (!hasLeft) onFault(error);
    refusal = new ObjectStoreError('InternalError', 'We encountered an internal error. Please try again.');
  }
  const resource = (message.url ?? '').split('?', 1)[0] ?? '';
  return {
    status: refusal.status,
    headers: {
      ...refusal.headers,
      'content-type': 'application/xml',
      // A client that was never told to continue may send its body or not: only a new connection is unambiguous.
      ...(message.headers.expect === undefined || message.readableEnded ? {} : { connection: 'close' }),
    },
    body: renderError(refusal, resource, requestId),
  };
}

async function send(message: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void> {
  const { status, headers, body } = answer;
  // The length comes last: Node writes a Content-Disposition that follows it in another encoding.
  const { 'content-length': length, ...fields } = { ...lengthOf(answer), ...headers };
  response.writeHead(status, {
    server: serverName,
    ...fields,
    ...(length === undefined ? {} : { 'content-length': length }),
  });
  if (body instanceof Readable) await pipeline(body, response);
  else response.end(message.method === 'HEAD' ? undefined : body);
}

function lengthOf({ status, body }: Answer): Record<string, number> {
  if (status === 204 || status === 304 || body instanceof Readable) return {};
  return { 'content-length': Buffer.byteLength(body ?? '') };
}

const departures: readonly unknown[] = ['ECONNRESET', 'EPIPE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_PREMATURE_CLOSE'];

/** Whether an answer could not be sent because the client has gone. */
function isDeparture(error: unknown): boolean {
  return error instanceof Error && 'code' in error && departures.includes(error.code);
}
