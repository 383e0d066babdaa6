import http, { type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { ServiceError } from '../../domain/errors.ts';
import { lookupStorage } from '../../s3/public-addresses.ts';
import { EdgeFailure } from './edge-failure.ts';
import { toNodeHeaders } from './event-headers.ts';
import type { OriginBoundRequest } from './functions.ts';
import type { IncludedBody } from './included-body.ts';

export interface OriginAgents {
  http: http.Agent;
  https: https.Agent;
}

/** A request that a function forwarded, with the body and the connection of the viewer. */
interface OriginExchange extends OriginBoundRequest {
  body: IncludedBody;
  requestId: string;
  /** The viewer's request. Its body is sent to the origin as fast as the viewer sends it. */
  viewer: IncomingMessage;
  response: ServerResponse;
}

/** A response of an origin whose body is not read yet. */
export interface OriginResponse {
  status: number;
  /** The response headers: a list in which each name is followed by its value. */
  rawHeaders: readonly string[];
  /**
   * The response body.
   *
   * @throws EdgeFailure 502 when the origin closes the connection too early, 504 when it sends nothing for its read
   * timeout
   */
  body: AsyncIterable<Uint8Array>;
  /** Drops the rest of the response body. */
  discard(): void;
}

/**
 * Sends a request to the origin that a function chose, over a connection of `agents`. The upload of the body may
 * continue after the response has begun, until the viewer has the complete response.
 *
 * @throws EdgeFailure 502 when the origin cannot be reached or closes the connection too early
 *
 * @throws EdgeFailure 504 when the origin sends nothing for its read timeout
 *
 * @throws ServiceError for a body that does not match its signature
 */
export async function sendToOrigin(exchange: OriginExchange, agents: OriginAgents): Promise<OriginResponse> {
  const answer = await send(exchange, agents);
  return {
    status: answer.statusCode ?? 502,
    rawHeaders: answer.rawHeaders,
    body: bodyOf(answer),
    discard: () => discard(answer),
  };
}

async function send(exchange: OriginExchange, agents: OriginAgents, isRetry = false): Promise<IncomingMessage> {
  const { body, response } = exchange;
  // Check the socket as well. Right after the server closes, Node has not yet marked the response as destroyed.
  if (response.destroyed || exchange.viewer.socket.destroyed) {
    throw new Error('the viewer went away before its request was sent on');
  }
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = openRequest(exchange, agents);
  sent.once('response', resolve);
  // This listener must stay after the response has begun. An origin that refuses an upload early closes the connection
  // while the upload continues, and an error without a listener would end the process.
  sent.on('error', reject);
  response.once('close', () => {
    const isDone = response.writableFinished && sent.writableEnded;
    if (!isDone) sent.destroy();
  });
  watchSilence(sent, exchange);
  writeBody(sent, body.chunks()).catch((error) => sent.destroy(error));
  try {
    return await promise;
  } catch (error) {
    // The origin closed an idle connection while this request reused it. Send the request once more, on another
    // connection.
    const wasClosed = error instanceof Error && 'code' in error && error.code === 'ECONNRESET' && sent.reusedSocket;
    if (wasClosed && !isRetry && !body.truncated) return send(exchange, agents, true);
    // Errors of the viewer's request body appear here, because the body is checked only while it is sent.
    if (error instanceof EdgeFailure || error instanceof ServiceError) throw error;
    throw unreachable(error);
  }
}

function openRequest({ request, origin, requestId }: OriginExchange, agents: OriginAgents): ClientRequest {
  const path = `${origin.path}${request.uri}`;
  try {
    // Pass the path as text. A URL object would resolve `..` and `.`, which are part of an object's key.
    return (origin.protocol === 'https' ? https : http).request({
      agent: agents[origin.protocol],
      // CloudFront can reach only public hosts, so the emulator refuses others.
      lookup: lookupStorage,
      host: origin.domainName,
      port: origin.port,
      method: request.method,
      path: request.querystring === '' ? path : `${path}?${request.querystring}`,
      // The function's headers replace the custom headers of the origin. The header that CloudFront adds replaces both.
      headers: {
        host: origin.domainName,
        ...toNodeHeaders(origin.customHeaders),
        ...toNodeHeaders(request.headers),
        'x-amz-cf-id': requestId,
      },
      timeout: origin.readTimeout * 1000,
    });
  } catch (cause) {
    throw new EdgeFailure(502, 'BadGateway', 'The function returned a request that cannot be sent.', { cause });
  }
}

/**
 * Writes a body as fast as `target` accepts it, and then ends `target`. Stops when `target` closes.
 * `pipeline` is no alternative: on an error, it would destroy `target`, which could then not send an error response.
 *
 * @param begin called before the first byte, or before the end of an empty body
 */
export async function writeBody(
  target: Writable,
  chunks: AsyncIterable<Uint8Array>,
  begin: () => void = () => {},
): Promise<void> {
  let hasBegun = false;
  for await (const chunk of chunks) {
    if (!hasBegun) begin();
    hasBegun = true;
    if (target.destroyed) return;
    if (!target.write(chunk)) await drained(target);
  }
  if (!hasBegun) begin();
  // Do not use `end(bytes)`. Node would then know the length before it writes the headers, and would encode a
  // Content-Disposition differently.
  target.end();
}

async function drained(target: Writable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  target.once('drain', resolve).once('close', resolve);
  await promise;
  target.off('drain', resolve).off('close', resolve);
}

/**
 * Ends a request to an origin that sends nothing for its read timeout. Does not end the request while the origin waits
 * for the viewer.
 */
function watchSilence(sent: ClientRequest, { origin, viewer, response, body }: OriginExchange): void {
  let answer: IncomingMessage | undefined;
  sent.once('response', (begun) => {
    answer = begun;
  });
  sent.on('timeout', () => {
    const awaitsUpload = body.truncated && !viewer.readableEnded && sent.writableLength === 0;
    if (awaitsUpload || response.writableLength > 0) {
      sent.socket?.setTimeout(origin.readTimeout * 1000);
      return;
    }
    const failure = new EdgeFailure(504, 'GatewayTimeout', 'The storage did not answer in time; try again.');
    (answer ?? sent).destroy(failure);
  });
}

async function* bodyOf(answer: IncomingMessage): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* answer.iterator({ destroyOnReturn: false });
  } catch (error) {
    throw error instanceof EdgeFailure ? error : unreachable(error);
  }
}

/**
 * Reads the rest of a small response, so that its connection can be reused. Closes the connection of a large response.
 */
function discard(answer: IncomingMessage): void {
  if (Number(answer.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= 65_536) answer.resume();
  else if (!answer.readableEnded) answer.destroy();
}

function unreachable(cause: unknown): EdgeFailure {
  return new EdgeFailure(502, 'BadGateway', 'The storage could not be reached; try again.', { cause });
}

/**
 * An agent for connections to origins. A connection reads the response to its end, even when the origin stops accepting
 * the request body.
 */
export class OriginAgent extends http.Agent {
  override createConnection(options: NetConnectOpts): Socket {
    const socket = connect(options);
    keepReadingAfterReset(socket);
    return socket;
  }
}

/**
 * Makes sure that Node reads the response when storage refuses an upload early and then resets the connection. The next
 * write to the socket then fails first, and on this error, Node would drop a response that it has not read yet. The
 * error of the write is therefore ignored. Reading reports the error again when it reaches the end.
 */
function keepReadingAfterReset(socket: Socket): void {
  const [write, writeAll] = [socket._write.bind(socket), socket._writev?.bind(socket)];
  const later = (callback: (error?: Error | null) => void) => (error?: Error | null) =>
    callback(isReset(error) ? null : error);
  socket._write = (chunk, encoding, callback) => write(chunk, encoding, later(callback));
  if (writeAll !== undefined) socket._writev = (chunks, callback) => writeAll(chunks, later(callback));
}

function isReset(error: NodeJS.ErrnoException | null | undefined): boolean {
  return error?.code === 'EPIPE' || error?.code === 'ECONNRESET';
}
