import http from 'node:http';
import https from 'node:https';
import type { BufferedResponse, StorageRequest } from '../domain/data/decision.ts';
import { ServiceError } from '../domain/errors.ts';

interface RelayLimits {
  /** Aborts the whole exchange, including the connection and the read. */
  signal: AbortSignal;
  bytesMax: number;
}

const agents = { http: new http.Agent({ keepAlive: true }), https: new https.Agent({ keepAlive: true }) };

/**
 * Sends a small request to storage with the path unchanged, and returns the whole response.
 *
 * @throws ServiceError `unavailable` when storage cannot be reached, breaks the connection, or is too slow; `internal`
 *   when its response exceeds `bytesMax`
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
  // Does not use a URL object, which would resolve the `..` and `.` of a key.
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
  // Does not use `end(body)`. Node would then know the length before it sends the headers, and would encode
  // Content-Disposition differently from the signed value.
  if (body.length > 0) sent.write(body);
  sent.end();
  let answer: http.IncomingMessage;
  try {
    answer = await promise;
  } catch (error) {
    // Storage closed a reused connection, for example while the function was frozen between requests.
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
  // An early exit from the loop closes the connection.
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
