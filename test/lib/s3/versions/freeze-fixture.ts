import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { RepositoryStorage } from '../../../../lib/s3/repository-storage.ts';
import {
  continueFreeze,
  type FreezeCursor,
  type FreezeOutcome,
  firstCursor,
} from '../../../../lib/s3/versions/freeze.ts';
import { type JobStorage, openJobStorage } from '../../../../lib/s3/versions/job-storage.ts';
import { decodeIndex, decodePage, type ManifestEntry } from '../../../../lib/s3/versions/manifest.ts';

/** A storage with object versioning, and the clock by which requests to it are signed. */
export interface FrozenPlace {
  s3: S3Client;
  storage: RepositoryStorage;
  clock: () => number;
}

export function storageOf(place: {
  endpoint: string;
  bucket: string;
  prefix: string;
  access_key_id: string;
  secret_access_key: string;
}): RepositoryStorage {
  const { endpoint, bucket, prefix, access_key_id, secret_access_key } = place;
  return {
    account_id: 'tide-institute',
    repository_id: 'tide-gauges',
    data_connection_id: 'store',
    isOfAccount: false,
    details: { provider: 's3', bucket, base_prefix: '', region: 'us-east-1', endpoint },
    prefix,
    credentials: { access_key_id, secret_access_key },
    authorization_read_at: 0,
  };
}

export async function setVersioning({ s3, storage }: FrozenPlace, Status: 'Enabled' | 'Suspended'): Promise<void> {
  await s3.send(
    new PutBucketVersioningCommand({ Bucket: storage.details.bucket, VersioningConfiguration: { Status } }),
  );
}

/** Requests of writers of the repository. */
export function writerOf({ s3, storage }: FrozenPlace) {
  const at = (key: string) => ({ Bucket: storage.details.bucket, Key: storage.prefix + key });
  return {
    put: async (key: string, Body: string) => void (await s3.send(new PutObjectCommand({ ...at(key), Body }))),
    remove: async (key: string) => void (await s3.send(new DeleteObjectCommand(at(key)))),
    read: async ({ key, version_id }: ManifestEntry) => {
      const { Body } = await s3.send(new GetObjectCommand({ ...at(key), VersionId: version_id }));
      return Body?.transformToString();
    },
    /** Begins a multipart upload with all its parts. Returns the function that completes it. */
    begin: async (key: string, Body: string) => {
      const { UploadId } = await s3.send(new CreateMultipartUploadCommand(at(key)));
      const part = await s3.send(new UploadPartCommand({ ...at(key), UploadId, PartNumber: 1, Body }));
      const Parts = [{ PartNumber: 1, ETag: part.ETag }];
      return async () => {
        await s3.send(new CompleteMultipartUploadCommand({ ...at(key), UploadId, MultipartUpload: { Parts } }));
      };
    },
  };
}

export interface FreezeOptions {
  versionUid: string;
  listMax?: number;
  sizes?: { pageEntries: number; listedPagesPerSave: number };
  /** Runs before each request of the freeze, and before and after each save. It may throw, like a crash. */
  before?: (step: string) => Promise<void>;
  /** Ends each run of the freeze as early as possible. */
  isShort?: boolean;
}

/** Runs a freeze to its end. Each crash and each run continues from the last saved position. */
export async function freeze(
  place: FrozenPlace,
  { versionUid, listMax, sizes, before = async () => undefined, isShort = false }: FreezeOptions,
): Promise<{ outcome: Exclude<FreezeOutcome, { kind: 'continues' }>; saved: FreezeCursor[] }> {
  const opened = openJobStorage(place.storage, versionUid, { clock: place.clock, ...(listMax && { listMax }) });
  const storage = Object.fromEntries(
    Object.entries(opened).map(([name, send]) => [
      name,
      async (argument: never) => {
        await before(name);
        return (send as (argument: never) => Promise<unknown>)(argument);
      },
    ]),
  ) as unknown as JobStorage;
  const saved: FreezeCursor[] = [firstCursor];
  const save = async (cursor: FreezeCursor) => {
    await before('save');
    saved.push(structuredClone(cursor));
    await before('saved');
  };
  for (;;) {
    const endsAt = isShort ? 0 : place.clock() + 600_000;
    const run = continueFreeze(saved.at(-1) ?? firstCursor, {
      storage,
      save,
      clock: place.clock,
      endsAt,
      ...(sizes && { sizes }),
    });
    const outcome = await run.catch((error: unknown) => {
      if (error instanceof Crash) return { kind: 'continues' } as const;
      throw error;
    });
    if (outcome.kind !== 'continues') return { outcome, saved };
    await before('wait');
  }
}

export class Crash extends Error {}

/** Reads all entries of a frozen version. Each part must have its recorded digest. */
export async function entriesOf(place: FrozenPlace, versionUid: string, outcome: FreezeOutcome) {
  if (outcome.kind !== 'ready') throw new Error(`the version is not ready: ${JSON.stringify(outcome)}`);
  const storage = openJobStorage(place.storage, versionUid, { clock: place.clock });
  const pages = decodeIndex(await storage.getPart(outcome.index_sha256), outcome.index_sha256);
  const entries: ManifestEntry[] = [];
  for (const { sha256, first, entries: count } of pages) {
    const page = decodePage(await storage.getPart(sha256), sha256);
    if (page[0]?.key !== first || page.length !== count) throw new Error('the index does not match a page');
    entries.push(...page);
  }
  return { pages, entries };
}
