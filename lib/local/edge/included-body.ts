import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';

/** A body whose beginning has been read: what a function may see, and at most the one chunk that went over it. */
export interface IncludedBody {
  /** What the function sees. */
  bytes: Buffer;
  truncated: boolean;
  /** Writes the whole original body, at the pace at which `target` takes it, and ends `target`. */
  sendTo(target: Writable): void;
}

export const noBody: IncludedBody = {
  bytes: Buffer.alloc(0),
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
    sendTo(target) {
      if (!truncated) {
        target.end(held);
        return;
      }
      target.write(held);
      viewer.pipe(target);
    },
  };
}
