import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { listenOnLoopback } from '../../../../lib/local/ports.ts';

const piece = Buffer.alloc(256 * 1024);

/** So many bytes, made as they are read. */
export function makeBytes(count: number): Readable {
  let left = count;
  return new Readable({
    highWaterMark: piece.length,
    read() {
      const next = piece.subarray(0, Math.min(left, piece.length));
      left -= next.length;
      this.push(next.length === 0 ? null : next);
    },
  });
}

export async function countBytes(source: AsyncIterable<Uint8Array>): Promise<number> {
  let count = 0;
  for await (const chunk of source) count += chunk.length;
  return count;
}

/**
 * A storage that keeps nothing, so that objects may be of any size: it counts what is put, and makes what is asked for,
 * as many bytes as the last segment of the path says.
 */
export async function startByteMaker() {
  const received: number[] = [];
  const server = createServer({ requestTimeout: 0, highWaterMark: piece.length }, async (request, response) => {
    try {
      if (request.method === 'PUT') {
        received.push(await countBytes(request));
        response.writeHead(200, { etag: '"counted"', 'content-length': 0 }).end();
        return;
      }
      const sizeBytes = Number(request.url?.split('?', 1)[0]?.split('/').at(-1));
      response.writeHead(200, { etag: '"made"', 'content-length': sizeBytes });
      makeBytes(sizeBytes).pipe(response);
    } catch {
      response.destroy();
    }
  });
  const port = await listenOnLoopback(server, 0);
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { port, received, close };
}
