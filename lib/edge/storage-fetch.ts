import http from 'node:http';
import https from 'node:https';
import type { BufferedResponse, StorageRequest } from '../domain/data/decision.ts';
import { ServiceError } from '../domain/errors.ts';

interface RelayLimits {
  /** Ends the whole exchange, connecting and reading included. */
  signal: AbortSignal;
  bytesMax: number;
}

const agents = { http: new http.Agent({ keepAlive: true }), https: new https.Agent({ keepAlive: true }) };

/**
 * Sends a small request to storage, its path exactly as given, and returns the whole answer.
 *
 * @throws ServiceError `unavailable` when the storage cannot be reached, breaks off or is too slow; `internal` when its
 *   answer is larger than `bytesMax`
 */
export async function fetchFromStorage(
  request: StorageRequest,
  body: Uint8Array,
  { signal, bytesMax }: RelayLimits,
): Promise<BufferedResponse> {
  try {
    return await send(request, body, bytesMax, signal);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('unavailable', 'The storage did not answer; try again.', { cause: error });
  }
}

async function send(
  request: StorageRequest,
  body: Uint8Array,
  bytesMax: number,
  signal: AbortSignal,
  isRetry = false,
): Promise<BufferedResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  // Never through a URL object: it would resolve the `..` and `.` that are part of a key.
  const sent = (request.protocol === 'https' ? https : http).request({
    agent: agents[request.protocol],
    host: request.host,
    port: request.port,
    method: request.method,
    path: request.rawQuery === '' ? request.rawPath : `${request.rawPath}?${request.rawQuery}`,
    headers: { ...request.headers, ...(hasLength(request, body) ? { 'content-length': body.length } : {}) },
    signal,
  });
  sent.once('response', resolve);
  sent.on('error', reject);
  // Never `end(body)`: Node, that then knows the length before the headers, writes a Content-Disposition in another
  // encoding than was signed.
  if (body.length > 0) sent.write(body);
  sent.end();
  let answer: http.IncomingMessage;
  try {
    answer = await promise;
  } catch (error) {
    // A reused connection that the storage closed meanwhile, as after each pause in which the function was frozen.
    const wasClosed = error instanceof Error && 'code' in error && error.code === 'ECONNRESET' && sent.reusedSocket;
    if (wasClosed && !isRetry) return send(request, body, bytesMax, signal, true);
    throw error;
  }
  return readAnswer(answer, bytesMax);
}

function hasLength({ method }: StorageRequest, body: Uint8Array): boolean {
  return body.length > 0 || method === 'POST' || method === 'PUT';
}

async function readAnswer(answer: http.IncomingMessage, bytesMax: number): Promise<BufferedResponse> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Leaving the loop early ends the connection.
  for await (const chunk of answer) {
    length += chunk.length;
    if (length > bytesMax) {
      throw new ServiceError('internal', 'The response is too large to send; request less at a time.');
    }
    chunks.push(chunk);
  }
  const headers = Object.entries(answer.headersDistinct).map(([name, values]) => [name, (values ?? []).join(',')]);
  return {
    status: answer.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks).toString('utf8'),
  };
}
