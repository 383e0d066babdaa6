import * as z from 'zod';
import { eventWithoutActor } from '../domain/changes/audit.ts';
import { deletionProblem, type FileDeletionProblem, fileDeletionProblems } from '../domain/data/file-deletions.ts';
import { isFile } from '../domain/data/inventory.ts';
import { limits } from '../domain/limits.ts';
import { toTimestamp } from '../domain/time.ts';
import { deletePage } from '../s3/delete-page.ts';
import { jobRequests, StorageRefusal } from '../s3/job-requests.ts';
import { InvalidList, listObjectPage } from '../s3/object-pages.ts';
import { type JobOf, jobConflict } from '../store/repositories/job-records.ts';
import { openStorage } from './open-storage.ts';
import { type JobRunner, type RepositoryJobServices, type Run, retryPauseSeconds } from './run.ts';

/**
 * The position of a deletion of files. A pass lists all keys once. The deletion ends with a pass that finds nothing to
 * delete. `after` is the last key before the page that the run deletes, so a run after a crash repeats this page.
 */
const cursorSchema = z.object({
  pass: z.int(),
  after: z.string().optional(),
  /** The number of keys in the current pass that the service can safely delete by a request to the storage. */
  found: z.int(),
  unsafe: z.int(),
  refused: z.int(),
});
type Cursor = z.infer<typeof cursorSchema>;
const firstPass: Cursor = { pass: 1, found: 0, unsafe: 0, refused: 0 };

/**
 * Deletes the files of a deleted repository. The job is repeated until all files are deleted, or until an administrator
 * stops it.
 */
export const fileDeletionRunner: JobRunner<'file_deletion'> = {
  attemptsMax: Number.POSITIVE_INFINITY,
  ageMaxMs: undefined,
  async run(run, services) {
    if (run.job.state === 'stopping') {
      await services.jobs.endFileDeletion(run.job, { state: 'stopped', ended_at: toTimestamp(services.clock()) });
      return undefined;
    }
    const before = run.job.attempts;
    try {
      return await continueDeletion(run, services);
    } catch (error) {
      if (error === jobConflict) throw error;
      services.log(error);
      // If the run deleted files before it failed, the next pause is short again.
      const attempts = run.job.attempts === 0 ? 1 : before;
      return delay(run, problemOf(error), { ...services, attempts });
    }
  },
  giveUp: async () => undefined,
};

async function continueDeletion(
  run: Run<'file_deletion'>,
  services: RepositoryJobServices,
): Promise<number | undefined> {
  const { jobs, clock, readConnection } = services;
  const { storage } = run.job;
  const connection = await readConnection(storage.data_connection_id);
  const problem = deletionProblem(connection, storage);
  const opened = connection && problem === undefined ? await openStorage(connection, storage, services) : undefined;
  if (opened === undefined) {
    return delay(run, problem ?? 'connection_gone', { ...services, attempts: run.job.attempts });
  }
  const send = jobRequests(services);
  let cursor = run.job.cursor === undefined ? firstPass : cursorSchema.parse(JSON.parse(run.job.cursor));
  for (;;) {
    const page = await listObjectPage(send, opened.storage, cursor.after);
    // Save the position before each page. The save fails if an administrator stopped the deletion, or if another run
    // has taken over the job. Without this check, a run could delete the files of a later repository with the same
    // path.
    run.job = await jobs.save(run.job, cursor, progressOf(run.job));
    const now = clock();
    if (now >= run.endsAt) return 0;
    const keys = page.objects.map(({ key }) => key);
    const isOver = () => clock() >= now + limits.repositoryJobRequestMs;
    const { deleted, unsafe, refused, writesMarkers } = await deletePage(send, opened.storage, { keys, isOver });
    cursor = {
      ...{ pass: cursor.pass, after: page.next, found: cursor.found + keys.length - unsafe },
      ...{ unsafe: cursor.unsafe + unsafe, refused: cursor.refused + refused },
    };
    if (deleted.size > 0) {
      const files = page.objects.filter((object) => deleted.has(object.key) && isFile(object)).length;
      run.job = {
        ...run.job,
        ...{ attempts: 0, files_deleted: run.job.files_deleted + files, problem: undefined },
        ...(writesMarkers ? { stored_versions_remain: true } : {}),
      };
    }
    if (page.next !== undefined) continue;
    if (cursor.found === 0) return end(run.job, cursor, services);
    const isStuck = cursor.refused > 0;
    const next = { ...firstPass, pass: cursor.pass + 1 };
    const problem = isStuck ? shown('files_refused') : undefined;
    run.job = await jobs.save(run.job, next, { ...progressOf(run.job), problem });
    // The second pass follows immediately. Further passes wait: they are only needed if the storage does not delete, or
    // if new files appear.
    if (cursor.pass > 1 || isStuck) return retryPauseSeconds(cursor.pass);
    cursor = next;
  }
}

/** Returns the fields that each save of a file deletion writes in addition to the position. */
function progressOf({ attempts, files_deleted, stored_versions_remain, problem }: JobOf<'file_deletion'>) {
  return { state: 'running', attempts, files_deleted, stored_versions_remain, problem } as const;
}

async function end(
  job: JobOf<'file_deletion'>,
  { unsafe }: Cursor,
  { jobs, clock }: RepositoryJobServices,
): Promise<undefined> {
  const { job_id: deletion_id, account_id, repository_id } = job;
  const time = toTimestamp(clock());
  const subject = { account_id, repository_id, deletion_id };
  const event_id = `${deletion_id}-ended`;
  const event = eventWithoutActor({ event_id, time, kind: 'file_deletion.ended', account_id, subject });
  const left = unsafe === 0 ? {} : { files_left: unsafe };
  await jobs.endFileDeletion(job, { state: 'ended', ended_at: time, ...left }, event);
}

/** Records the problem that delays the deletion of files. Returns the pause before the next attempt. */
async function delay(
  run: Run<'file_deletion'>,
  problem: FileDeletionProblem,
  { jobs, attempts }: Pick<RepositoryJobServices, 'jobs'> & { attempts: number },
): Promise<number> {
  run.job = await jobs.update(run.job, { problem: shown(problem), attempts });
  return retryPauseSeconds(attempts);
}

function shown(reason: FileDeletionProblem) {
  return { reason, message: fileDeletionProblems[reason] };
}

function problemOf(error: unknown): FileDeletionProblem {
  if (error instanceof StorageRefusal) return 'storage_refuses';
  return error instanceof InvalidList ? 'list_invalid' : 'storage_unavailable';
}
