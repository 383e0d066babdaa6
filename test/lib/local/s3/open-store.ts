import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { startObjectStore } from '../../../../lib/local/s3/server.ts';
import type { StartedServer } from '../../../../lib/local/web-server.ts';
import { signRequest } from '../../../../lib/sigv4/sign.ts';

export const credentials = { access_key_id: 'AKIADEVELOPMENT', secret_access_key: 'development-secret' };
export const bucket = 'tide-data';
export const otherBucket = 'other-data';

export interface RawRequest {
  method?: string;
  path: string;
  query?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** The header `x-amz-content-sha256`. The default is the hash of the body. */
  payloadHash?: string;
  /** Sends without a length. */
  isChunkedTransfer?: boolean;
}

export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  /** The `Code` of an error document. */
  code: string | undefined;
}

export interface OpenStore {
  store: StartedServer;
  directory: string;
  s3: S3Client;
  newClient(config?: S3ClientConfig): S3Client;
  /** Sends a signed request, with path and query exactly as given. */
  send(request: RawRequest): Promise<RawAnswer>;
  sign(request: RawRequest): Record<string, string>;
  /** Sends an unsigned request unchanged. */
  sendUnsigned(request: RawRequest): Promise<RawAnswer>;
  moveClock(seconds: number): void;
  /** Returns the faults that the store reported. Faults left at the end fail the test. */
  takeFaults(): unknown[];
  reopen(): Promise<void>;
  /**
   * Returns the names of all files with bytes of objects or parts. Files of a replaced object disappear a moment after
   * the response.
   */
  blobFiles(): Promise<string[]>;
  /**
   * Watches for files that are created after this call. Ignores earlier files, because the store may still delete files
   * of other tests.
   */
  watchBlobs(): Promise<{ added(): Promise<string[]>; untilAdded(count: number): Promise<void> }>;
  close(): Promise<void>;
}

export async function openStore(): Promise<OpenStore> {
  const directory = await mkdtemp(join(tmpdir(), 'object-store-'));
  let offsetMs = 0;
  const clock = () => Date.now() + offsetMs;
  const faults: unknown[] = [];
  const start = (port: number) =>
    startObjectStore({
      port,
      directory,
      credentials,
      clock,
      buckets: [bucket, otherBucket],
      onFault: (error) => faults.push(error),
    });
  let store = await start(0);
  const blobFiles = async () => {
    const files: string[] = [];
    for (const name of [bucket, otherBucket]) {
      files.push(...(await readdir(join(directory, name, 'blobs'))));
    }
    return files;
  };
  const clients: S3Client[] = [];
  const newClient = (config: S3ClientConfig = {}) => {
    const client = new S3Client({
      endpoint: store.url,
      region: 'us-east-1',
      forcePathStyle: true,
      maxAttempts: 1,
      credentials: { accessKeyId: credentials.access_key_id, secretAccessKey: credentials.secret_access_key },
      ...config,
    });
    clients.push(client);
    return client;
  };
  const sign = ({ method = 'GET', path, query = '', headers = {}, body = '', payloadHash }: RawRequest) => ({
    ...signRequest(
      { method, rawPath: path, rawQuery: query, headers: { host: `127.0.0.1:${store.port}`, ...headers } },
      credentials,
      { now: clock(), region: 'us-east-1', service: 's3', payloadHash: payloadHash ?? sha256(body) },
    ),
  });
  const sendUnsigned = (request: RawRequest) => sendRaw(store.port, request);
  return {
    get store() {
      return store;
    },
    directory,
    s3: newClient(),
    newClient,
    sign,
    send: (request) => sendUnsigned({ ...request, headers: sign(request) }),
    sendUnsigned,
    moveClock(seconds) {
      offsetMs += seconds * 1000;
    },
    takeFaults: () => faults.splice(0),
    async reopen() {
      const { port } = store;
      await store.close();
      store = await start(port);
    },
    blobFiles,
    async watchBlobs() {
      const before = new Set(await blobFiles());
      const added = async () => (await blobFiles()).filter((file) => !before.has(file));
      return { added, untilAdded: (count) => eventually(async () => (await added()).length === count) };
    },
    async close() {
      for (const client of clients) client.destroy();
      await store.close();
      await rm(directory, { recursive: true });
      if (faults.length > 0) throw new AggregateError(faults, 'the store had faults of its own');
    },
  };
}

export function sha256(body: string | Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

function sendRaw(port: number, request: RawRequest): Promise<RawAnswer> {
  const { method = 'GET', path, query = '', headers = {}, body = '', isChunkedTransfer = false } = request;
  return new Promise((resolve, reject) => {
    const hasBody = method === 'PUT' || method === 'POST';
    const outgoing = httpRequest(
      {
        host: '127.0.0.1',
        port,
        method,
        agent: false,
        path: query === '' ? path : `${path}?${query}`,
        headers: {
          ...headers,
          ...(hasBody && !isChunkedTransfer ? { 'content-length': Buffer.byteLength(body) } : {}),
          ...(isChunkedTransfer ? { 'transfer-encoding': 'chunked' } : {}),
        },
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            body: text,
            code: /<Code>([^<]*)<\/Code>/.exec(text)?.[1],
          });
        });
      },
    );
    outgoing.on('error', reject);
    // Send the body as bytes, because Node would write the headers in the encoding of a text body.
    outgoing.end(Buffer.from(body));
  });
}

/** Resolves when `isReached` returns true. The test's timeout limits the wait. */
export async function eventually(isReached: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isReached())) await new Promise((resolve) => setImmediate(resolve));
}

/** Returns the wire name of an SDK call's error, and its status. */
export async function refusalOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Error && '$metadata' in error) {
      const { httpStatusCode } = error.$metadata as { httpStatusCode?: number };
      return `${httpStatusCode} ${error.name}`;
    }
    throw error;
  }
  return 'not refused';
}
