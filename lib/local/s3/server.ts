import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Clock } from '../../domain/time.ts';
import { isStreamed, type LocalRequest, type LocalResponse } from '../in-process-http.ts';
import { listenOnLoopback } from '../ports.ts';
import { createRequestIds } from '../request-ids.ts';
import { answerRequest, type Serving } from './answer.ts';
import type { StoreCredentials } from './authenticate.ts';
import { Bucket } from './bucket.ts';
import { serve } from './serve.ts';

export interface ObjectStoreOptions {
  /** The one host name it listens on. */
  host: '127.0.0.1';
  /** 0 for a free one. */
  port: number;
  /** Where everything is stored; what an earlier run left there is found again. One process at a time. */
  directory: string;
  credentials: StoreCredentials;
  /** The region that requests are to be signed for; `us-east-1` by default. */
  region?: string;
  clock: Clock;
  /** The buckets that exist: none can be made or removed over HTTP. */
  buckets: readonly string[];
  /** Told of faults of the store itself; the error output by default. */
  onFault?: (error: unknown) => void;
}

export interface ObjectStore {
  /** Without a slash at its end. */
  url: string;
  port: number;
  /**
   * Answers whoever has the store in the same process as over HTTP, without a connection. Whoever asks ends what it
   * asked for before it closes the store. Rejects once the store is closed.
   */
  answer: (request: LocalRequest) => Promise<LocalResponse>;
  /** Ends what is under way and resolves when no more files are touched. */
  close(): Promise<void>;
}

/**
 * Starts an S3-compatible store for development: path style, one pair of keys, no versions, ACLs, encryption or bucket
 * settings (501 for these). It holds its index in memory and does not force writes to the disk: not for data that
 * matters. Rejects with LocalStartError when the port is taken, with another error when the directory cannot be read.
 */
export async function startObjectStore(options: ObjectStoreOptions): Promise<ObjectStore> {
  const { host, port, directory, credentials, region = 'us-east-1', clock, onFault = reportFault } = options;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const buckets = new Map<string, Bucket>();
  for (const name of options.buckets) {
    // It becomes the name of a directory.
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
  // No limit on the time of a request: an upload takes as long as its client does.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 65_000, maxHeaderSize: 64 * 1024 });
  const listener = (message: IncomingMessage, response: ServerResponse) =>
    void track(serve(serving, message, response));
  server.on('request', listener);
  // Refusals come before the body is read.
  server.on('checkContinue', listener);
  const boundPort = await listenOnLoopback(server, port);
  return {
    url: `http://${host}:${boundPort}`,
    port: boundPort,
    async answer(request) {
      if (isClosed) throw new Error('The object store is closed.');
      const answer = await track(answerRequest(serving, request));
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
