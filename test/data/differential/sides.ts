import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { S3Client } from '@aws-sdk/client-s3';
import type { LocalStorage } from '../../../lib/local/embedded-storage.ts';
import { findFreePort } from '../../../lib/local/ports.ts';
import { signIn } from '../../service/data-clients.ts';
import { type SeededService, startSeededService } from '../../service/seeded-service.ts';
import { exchange } from '../whole-answer.ts';

/** A response as received from the connection. */
export interface Captured {
  method: string;
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/** One route to the objects: directly to the storage, or through the proxy. */
export interface Side {
  kind: 'direct' | 'proxied';
  place: Place;
  s3: S3Client;
  bucket: string;
  /** The prefix of every key on this route. */
  prefix: string;
  /** Sends a request that the SDK cannot send, with its path and query unchanged. `path` follows the bucket. */
  raw(request: RawCall): Promise<void>;
  /** Returns the responses since the last call. */
  take(): Captured[];
}

export interface RawCall {
  method: string;
  /** A key below the prefix, or undefined for a request to the bucket. */
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string;
  isAnonymous?: boolean;
}

export interface Sides {
  direct: Side;
  proxied: Side;
  close(): Promise<void>;
}

const namedEndpoint = process.env['SLUICE_S3_ENDPOINT'];

/** The storage behind the proxy. */
export type Place = 'the store that the environment names' | 'the embedded store' | 'versitygw';

/** `.ci/build-real-storage` builds this program where possible. */
const versitygw = 'node_modules/.cache/real-storage/versitygw';
export const places: readonly Place[] =
  namedEndpoint === undefined
    ? ['the embedded store', ...(existsSync(versitygw) ? (['versitygw'] as const) : [])]
    : ['the store that the environment names'];

/** Returns undefined for the embedded store of the service. */
async function findStorage(place: Place, started: AsyncDisposableStack): Promise<LocalStorage | undefined> {
  if (place === 'the embedded store') return undefined;
  if (place === 'versitygw') return startVersitygw(started);
  return {
    endpoint: namedEndpoint ?? '',
    region: process.env['SLUICE_S3_REGION'] ?? 'us-east-1',
    bucket: process.env['SLUICE_S3_BUCKET'] ?? '',
    access_key_id: process.env['SLUICE_S3_ACCESS_KEY_ID'] ?? '',
    secret_access_key: process.env['SLUICE_S3_SECRET_ACCESS_KEY'] ?? '',
  };
}

/** Starts versitygw. With `hasVersions`, a request can enable the versioning of its bucket. */
export async function startVersitygw(
  started: AsyncDisposableStack,
  { hasVersions = false } = {},
): Promise<LocalStorage> {
  const folder = mkdtempSync(join(tmpdir(), 'versitygw-'));
  const versions = mkdtempSync(join(tmpdir(), 'versitygw-versions-'));
  mkdirSync(join(folder, 'real-bucket'));
  for (const made of [folder, versions]) started.defer(() => rmSync(made, { recursive: true, force: true }));
  const names = ['--access', 'AKREAL', '--secret', 'real-secret', '--region', 'us-east-1'];
  // Another process may take the free port first. The program then ends, and starts again on another port.
  for (let tries = 0; tries < 5; tries += 1) {
    const endpoint = `http://127.0.0.1:${await findFreePort()}`;
    const versioning = hasVersions ? ['--versioning-dir', versions] : [];
    const place = ['--port', new URL(endpoint).host, '--quiet', '--keep-alive', 'posix', ...versioning, folder];
    const gateway = spawn(versitygw, [...names, ...place], { stdio: 'ignore' });
    started.defer(() => void gateway.kill());
    if (!(await isServing(endpoint, gateway))) continue;
    return {
      endpoint,
      region: 'us-east-1',
      bucket: 'real-bucket',
      access_key_id: 'AKREAL',
      secret_access_key: 'real-secret',
    };
  }
  throw new Error('versitygw ended each time that it was started');
}

/**
 * Returns true when versitygw answers, and false when its process has ended. An answer of another program does not
 * count.
 */
async function isServing(endpoint: string, gateway: ChildProcess): Promise<boolean> {
  while (gateway.exitCode === null) {
    const answer = await fetch(endpoint).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.headers.get('server') === 'VERSITYGW') return true;
  }
  return false;
}

export async function openSides(place: Place): Promise<Sides> {
  const started = new AsyncDisposableStack();
  const service: SeededService = await startSeededService({ storage: await findStorage(place, started) });
  const { endpoint, bucket, region, access_key_id, secret_access_key } = service.storage;
  const session = await signIn(service, service.key);
  const run = Date.now().toString(36);
  const direct = openSide({
    kind: 'direct',
    place,
    endpoint,
    region,
    bucket,
    prefix: `direct/${run}/`,
    credentials: { accessKeyId: access_key_id, secretAccessKey: secret_access_key },
  });
  const proxied = openSide({
    kind: 'proxied',
    place,
    endpoint: service.dataUrl,
    region,
    bucket: 'tide-institute',
    prefix: `raw-drafts/${run}/`,
    credentials: session,
  });
  return {
    direct,
    proxied,
    close: async () => {
      direct.s3.destroy();
      proxied.s3.destroy();
      await service.close();
      await started.disposeAsync();
    },
  };
}

interface SideOptions extends Pick<Side, 'kind' | 'place' | 'bucket' | 'prefix'> {
  endpoint: string;
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
}

function openSide({ kind, place, endpoint, region, bucket, prefix, credentials }: SideOptions): Side {
  const captured: Captured[] = [];
  const s3 = new S3Client({
    endpoint,
    region,
    credentials,
    forcePathStyle: true,
    maxAttempts: 1,
    // versitygw takes the unread rest of a body for the next request on the connection, and answers it with 400.
    ...(place === 'versitygw' && kind === 'direct' ? { requestHandler: { httpAgent: { keepAlive: false } } } : {}),
  });
  // Captures the response before the SDK interprets it.
  s3.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const request = args.request as { method: string };
      const response = result.response as { statusCode: number; headers: Record<string, string>; body: Readable };
      const body = Buffer.concat(await response.body.toArray());
      const { statusCode: status, headers } = response;
      captured.push({ method: request.method, status, headers, body });
      response.body = Readable.from([body]);
      return result;
    },
    { step: 'deserialize', priority: 'low' },
  );
  return {
    kind,
    place,
    s3,
    bucket,
    prefix,
    async raw({ key, isAnonymous = false, query, headers, body, method }) {
      const path = key === undefined ? `/${bucket}` : `/${bucket}/${prefix}${key}`;
      const request = { method, path, ...(query && { query }), ...(headers && { headers }), ...(body && { body }) };
      const answer = await exchange(endpoint, request, isAnonymous ? undefined : { ...credentials, region });
      captured.push({ method, status: answer.status, headers: answer.headers, body: Buffer.from(answer.body) });
    },
    take: () => captured.splice(0),
  };
}
