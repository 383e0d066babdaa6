import * as z from 'zod';
import type { Disableable } from '../accounts/disabling.ts';
import { ServiceError } from '../errors.ts';
import { identifierSchema } from '../identifiers.ts';
import { boundedText, timestampSchema } from '../text.ts';
import type { DataConnectionRecord } from './data-connections.ts';
import type { RepositoryRecord } from './repositories.ts';
import { isCitable, versionStates } from './version-states.ts';

/** The name of a version. It cannot contain a slash or `@`, so that a path with a version has only one meaning. */
export const versionNameSchema = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,62}$/,
    'must be 1 to 63 lower-case letters, digits, ".", "_" and "-", starting with a letter or a digit',
  );

/**
 * The reasons why a freeze fails permanently, and their remedies. A freeze is the job that records all objects of a
 * version.
 */
export const freezeFailureMessages = {
  no_versioning: 'The bucket has no object versioning. Turn it on for the bucket, and create the version again.',
  order_unknown:
    'The storage does not list versions and delete markers with the newest first, so no version can be told. Use other storage.',
  storage_refuses:
    'The storage refuses a request. Allow s3:ListBucketVersions, s3:GetObjectVersion, s3:ListBucketMultipartUploads, s3:GetObject and s3:PutObject to the connection, and create the version again.',
  storage_unavailable: 'The storage did not answer for many attempts. Test the data connection, and try again.',
  keys_unsorted: 'The storage does not list keys in the order of their bytes. Use other storage.',
  too_many_keys: 'The repository has too many keys for a version.',
  too_many_stored_versions:
    'The storage has too many stored versions of the objects. Let a lifecycle rule remove old ones.',
  too_many_uploads: 'The repository has too many unfinished uploads. Abort those that nobody finishes, and try again.',
  index_too_large: 'The keys of the repository are too long for the index of a version.',
  connection_gone: 'The data connection of the repository was deleted or changed.',
} as const;
export type FreezeFailure = keyof typeof freezeFailureMessages;

const freezeFailures = Object.keys(freezeFailureMessages) as FreezeFailure[];

export const freezeFailureSchema = z.object({ reason: z.enum(freezeFailures), message: z.string() });
export const versionWithdrawalSchema = z.object({ reason: z.string(), withdrawn_at: timestampSchema });

/**
 * The DOI of a version.
 *
 * - `typed`: an owner entered a DOI that was registered elsewhere.
 * - `draft`: DataCite reserves the DOI, but it leads nowhere yet.
 * - `findable`: the DOI leads to the page of the version.
 */
export const versionDoiSchema = z.object({
  doi: z.string(),
  source: z.enum(['typed', 'datacite']),
  state: z.enum(['typed', 'draft', 'findable']),
});

/**
 * A version of a repository: all its objects at one instant, under a name. Once the version was ready, no other version
 * can have the name.
 *
 * - `freezing`: a background job writes the manifest. Nobody can read the version yet.
 * - `ready`: the manifest is complete. `frozen_at`, `keys`, `bytes` and `index_sha256` are present.
 * - `failed`: the job ended without a manifest. `failure` says why.
 * - `withdrawn`: nobody can read the version any more. `withdrawal` says why.
 */
export const repositoryVersionSchema = z.object({
  version_uid: z.string(),
  name: versionNameSchema,
  state: z.enum(versionStates),
  notes: boundedText(2000),
  created_at: timestampSchema,
  /** The instant that the version shows, by the clock of the storage. */
  frozen_at: timestampSchema.optional(),
  keys: z.int().optional(),
  bytes: z.int().optional(),
  /** The SHA-256 of the stored index of the manifest, in hexadecimal digits. */
  index_sha256: z.string().optional(),
  failure: freezeFailureSchema.optional(),
  withdrawal: versionWithdrawalSchema.optional(),
  doi: versionDoiSchema.optional(),
});
export type RepositoryVersion = z.infer<typeof repositoryVersionSchema>;

/** The reasons why a verification of a version cannot be completed, and their remedies. */
export const verificationFailureMessages = {
  manifest_altered:
    'The list of objects of this version was changed or deleted in the storage, so nobody can read the whole version. Restore the earlier stored versions of the objects below .sluice/ in the bucket, and verify the version again.',
  storage_refuses:
    'The storage refuses a request. Allow s3:GetObject, s3:GetObjectVersion and s3:ListBucket to the connection, and verify the version again.',
  storage_unavailable: 'The storage did not answer for many attempts. Test the data connection, and try again.',
  connection_gone: 'The data connection of the version was deleted.',
  not_ready: 'The version was withdrawn meanwhile.',
} as const;
export type VerificationFailure = keyof typeof verificationFailureMessages;

/**
 * A verification: the comparison of a version with its storage. Each object is found, missing, or changed.
 *
 * - `running`: a background job sends the requests. The counts grow.
 * - `done`: all objects were checked.
 * - `failed`: the comparison is not complete. `message` says why.
 */
export const verificationSchema = z.object({
  state: z.enum(['running', 'done', 'failed']),
  started_at: timestampSchema,
  finished_at: timestampSchema.optional(),
  checked: z.int(),
  missing: z.int(),
  changed: z.int(),
  /** The first missing or changed objects that the verification found. */
  problems: z.array(z.object({ key: z.string(), problem: z.enum(['missing', 'changed']) })),
  message: z.string().optional(),
});
export type Verification = z.infer<typeof verificationSchema>;

/**
 * The progress of a freeze: the keys and bytes of the new version, and the stored object versions that the job has
 * read.
 */
export const freezeCountsSchema = z.object({ keys: z.int(), bytes: z.int(), stored_versions: z.int() });
export type FreezeCounts = z.infer<typeof freezeCountsSchema>;

export const freezeProgressSchema = freezeCountsSchema.extend({
  /**
   * An estimate of the seconds until the new version is ready. It comes from the number of stored object versions in
   * the previous version, and is absent without a previous version.
   */
  seconds_left: z.int().optional(),
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
  /** The ID under which the versions of a repository are stored (see `versionsUidOf`). */
  versions_uid: z.string(),
  created_by: z.string(),
  storage: versionStorageSchema,
});
export type RepositoryVersionRecord = z.infer<typeof repositoryVersionRecord>;

/** Throws an error with the given code for a version that was never ready, because nobody can cite it. */
export function requireCitable(
  { state }: Pick<RepositoryVersion, 'state'>,
  code: 'wrong_state' | 'not_found' = 'wrong_state',
): void {
  if (isCitable({ state })) return;
  throw new ServiceError(code, `The version is ${state}; only a version that is ready can be cited`);
}

/** Throws `wrong_state` if the repository or its account is disabled. */
export function requireEnabled({ account, repository }: { account: Disableable; repository: Disableable }): void {
  if (!account.disabled && !repository.disabled) return;
  throw new ServiceError('wrong_state', 'The repository or its account is disabled; enable it first');
}

/**
 * Returns the ID under which the versions of a repository are stored. A transfer of the repository changes its `uid`,
 * but not this ID.
 */
export function versionsUidOf({ uid, versions_uid }: Pick<RepositoryRecord, 'uid' | 'versions_uid'>): string {
  return versions_uid ?? uid;
}

/**
 * Returns the storage of a new version. Throws `wrong_state` if the connection does not let the service write a
 * manifest. The message names the setting to change.
 */
export function versionStorage(
  { data }: Pick<RepositoryRecord, 'data'>,
  connection: DataConnectionRecord | undefined,
): RepositoryVersionRecord['storage'] {
  const mirror = data.mirrors[data.primary_mirror];
  if (mirror === undefined || connection === undefined || connection.data_connection_id !== mirror.data_connection_id) {
    throw new ServiceError('wrong_state', 'The repository has no data connection; ask its owner to create it again');
  }
  const { data_connection_id, uid, details, read_only, state } = connection;
  if (read_only) {
    throw new ServiceError(
      'wrong_state',
      `The data connection ${data_connection_id} is read-only, but a version is stored as a list of objects beside them; let the connection write`,
    );
  }
  if (state === 'draft') {
    throw new ServiceError('wrong_state', `The data connection ${data_connection_id} is a draft; run its test first`);
  }
  return {
    data_connection_id,
    connection_uid: uid,
    bucket: details.bucket,
    prefix: details.base_prefix + mirror.prefix,
  };
}
