import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type NetConnectOpts, type OnReadOpts, type Socket } from 'node:net';

const readBytes = 256 * 1024;

type Take = (bytes: Uint8Array) => void;

/** The connections of all OriginAgents, with what takes the bytes that Node's parser is not to see. */
const takers = new WeakMap<Socket, Take | undefined>();

/**
 * Connections that read into one buffer each, over and over. Node by itself makes a buffer of 64 KiB for each read, and
 * its parser a copy of what is in it. They lie outside the heap, but every 32 MiB of a body they add up to what has V8
 * collect the whole heap, and that costs more than all else that is done for a large object.
 */
export class OriginAgent extends http.Agent {
  override createConnection(options: NetConnectOpts): Socket {
    const onread: OnReadOpts = {
      buffer: Buffer.allocUnsafeSlow(readBytes),
      callback(size, buffer) {
        const bytes = buffer.subarray(0, size);
        const take = takers.get(socket);
        if (take !== undefined) take(bytes);
        else socket.emit('data', bytes);
        return true;
      },
    };
    // What one read brings is no reason to stop reading, only to start again at once.
    const socket = connect({ ...options, ...{ readableHighWaterMark: 2 * readBytes }, onread });
    takers.set(socket, undefined);
    keepReadingAfterReset(socket);
    return socket;
  }
}

/**
 * A storage that refuses an upload before it has all of it may answer and reset the connection. What fails first is then
 * our next write, and with that error Node would throw the answer away, which has come and is not read yet. The error
 * comes again with the end of reading.
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
 * Writes what is still to come of a body past Node's parser, at the pace at which `response` takes it, and ends `response`.
 * No other request can use the connection afterwards; the caller ends it, whole or not.
 *
 * Does nothing for connections that are not an OriginAgent's: over TLS, reading cannot be stopped between two pieces, so
 * that the second would overwrite the first.
 */
export function passUnparsed({ socket }: IncomingMessage, missingBytes: number, response: ServerResponse): void {
  if (!takers.has(socket)) return;
  let missing = missingBytes;
  takers.set(socket, (bytes) => {
    const piece = bytes.subarray(0, missing);
    missing -= piece.length;
    // Nothing may be read into the buffer again before the piece has left it.
    socket.pause();
    response.write(piece, (error) => {
      if (!error && missing > 0) socket.resume();
    });
    if (missing > 0) return;
    // Paused and without a timeout, nothing that happens to it cuts off a viewer who is still taking the last piece.
    socket.setTimeout(0);
    response.end();
  });
}
