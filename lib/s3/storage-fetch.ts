import http from 'node:http';
import https from 'node:https';
import type { BufferedResponse, StorageRequest } from '../domain/data/decision.ts';
import { ServiceError } from '../domain/errors.ts';
import { lookupStorage } from './public-addresses.ts';

const agents = { http: new http.Agent({ keepAlive: true }), https: new https.Agent({ keepAlive: true }) };

/**
 * Sends a small request to storage with the path unchanged, and returns the whole response. Connects to public IP
 * addresses only. `signal` aborts the connection, the request, and the read.
 *
 * @param timeouts the time until the headers of the response, and the time for the whole response
 * @throws ServiceError `unavailable` when storage cannot be reached, closes the connection too early, or is too slow;
 * `internal` when its response is larger than `bytesMax`
 */
export async function fetchFromStorage(
  request: StorageRequest,
  body: Uint8Array,
  bounds: Bounds,
  fetch: FetchStorage = fetchBytes,
): Promise<BufferedResponse> {
  const answer = await fetch(request, body, bounds);
  return { ...answer, body: answer.body.toString('utf8') };
}

interface Bounds {
  signal: AbortSignal;
  bytesMax: number;
  timeouts?: StorageTimeouts | undefined;
}

/** Sends a request to storage like `fetchBytes`. Simulations provide another function. */
export type FetchStorage = typeof fetchBytes;

/** Sends a request like `fetchFromStorage`, but returns the body as bytes. */
export async function fetchBytes(
  request: StorageRequest,
  body: Uint8Array,
  { signal, bytesMax, timeouts }: Bounds,
): Promise<Omit<BufferedResponse, 'body'> & { body: Buffer }> {
  const slow = new AbortController();
  const abortAfter = (timeoutMs: number | undefined) => {
    if (timeoutMs !== undefined && timeoutMs <= 0) slow.abort();
    return timeoutMs === undefined ? undefined : setTimeout(() => slow.abort(), timeoutMs);
  };
  const [headersTimer, wholeTimer] = [abortAfter(timeouts?.headersMs), abortAfter(timeouts?.wholeMs)];
  try {
    const answer = await openWithRetry(request, body, AbortSignal.any([signal, slow.signal]));
    clearTimeout(headersTimer);
    const bytes = await readBytes(answer, bytesMax);
    if (bytes === undefined) {
      throw new ServiceError('internal', 'The response is too large to send; request less at a time.');
    }
    const headers = Object.entries(answer.headersDistinct).map(([name, values]) => [name, (values ?? []).join(',')]);
    return { status: answer.statusCode ?? 0, headers: Object.fromEntries(headers), body: bytes };
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const message = slow.signal.aborted
      ? 'The storage of this repository is too slow; try again later, or ask its owner to test the data connection.'
      : 'The storage did not answer; try again.';
    throw new ServiceError('unavailable', message, { cause: error });
  } finally {
    clearTimeout(headersTimer);
    clearTimeout(wholeTimer);
  }
}

export interface StorageTimeouts {
  headersMs: number;
  wholeMs: number;
}

async function openWithRetry(request: StorageRequest, body: Uint8Array, signal: AbortSignal) {
  const options = { agent: agents[request.protocol], lookup: lookupStorage, signal };
  const { sent, answer } = openStorageRequest(request, body, options);
  return answer.catch((error: unknown) => {
    // Storage closed the connection that this request reused. This happens, for example, when Lambda froze the function
    // between two requests. Send the request once more.
    const wasClosed = error instanceof Error && 'code' in error && error.code === 'ECONNRESET' && sent.reusedSocket;
    if (wasClosed) return openStorageRequest(request, body, options).answer;
    throw error;
  });
}

/** Sends a request. `answer` resolves when the status and headers of the response have arrived. */
export function openStorageRequest(
  request: StorageRequest,
  body: Uint8Array,
  options: Pick<https.RequestOptions, 'agent' | 'lookup' | 'signal'>,
): { sent: http.ClientRequest; answer: Promise<http.IncomingMessage> } {
  const { method, protocol, host, port, rawPath, rawQuery } = request;
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const hasLength = body.length > 0 || method === 'POST' || method === 'PUT';
  // Send the path as text. A URL object would resolve `..` and `.`, which are parts of a key.
  const sent = (protocol === 'https' ? https : http).request({
    ...options,
    host,
    port,
    method,
    path: rawQuery === '' ? rawPath : `${rawPath}?${rawQuery}`,
    headers: { ...request.headers, ...(hasLength ? { 'content-length': body.length } : {}) },
  });
  sent.once('response', resolve);
  sent.on('error', reject);
  // Do not use `end(body)`. Node would then know the length before it sends the headers, and would encode
  // Content-Disposition differently from the signed header.
  if (body.length > 0) sent.write(body);
  sent.end();
  return { sent, answer: promise };
}

/** Returns the body of a response. Returns undefined if it is longer than `bytesMax`. */
export async function readText(answer: http.IncomingMessage, bytesMax: number): Promise<string | undefined> {
  return (await readBytes(answer, bytesMax))?.toString('utf8');
}

async function readBytes(answer: http.IncomingMessage, bytesMax: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Returning early from this loop closes the connection.
  for await (const chunk of answer) {
    length += chunk.length;
    if (length > bytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
