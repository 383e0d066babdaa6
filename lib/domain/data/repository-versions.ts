import * as z from 'zod';
import { identifierSchema } from '../identifiers.ts';
import { boundedText, timestampSchema } from '../text.ts';
import type { RepositoryRecord } from './repositories.ts';

/** The name of a version. It cannot contain a slash or `@`, so that a path with it has one meaning. */
export const versionNameSchema = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,62}$/,
    'must be 1 to 63 lower-case letters, digits, ".", "_" and "-", starting with a letter or a digit',
  );

/** Reasons for which a freeze fails permanently. */
const freezeFailures = [
  'no_versioning',
  'order_unknown',
  'storage_refuses',
  'storage_unavailable',
  'keys_unsorted',
  'too_many_keys',
  'too_many_stored_versions',
  'too_many_uploads',
  'index_too_large',
  'repository_gone',
] as const;
export type FreezeFailure = (typeof freezeFailures)[number];

/**
 * A version of a repository: its objects at one instant, under a name that is never reused.
 *
 * - `freezing`: a background job writes the manifest. Nobody can read the version yet.
 * - `ready`: the manifest is complete. `frozen_at`, `keys`, `bytes` and `index_sha256` are present.
 * - `failed`: the freeze ended without a manifest. `failure` says why.
 * - `withdrawn`: nobody can read the version any more. `withdrawal` says why.
 */
const repositoryVersionSchema = z.object({
  version_uid: z.string(),
  name: versionNameSchema,
  state: z.enum(['freezing', 'ready', 'failed', 'withdrawn']),
  notes: boundedText(2000),
  created_at: timestampSchema,
  /** The instant of the version, by the clock of the storage. */
  frozen_at: timestampSchema.optional(),
  keys: z.int().optional(),
  bytes: z.int().optional(),
  /** The SHA-256 of the stored index of the manifest, in hexadecimal digits. */
  index_sha256: z.string().optional(),
  failure: z.object({ reason: z.enum(freezeFailures), message: z.string() }).optional(),
  withdrawal: z.object({ reason: z.string(), withdrawn_at: timestampSchema }).optional(),
});

/**
 * The storage of a version. It stays the same when the repository moves to another connection or prefix. `prefix` is
 * the complete prefix of the repository's keys in the bucket, and ends in a slash.
 */
const versionStorageSchema = z.object({
  data_connection_id: identifierSchema,
  connection_uid: z.string(),
  bucket: z.string(),
  prefix: z.string(),
});

export const repositoryVersionRecord = repositoryVersionSchema.extend({
  /** The ID of the repository's versions (see `versionsUidOf`). */
  versions_uid: z.string(),
  created_by: z.string(),
  storage: versionStorageSchema,
});
export type RepositoryVersionRecord = z.infer<typeof repositoryVersionRecord>;

/** Returns the ID under which the versions of a repository are stored. A transfer keeps it, but changes the uid. */
export function versionsUidOf({ uid, versions_uid }: Pick<RepositoryRecord, 'uid' | 'versions_uid'>): string {
  return versions_uid ?? uid;
}
