import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Clock } from '../../domain/time.ts';
import { isStreamed, type LocalRequest, type LocalResponse } from '../in-process-http.ts';
import { listenOnLoopback } from '../ports.ts';
import { createRequestIds } from '../request-ids.ts';
import { respond, type Serving } from './answer.ts';
import type { StoreCredentials } from './authenticate.ts';
import { Bucket } from './bucket.ts';
import { serve } from './serve.ts';

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
  /**
   * Answers a caller in the same process as over HTTP, without a connection. The caller must finish its requests before
   * it closes the store. Rejects once the store is closed.
   */
  answer: (request: LocalRequest) => Promise<LocalResponse>;
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
  let isClosed = false;
  const underWay = new Set<Promise<unknown>>();
  const track = <Result>(work: Promise<Result>): Promise<Result> => {
    underWay.add(work);
    return work.finally(() => underWay.delete(work));
  };
  // Requests have no time limit: an upload takes as long as its client needs.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 65_000, maxHeaderSize: 64 * 1024 });
  const listener = (message: IncomingMessage, response: ServerResponse) =>
    void track(serve(serving, message, response));
  server.on('request', listener);
  // The store can refuse a request before it reads the body.
  server.on('checkContinue', listener);
  const boundPort = await listenOnLoopback(server, port);
  return {
    url: `http://${host}:${boundPort}`,
    port: boundPort,
    async answer(request) {
      if (isClosed) throw new Error('The object store is closed.');
      const answer = await track(respond(serving, request));
      const { body } = answer;
      if (!isStreamed(body)) return answer;
      return { ...answer, body: { ...body, sendTo: (target) => track(body.sendTo(target)) } };
    },
    async close() {
      isClosed = true;
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
