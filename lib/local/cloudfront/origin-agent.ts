import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type NetConnectOpts, type OnReadOpts, type Socket } from 'node:net';

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
export function passUnparsed({ socket }: IncomingMessage, missingBytes: number, response: ServerResponse): void {
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
