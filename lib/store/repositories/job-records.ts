import * as z from 'zod';
import type { RepositoryIdentity } from '../../domain/data/data-access.ts';
import { deletedStorageSchema, type FileDeletion, fileDeletionSchema } from '../../domain/data/file-deletions.ts';
import { freezeCountsSchema } from '../../domain/data/repository-versions.ts';
import { conflict } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { toTimestamp } from '../../domain/time.ts';
import { encode } from '../codec.ts';
import { type Item, inList, keys, listPosition, lists, sublists } from '../keys.ts';
import { put, remove, type Write } from '../writes.ts';

/**
 * The fields of every background job. Each write requires that the revision is unchanged, so that only one run at a
 * time works on a job.
 */
const jobFields = {
  job_id: z.string(),
  account_id: z.string(),
  repository_id: z.string(),
  created_at: z.string(),
  /**
   * The time of the next run of the job. While a run works on the job, another run can take over the job from this time
   * on.
   */
  next_run_at: z.string(),
  revision: z.int(),
  /** The number of runs of the job since the last one that saved a position. */
  attempts: z.int(),
  /** The position of the job, as JSON. Absent before the first run. */
  cursor: z.string().optional(),
};

/**
 * The repository version that a background job concerns. The `job_id` is the version's uid, so a version has at most
 * one job.
 */
const versionFields = {
  version_uid: z.string(),
  versions_uid: z.string(),
  name: z.string(),
  /** The ID of the audit event that records the end of the job. */
  event_id: z.string(),
};

export const repositoryJobRecord = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('freeze'),
    ...jobFields,
    ...versionFields,
    counts: freezeCountsSchema,
    stored_versions_expected: z.int().optional(),
  }),
  z.object({ kind: z.literal('verification'), ...jobFields, ...versionFields }),
  /**
   * The job that repeatedly lists the files of a repository to count them (a walk). The job lives as long as the
   * repository. Its `job_id` is the internal ID of the repository. Between two walks, the job has no cursor.
   */
  z.object({
    kind: z.literal('inventory'),
    ...jobFields,
    /** True while the repository waits for an inventory that a user requested or that its creation started. */
    is_requested: z.boolean(),
    requested_at: z.string().optional(),
    /** The pause between the end of the next inventory and the automatic inventory after it. */
    interval_seconds: z.int(),
  }),
  /**
   * The job that deletes the files of a deleted repository. After the job ends, its item stays stored for some time.
   */
  z.object({
    kind: z.literal('file_deletion'),
    ...jobFields,
    ...fileDeletionSchema.omit({ deletion_id: true }).shape,
    /** The internal ID of the deleted repository. */
    uid: z.string(),
    storage: deletedStorageSchema,
    on_own_connection: z.literal(true).optional(),
  }),
]);
export type RepositoryJob = z.infer<typeof repositoryJobRecord>;
export type JobKind = RepositoryJob['kind'];
export type JobOf<Kind extends JobKind> = Extract<RepositoryJob, { kind: Kind }>;

export const jobConflict = conflict('The background job was changed at the same time; try again');

/**
 * The lists of due jobs, in the order in which a run handles them. Users wait for the jobs in `work`. Inventories of
 * files have a list of their own, because most of them start automatically and slow storage can delay them.
 */
export const jobQueues = ['work', 'inventories'] as const;
type JobQueue = (typeof jobQueues)[number];

function queueOf(kind: JobKind): JobQueue {
  return kind === 'inventory' ? 'inventories' : 'work';
}

export function encodeJob(job: RepositoryJob): Item {
  const sublist = inList(sublists.dueRepositoryJobs(queueOf(job.kind)), job.next_run_at, job.job_id);
  const { kind, job_id, account_id, created_at } = job;
  const list = kind === 'file_deletion' ? inList(lists.fileDeletions(account_id), created_at, job_id) : undefined;
  return encode('repository_job', job, { key: keys.repositoryJob(job_id), sublist, ...(list && { list }) });
}

/** Returns the attributes that contain the time of a job's next run. */
export function dueAt({ job_id }: RepositoryJob, time: number) {
  const next_run_at = toTimestamp(time);
  return { next_run_at, sublist_sk: listPosition(next_run_at, job_id) };
}

/** Returns the write that ends a background job. */
export function endOfJob({ job_id, revision }: RepositoryJob): Write {
  return remove(keys.repositoryJob(job_id), { equals: { revision } }, jobConflict);
}

/** Returns the fields of a job that describe its deletion of files. */
export function fileDeletionOf({ job_id, ...job }: JobOf<'file_deletion'>): FileDeletion {
  return fileDeletionSchema.parse({ ...job, deletion_id: job_id });
}

/** Returns the write that starts the inventories of a new repository. */
export function startInventory({ account_id, repository_id, uid }: RepositoryIdentity, time: string): Write {
  const job: RepositoryJob = {
    ...{ kind: 'inventory', job_id: uid, account_id, repository_id, created_at: time, next_run_at: time },
    ...{ revision: 0, attempts: 0, is_requested: true, interval_seconds: limits.inventoryIntervalSecondsMin },
  };
  return put(encodeJob(job));
}

/** Returns the writes that remove the inventory of a repository. A running job then saves nothing more. */
export function endInventory({ uid }: Pick<RepositoryIdentity, 'uid'>): Write[] {
  return [remove(keys.repositoryJob(uid)), remove(keys.inventory(uid))];
}
