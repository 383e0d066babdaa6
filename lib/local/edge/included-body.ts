import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import type { BodyDecoding } from '../../domain/decision.ts';

/** A body whose beginning has been read: what a function may see, and at most the one chunk that went over it. */
export interface IncludedBody {
  /** What the function sees. */
  bytes: Buffer;
  truncated: boolean;
  /** All that has been read. */
  held: Buffer;
  /** Writes the whole original body, at the pace at which `target` takes it, and ends `target`. */
  sendTo(target: Writable): void;
}

/** The body as it is decoded on its way; an error in it ends `target` with that error, in its midst. */
export function decodedBody(body: IncludedBody, viewer: IncomingMessage, { decode }: BodyDecoding): IncludedBody {
  return {
    ...body,
    sendTo(target) {
      // Left open, so that the viewer can still be told of an error.
      const rest = viewer.iterator({ destroyOnReturn: false });
      async function* whole() {
        yield body.held;
        if (body.truncated) for await (const chunk of rest) yield chunk;
      }
      writeTo(target, decode(whole()))
        .catch((error) => target.destroy(error))
        .then(() => rest.return?.())
        .then(() => viewer.resume());
    },
  };
}

/** By hand: `pipeline` aborts a request without the error that it was for. */
async function writeTo(target: Writable, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of pieces) {
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

/** Never `end(bytes)`: Node, that then knows the length before the headers, writes a Content-Disposition in another encoding. */
function endWith(target: Writable, bytes: Buffer): void {
  if (bytes.length > 0) target.write(bytes);
  target.end();
}

export const noBody: IncludedBody = {
  bytes: Buffer.alloc(0),
  held: Buffer.alloc(0),
  truncated: false,
  sendTo: (target) => void target.end(),
};

/** Reads a body until it ends or is known to be longer than `bytesMax`. Rejects when the client goes away first. */
export async function includeBody(viewer: IncomingMessage, bytesMax: number): Promise<IncludedBody> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const chunks: Buffer[] = [];
  let length = 0;
  const onData = (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length <= bytesMax) return;
    viewer.pause();
    resolve(true);
  };
  const onEnd = () => resolve(false);
  const onClose = () => reject(new Error('the client went away'));
  viewer.on('data', onData).once('end', onEnd).once('close', onClose);
  let truncated: boolean;
  try {
    truncated = await promise;
  } finally {
    viewer.off('data', onData).off('end', onEnd).off('close', onClose);
  }
  const held = Buffer.concat(chunks);
  return {
    bytes: held.subarray(0, bytesMax),
    truncated,
    held,
    sendTo(target) {
      if (!truncated) {
        endWith(target, held);
        return;
      }
      target.write(held);
      viewer.pipe(target);
    },
  };
}
