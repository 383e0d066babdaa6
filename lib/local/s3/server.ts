import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Clock } from '../../domain/time.ts';
import { listenOnLoopback } from '../ports.ts';
import { createRequestIds } from '../web-server.ts';
import { respond, type Serving, type StoreCredentials } from './answer.ts';
import { Bucket } from './bucket.ts';
import { ReaderClosed, StoredBytes } from './files/blob-files.ts';
import type { StoreResponse } from './operation.ts';

export interface ObjectStoreOptions {
  /** The only host name that it listens on. */
  host: '127.0.0.1';
  /** 0 picks a free port. */
  port: number;
  /** Folder of all data, which a later run loads again. Only one process may use it at a time. */
  directory: string;
  credentials: StoreCredentials;
  /** Region that requests must be signed for. The default is `us-east-1`. */
  region?: string;
  clock: Clock;
  /** The buckets of the store. Clients cannot create or delete buckets. */
  buckets: readonly string[];
  /** Reports faults of the store itself. The default writes to the error output. */
  onFault?: (error: unknown) => void;
}

export interface ObjectStore {
  /** Without a trailing slash. */
  url: string;
  port: number;
  /** Ends requests in progress. Resolves when no file is in use any more. */
  close(): Promise<void>;
}

/**
 * Starts an S3-compatible store for development: path style, one key pair, no versions, ACLs, encryption or bucket
 * settings (501). It holds its index in memory and does not sync writes to the disk, so it is not for data that
 * matters. Rejects with LocalStartError when the port is taken, and with another error when the folder cannot be read.
 */
export async function startObjectStore(options: ObjectStoreOptions): Promise<ObjectStore> {
  const { host, port, directory, credentials, region = 'us-east-1', clock, onFault = reportFault } = options;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const buckets = new Map<string, Bucket>();
  for (const name of options.buckets) {
    // The bucket name becomes a folder name.
    if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name)) throw new Error(`not a bucket name: ${name}`);
    buckets.set(name, await Bucket.open(name, join(directory, name), clock()));
  }
  const nextRequestId = createRequestIds(randomBytes(4).toString('hex').toUpperCase());
  const serving: Serving = { buckets, credentials, region, clock, nextRequestId, onFault };
  const underWay = new Set<Promise<void>>();
  // Requests have no time limit: an upload takes as long as its client needs.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 65_000, maxHeaderSize: 64 * 1024 });
  const listener = (message: IncomingMessage, response: ServerResponse) => {
    const served: Promise<void> = serve(serving, message, response).finally(() => underWay.delete(served));
    underWay.add(served);
  };
  server.on('request', listener);
  // The store can refuse a request before it reads the body.
  server.on('checkContinue', listener);
  const boundPort = await listenOnLoopback(server, port);
  return {
    url: `http://${host}:${boundPort}`,
    port: boundPort,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      await Promise.allSettled(underWay);
      await Promise.all([...buckets.values()].map(({ blobs }) => blobs.settle()));
    },
  };
}

function reportFault(error: unknown): void {
  console.error('object store:', error);
}

/**
 * Answers one request over HTTP. Never rejects: when the client leaves or the response fails half-way, it closes the
 * connection.
 */
async function serve(serving: Serving, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = await respond(serving, {
    method: message.method ?? '',
    target: message.url ?? '',
    rawHeaders: message.rawHeaders,
    chunks: () => bodyOf(message, response),
    hasLeft: () => message.destroyed && !message.complete,
  });
  const { body } = answer;
  try {
    writeHead(message, response, answer);
    if (body instanceof StoredBytes) {
      await body.sendTo(response);
      response.end();
    } else response.end(body);
  } catch (error) {
    if (!(error instanceof ReaderClosed)) serving.onFault(error);
    // An end would make the part that was sent look whole.
    response.destroy();
  } finally {
    if (body instanceof StoredBytes) body.close();
  }
}

function bodyOf(message: IncomingMessage, response: ServerResponse): AsyncIterable<Uint8Array> {
  if (message.headers.expect !== undefined) response.writeContinue();
  // When reading stops at a fault, such as a full disk, the connection must stay open for the error response.
  return { [Symbol.asyncIterator]: () => message.iterator({ destroyOnReturn: false }) };
}

function writeHead(message: IncomingMessage, response: ServerResponse, { status, headers }: StoreResponse): void {
  // The length comes last: Node writes a Content-Disposition after it in another encoding.
  const { 'content-length': length, ...fields } = headers;
  // A client that got no `100 Continue` may or may not send its body. Only a new connection is unambiguous.
  const isAmbiguous = status >= 400 && message.headers.expect !== undefined && !message.readableEnded;
  response.writeHead(status, {
    ...fields,
    ...(isAmbiguous ? { connection: 'close' } : {}),
    ...(length === undefined ? {} : { 'content-length': length }),
  });
}
