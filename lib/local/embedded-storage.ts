import { hash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { StorageCredentials } from '../domain/data/data-access.ts';
import type { Clock } from '../domain/time.ts';
import { startObjectStore } from './s3/server.ts';

/** The storage of the local data connection. */
export interface LocalStorage {
  endpoint: string;
  region: string;
  bucket: string;
  access_key_id: string;
  secret_access_key: string;
  /** The credentials that the emulator of STS lends for roles. */
  lent?: Required<StorageCredentials>;
}

/** A bucket that no data connection uses. Users can connect it to an account to try this feature. */
export const emptyBucket = 'empty-bucket';

/**
 * Starts the S3 emulator of the local service. With a data directory, the emulator uses the same port at every start.
 */
export async function startEmbeddedStorage(
  { dataDirectory, hasVersionedStorage }: { dataDirectory?: string | undefined; hasVersionedStorage?: boolean },
  secret: Uint8Array,
  clock: Clock,
  started: AsyncDisposableStack,
): Promise<LocalStorage> {
  const directory =
    dataDirectory === undefined
      ? await mkdtemp(path.join(tmpdir(), 'sluice-objects-'))
      : path.join(dataDirectory, 'objects');
  if (dataDirectory === undefined) started.defer(() => rm(directory, { recursive: true, force: true }));
  const credentials = { access_key_id: 'LOCALSTORE', secret_access_key: Buffer.from(secret).toString('hex') };
  const bucket = 'local-store';
  const port = await storedPort(dataDirectory);
  const lent = {
    access_key_id: 'LOCALROLE',
    secret_access_key: hash('sha256', `role ${credentials.secret_access_key}`),
    session_token: 'local-session',
  };
  const store = await startObjectStore({
    ...{ port, directory, credentials, lent, clock },
    buckets: [bucket, emptyBucket],
    ...(hasVersionedStorage && { isVersioned: true }),
  });
  started.defer(() => store.close());
  if (dataDirectory !== undefined) await writeFile(path.join(dataDirectory, portFile), String(store.port));
  return { endpoint: store.url, region: 'us-east-1', bucket, ...credentials, lent };
}

const portFile = 'object-store-port';

/**
 * Returns the port of the last start. Stored data connections contain the storage's URL, so the port must not change.
 */
async function storedPort(dataDirectory: string | undefined): Promise<number> {
  if (dataDirectory === undefined) return 0;
  const text = await readFile(path.join(dataDirectory, portFile), 'utf8').catch(() => '0');
  return Number(text);
}
