import type { IncomingMessage } from 'node:http';
import type { BodyDecoding } from '../../domain/data/decision.ts';

/** A request body of which the beginning was read: the bytes that a function may see, and at most one more chunk. */
export interface IncludedBody {
  /** The bytes of the request body that the function sees. */
  bytes: Buffer;
  truncated: boolean;
  /**
   * Streams the complete body, as fast as the caller reads it. A body that is not truncated can be streamed again.
   *
   * @throws ServiceError when an encoded body does not match its signature, another Error when the client closes the
   * connection
   */
  chunks(): AsyncIterable<Uint8Array>;
}

/** Returns a request body that is decoded while it streams. */
export function decodedBody(body: IncludedBody, { decode }: BodyDecoding): IncludedBody {
  return { ...body, chunks: () => decode(body.chunks()) };
}

export const noBody: IncludedBody = { bytes: Buffer.alloc(0), truncated: false, async *chunks() {} };

/**
 * Reads a request body to its end, or until it is longer than `bytesMax`. Rejects when the client closes the connection
 * earlier.
 */
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
    async *chunks() {
      if (length > 0) yield held;
      if (!truncated) return;
      try {
        // Leave the request stream open, so that the viewer can still get an error response.
        yield* viewer.iterator({ destroyOnReturn: false });
      } finally {
        viewer.resume();
      }
    },
  };
}
