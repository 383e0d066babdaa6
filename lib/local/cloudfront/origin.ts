import http, { type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { ServiceError } from '../../domain/errors.ts';
import { EdgeFailure } from './edge-failure.ts';
import { toNodeHeaders } from './event-headers.ts';
import type { OriginBoundRequest } from './functions.ts';
import type { IncludedBody } from './included-body.ts';

export interface OriginAgents {
  http: http.Agent;
  https: https.Agent;
}

/** A request that a function forwarded, with its body. */
interface OriginExchange extends OriginBoundRequest {
  body: IncludedBody;
  requestId: string;
  /** The viewer's connection, which sets the pace. */
  viewer: IncomingMessage;
  response: ServerResponse;
}

/** The response of an origin whose body is unread. */
export interface OriginResponse {
  status: number;
  /** Names and values in turn. */
  rawHeaders: readonly string[];
  /** @throws EdgeFailure 502 or 504 when the origin breaks off or is silent */
  body: AsyncIterable<Uint8Array>;
  /** Drops the rest of the body. */
  discard(): void;
}

/**
 * Sends a request to the origin that a function chose, over a connection of `agents`. The upload continues during the
 * response, until the viewer has the whole response.
 *
 * @throws EdgeFailure 502 when the origin cannot be reached or breaks off, 504 when it is silent for its read timeout.
 *   ServiceError for a body that does not match its signature.
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
  // Right after the server closes, the response is not marked as destroyed yet.
  if (response.destroyed || exchange.viewer.socket.destroyed) {
    throw new Error('the viewer went away before its request was sent on');
  }
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = openRequest(exchange, agents);
  sent.once('response', resolve);
  // Stays after the response has begun: an origin that refuses an upload early closes the connection while the upload
  // continues.
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
    // The origin closed an idle connection at the moment of its reuse.
    const wasClosed = error instanceof Error && 'code' in error && error.code === 'ECONNRESET' && sent.reusedSocket;
    if (wasClosed && !isRetry && !body.truncated) return send(exchange, agents, true);
    // A fault of the body appears only while the body is sent.
    if (error instanceof EdgeFailure || error instanceof ServiceError) throw error;
    throw unreachable(error);
  }
}

function openRequest({ request, origin, requestId }: OriginExchange, agents: OriginAgents): ClientRequest {
  const path = `${origin.path}${request.uri}`;
  try {
    // A URL object would resolve `..` and `.`, which are part of a key.
    return (origin.protocol === 'https' ? https : http).request({
      agent: agents[origin.protocol],
      host: origin.domainName,
      port: origin.port,
      method: request.method,
      path: request.querystring === '' ? path : `${path}?${request.querystring}`,
      // The function's headers override the origin's custom headers, and CloudFront adds its own.
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
 * Writes a body at the pace of `target`, and ends it. `pipeline` would destroy a target on an error, which then could not
 * send an error response. Stops when the target closes.
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
  // Never `end(bytes)`: Node would know the length before the headers, and encode a Content-Disposition differently.
  target.end();
}

async function drained(target: Writable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  target.once('drain', resolve).once('close', resolve);
  await promise;
  target.off('drain', resolve).off('close', resolve);
}

/** Ends an exchange when the origin is silent for its read timeout, unless the viewer causes the wait. */
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

/** Reads the rest of a small body, so that the connection can be reused. Ends the connection of a large one. */
function discard(answer: IncomingMessage): void {
  if (Number(answer.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= 65_536) answer.resume();
  else if (!answer.readableEnded) answer.destroy();
}

function unreachable(cause: unknown): EdgeFailure {
  return new EdgeFailure(502, 'BadGateway', 'The storage could not be reached; try again.', { cause });
}

/** An agent whose connections read a response to its end, even when the origin accepts no more of a request. */
export class OriginAgent extends http.Agent {
  override createConnection(options: NetConnectOpts): Socket {
    const socket = connect(options);
    keepReadingAfterReset(socket);
    return socket;
  }
}

/**
 * Keeps the response of a storage that refuses an upload early and then resets the connection.
 *
 * The next write fails first, and with that error Node would drop the response that it has not read yet. The error
 * comes again when reading ends.
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
