import * as z from 'zod';
import { ServiceError } from '../errors.ts';
import { anyAccountIdSchema, identifierSchema, uuidSchema } from '../identifiers.ts';
import { timestampSchema } from '../text.ts';
import type { DataConnectionRecord } from './data-connections.ts';
import type { RepositoryRecord } from './repositories.ts';

/** The problems that delay a deletion of files, and their remedies. The job retries at least once an hour. */
export const fileDeletionProblems = {
  connection_gone: 'The data connection was changed. Connect the same storage again.',
  connection_read_only: 'The data connection is read-only. Let it write, and the deletion continues.',
  storage_refuses:
    'The storage refuses a request. Allow s3:ListBucket and s3:DeleteObject to the data connection, and the deletion continues.',
  storage_unavailable: 'The storage does not answer. Test the data connection.',
  list_invalid: 'The storage lists keys in the wrong order or outside the repository. Delete the files there yourself.',
  files_refused: 'The storage does not delete some files. They may have a legal hold or a retention period.',
} as const;
export type FileDeletionProblem = keyof typeof fileDeletionProblems;
const problemNames = Object.keys(fileDeletionProblems) as FileDeletionProblem[];

/**
 * The deletion of the files of a deleted repository, by a background job.
 *
 * - `waiting`: the job has not started. It starts after the service refuses all writers of the repository.
 * - `running`: the job deletes the files. `problem` says what delays the job.
 * - `stopping`: an administrator stopped the job. The last request to the storage may still run.
 * - `ended`: a list of the storage shows no file that the service can delete.
 * - `stopped`: an administrator stopped the job. The remaining files stay in the storage.
 */
export const fileDeletionSchema = z.object({
  deletion_id: uuidSchema,
  account_id: anyAccountIdSchema,
  repository_id: identifierSchema,
  state: z.enum(['waiting', 'running', 'stopping', 'ended', 'stopped']),
  created_at: timestampSchema,
  starts_at: timestampSchema,
  ended_at: timestampSchema.optional(),
  files_deleted: z.int(),
  /**
   * The number of files that the service does not delete. The storage would confuse the keys of these files with other
   * keys.
   */
  files_left: z.int().optional(),
  /**
   * True if the bucket has object versioning. The bucket then still stores old versions of the files, which cost money.
   */
  stored_versions_remain: z.boolean().optional(),
  problem: z.object({ reason: z.enum(problemNames), message: z.string() }).optional(),
});
export type FileDeletion = z.infer<typeof fileDeletionSchema>;

/** The storage of the files to delete, as it was when the repository was deleted. */
export const deletedStorageSchema = z.object({
  data_connection_id: identifierSchema,
  connection_uid: z.string(),
  bucket: z.string(),
  endpoint: z.string().optional(),
  /** The complete storage prefix of the deleted repository's keys in the bucket. It ends in a slash. */
  prefix: z.string(),
  /** The part of the repository's prefix that follows the base prefix of the connection. */
  mirror_prefix: z.string(),
});
type DeletedStorage = z.infer<typeof deletedStorageSchema>;

/** Returns the location of a repository's files. Throws `wrong_state` for a repository without a data connection. */
export function deletedStorage(
  { data }: Pick<RepositoryRecord, 'data'>,
  connection: DataConnectionRecord | undefined,
): DeletedStorage {
  const mirror = data.mirrors[data.primary_mirror];
  if (mirror === undefined || connection?.data_connection_id !== mirror.data_connection_id) {
    throw new ServiceError('wrong_state', 'The data connection of the repository is gone; leave delete_files out');
  }
  const { data_connection_id, uid, details } = connection;
  const { bucket, endpoint, base_prefix } = details;
  const prefix = base_prefix + mirror.prefix;
  return { data_connection_id, connection_uid: uid, bucket, endpoint, prefix, mirror_prefix: mirror.prefix };
}

/** Returns the reason why the service cannot delete files of a connection now, if there is one. */
export function deletionProblem(
  connection: DataConnectionRecord | undefined,
  storage: DeletedStorage,
): FileDeletionProblem | undefined {
  const { uid, details, read_only, state, sealed_authentication } = connection ?? {};
  const isSame =
    uid === storage.connection_uid &&
    details?.bucket === storage.bucket &&
    details.endpoint === storage.endpoint &&
    details.base_prefix + storage.mirror_prefix === storage.prefix;
  if (!isSame || state === 'draft') return 'connection_gone';
  return read_only || sealed_authentication === undefined ? 'connection_read_only' : undefined;
}

/** Throws `wrong_state` if the service cannot delete files of the connection. The message says what to do. */
export function requireDeletable(connection: DataConnectionRecord | undefined, storage: DeletedStorage): void {
  if (deletionProblem(connection, storage) === undefined) return;
  throw new ServiceError(
    'wrong_state',
    `The data connection ${storage.data_connection_id} does not write, so the service cannot delete files there; let the connection write, or delete the repository without delete_files and its files in the storage yourself`,
  );
}

/** Creates the error for a path whose files are being deleted. */
export function filesBeingDeleted({ account_id, repository_id }: { account_id: string; repository_id: string }) {
  return new ServiceError(
    'files_being_deleted',
    `The files of the deleted repository ${account_id}/${repository_id} are being deleted; see GET /accounts/${account_id}/file-deletions, and try again when it has ended, or choose another ID`,
  );
}
