import http, { type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { connect, type NetConnectOpts, type OnReadOpts, type Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { ServiceError } from '../../domain/errors.ts';
import { countPassingBytes } from './body-garbage.ts';
import { EdgeFailure } from './edge-failure.ts';
import { toNodeHeaders } from './event-headers.ts';
import type { OriginBoundRequest } from './functions.ts';
import type { IncludedBody } from './included-body.ts';

export interface OriginAgents {
  http: http.Agent;
  https: https.Agent;
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
    sendOn: (response, begin) => sendOn(answer, response, begin),
    discard: () => discard(answer),
  };
}

async function send(exchange: OriginExchange, agents: OriginAgents, isRetry = false): Promise<IncomingMessage> {
  const { body, response } = exchange;
  requireViewer(exchange);
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
  const { asItCame } = body;
  if (asItCame?.rest !== undefined) passOn(asItCame.held, asItCame.rest, sent);
  else if (asItCame !== undefined) endWith(sent, asItCame.held);
  else writeTo(sent, body.chunks()).catch((error) => sent.destroy(error));
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

function openRequest(exchange: OriginExchange, agents: OriginAgents): ClientRequest {
  const { request, origin } = exchange;
  try {
    // A URL object would resolve `..` and `.`, which are part of a key.
    return (origin.protocol === 'https' ? https : http).request({
      agent: agents[origin.protocol],
      host: origin.domainName,
      port: origin.port,
      method: request.method,
      path: targetOf(exchange),
      headers: headersOf(exchange),
      timeout: origin.readTimeout * 1000,
    });
  } catch (error) {
    throw unsendable(error);
  }
}

/**
 * Streams a body without an async iterator, which costs twice as much. When the origin stops reading, the rest is read
 * and dropped so that the viewer can get an error response.
 */
function passOn(held: Buffer, rest: IncomingMessage, target: Writable): void {
  const onData = (piece: Buffer) => {
    countPassingBytes(piece.length);
    if (!target.write(piece)) rest.pause();
  };
  const letGo = () => {
    rest.off('data', onData).resume();
  };
  rest.once('error', (error) => target.destroy(error)).once('end', () => target.end());
  target.on('drain', () => rest.resume()).once('close', letGo);
  const takeMore = () => rest.on('data', onData);
  if (target.destroyed) letGo();
  else if (target.write(held)) takeMore();
  else target.once('drain', takeMore);
}

/** Streams a body without `pipeline`, which aborts a request without the error that caused it. */
async function writeTo(target: Writable, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of pieces) {
    countPassingBytes(piece.length);
    if (target.destroyed) return;
    if (!target.write(piece)) await drained(target);
  }
  target.end();
}

async function drained(target: Writable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  target.once('drain', resolve).once('close', resolve);
  await promise;
  target.off('drain', resolve).off('close', resolve);
}

/**
 * Never calls `end(bytes)`: Node would then know the length before the headers, and write a Content-Disposition in
 * another encoding.
 */
function endWith(target: Writable, bytes: Buffer): void {
  if (bytes.length > 0) target.write(bytes);
  target.end();
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

/**
 * A connection cannot be reused after a body bypassed the parser. Below this size, a new connection costs more than
 * that saves.
 */
const unparsedBytesMin = 1024 * 1024;

/**
 * Streams a response at the viewer's pace. Settles when the viewer has all of it. `pipeline` would double the cost of a
 * small object.
 *
 * @param begin writes the head. It is called as late as possible: until the first byte of the body arrives, an error
 *   can replace the response.
 * @throws EdgeFailure 502 or 504 when the origin breaks off or is silent, another Error when the viewer goes away. The
 *   response must then not be ended, since an end would make the part look whole.
 */
function sendOn(answer: IncomingMessage, response: ServerResponse, begin: () => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // NaN when chunked encoding or the end of the connection marks the end.
  let missingBytes = Number(answer.headers['content-length']);
  const breakOff = (cause?: unknown) => reject(cause instanceof EdgeFailure ? cause : unreachable(cause));
  const hasBegun = () => {
    try {
      if (!response.headersSent) begin();
    } catch (error) {
      reject(error);
    }
    return response.headersSent && !response.destroyed;
  };
  answer.on('data', (chunk: Buffer) => {
    if (!hasBegun()) {
      answer.destroy();
      return;
    }
    countPassingBytes(chunk.length);
    if (!response.write(chunk)) answer.pause();
    missingBytes -= chunk.length;
    // Bytes that the parser has already delivered come first.
    if (!(missingBytes >= unparsedBytesMin) || answer.readableLength > 0) return;
    passUnparsed(answer, missingBytes, response);
  });
  answer.once('end', () => {
    if (hasBegun()) response.end();
  });
  answer.on('error', breakOff);
  // A response that was read to its end closes before a viewer behind TLS has received the last bytes.
  answer.once('close', () => {
    if (!answer.readableEnded) breakOff();
  });
  response.on('drain', () => void answer.resume());
  response.once('finish', resolve);
  response.on('error', reject);
  response.once('close', () => {
    if (!response.writableFinished) reject(new Error('the viewer went away'));
  });
  // A side that closed before these listeners were added emits no event.
  if (answer.destroyed) breakOff();
  if (response.destroyed) reject(new Error('the viewer went away'));
  return promise;
}

/** Reads the rest of a small body, so that the connection can be reused. Ends the connection of a large one. */
function discard(answer: IncomingMessage): void {
  if (Number(answer.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= 65_536) answer.resume();
  else if (!answer.readableEnded) answer.destroy();
}

/** A request that a function forwarded, with its body. */
export interface OriginExchange extends OriginBoundRequest {
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
  /**
   * Streams the body at the viewer's pace. Settles when the origin is no longer needed.
   *
   * @param begin writes the head. It is called as late as possible: until the first byte of the body arrives, an error
   *   can replace the response.
   * @throws EdgeFailure 502 or 504 when the origin breaks off or is silent, another Error when the viewer goes away.
   *   The response must then not be ended, since an end would make the part look whole.
   */
  sendOn(response: ServerResponse, begin: () => void): Promise<void>;
  /** Drops the rest of the body. */
  discard(): void;
}

/** @throws Error when the viewer has gone: its request must not be carried out */
function requireViewer({ viewer, response }: OriginExchange): void {
  // Right after the server closes, the response is not marked as destroyed yet.
  if (!response.destroyed && !viewer.socket.destroyed) return;
  throw new Error('the viewer went away before its request was sent on');
}

/** Returns path and query of the origin request. */
function targetOf({ request, origin }: OriginExchange): string {
  const path = `${origin.path}${request.uri}`;
  return request.querystring === '' ? path : `${path}?${request.querystring}`;
}

/**
 * Returns the headers of the origin request: the function's override the origin's custom headers, and CloudFront adds
 * its own.
 */
function headersOf({ request, origin, requestId }: OriginExchange): Record<string, string | string[]> {
  return {
    host: origin.domainName,
    ...toNodeHeaders(origin.customHeaders),
    ...toNodeHeaders(request.headers),
    'x-amz-cf-id': requestId,
  };
}

function unsendable(cause: unknown): EdgeFailure {
  return new EdgeFailure(502, 'BadGateway', 'The function returned a request that cannot be sent.', { cause });
}

function unreachable(cause: unknown): EdgeFailure {
  return new EdgeFailure(502, 'BadGateway', 'The storage could not be reached; try again.', { cause });
}

const readBytes = 256 * 1024;

type Take = (bytes: Uint8Array) => void;

/** Connections of all OriginAgents, each with the receiver of bytes that bypass Node's parser. */
const receivers = new WeakMap<Socket, Take | undefined>();

/**
 * An agent whose connections reuse one read buffer each.
 *
 * Node allocates 64 KiB for each read, and its parser copies the content. These buffers lie outside the heap. After 32
 * MiB of a body they make V8 collect the whole heap, which costs more than the rest of a large response.
 */
export class OriginAgent extends http.Agent {
  override createConnection(options: NetConnectOpts): Socket {
    const onread: OnReadOpts = {
      buffer: Buffer.allocUnsafeSlow(readBytes),
      callback(size, buffer) {
        const bytes = buffer.subarray(0, size);
        const take = receivers.get(socket);
        if (take !== undefined) take(bytes);
        else socket.emit('data', bytes);
        return true;
      },
    };
    // With a larger high-water mark, one read never pauses the connection.
    const socket = connect({ ...options, ...{ readableHighWaterMark: 2 * readBytes }, onread });
    receivers.set(socket, undefined);
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

/**
 * Writes the rest of a body to `response` past Node's parser, at the pace of `response`, and ends `response`. The
 * connection cannot be used again; the caller ends it in any case.
 *
 * Does nothing for other connections: over TLS, reading cannot pause between two chunks, so the second would overwrite
 * the first.
 */
function passUnparsed({ socket }: IncomingMessage, missingBytes: number, response: ServerResponse): void {
  if (!receivers.has(socket)) return;
  let missing = missingBytes;
  receivers.set(socket, (bytes) => {
    const piece = bytes.subarray(0, missing);
    missing -= piece.length;
    // The buffer must not be read into again before the chunk has left it.
    socket.pause();
    response.write(piece, (error) => {
      if (!error && missing > 0) socket.resume();
    });
    if (missing > 0) return;
    // A paused connection without a timeout cannot cut off a viewer that is still receiving the last chunk.
    socket.setTimeout(0);
    response.end();
  });
}
