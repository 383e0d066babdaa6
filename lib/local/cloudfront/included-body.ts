import type { IncomingMessage } from 'node:http';
import type { BodyDecoding } from '../../domain/data/decision.ts';

/** A body whose beginning has been read: what a function may see, and at most the one chunk that went over it. */
export interface IncludedBody {
  /** What the function sees. */
  bytes: Buffer;
  truncated: boolean;
  /** What has been read, and what is still to come of it; undefined for a body that does not go on as it came. */
  asItCame: { held: Buffer; rest: IncomingMessage | undefined } | undefined;
  /**
   * The body as it goes on, at the pace at which it is read. It can be read anew as long as it is not truncated.
   *
   * @throws ServiceError for an encoded body that is not what was signed, another Error when the client goes away
   */
  chunks(): AsyncIterable<Uint8Array>;
}

/** The body as it is decoded on its way. */
export function decodedBody(body: IncludedBody, { decode }: BodyDecoding): IncludedBody {
  return { ...body, asItCame: undefined, chunks: () => decode(body.chunks()) };
}

const nothing = Buffer.alloc(0);

export const noBody: IncludedBody = {
  bytes: nothing,
  truncated: false,
  asItCame: { held: nothing, rest: undefined },
  async *chunks() {},
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
    asItCame: { held, rest: truncated ? viewer : undefined },
    async *chunks() {
      yield held;
      if (!truncated) return;
      try {
        // Left open, so that the viewer can still be told of an error.
        yield* viewer.iterator({ destroyOnReturn: false });
      } finally {
        viewer.resume();
      }
    },
  };
}
