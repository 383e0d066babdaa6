import type { AuditEvent } from '../../domain/changes/audit.ts';
import type { FileDeletion } from '../../domain/data/file-deletions.ts';
import { conflict, ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { ListPage, ListPageRequest } from '../../domain/list-pages.ts';
import { parseTimestamp } from '../../domain/time.ts';
import { auditWrite } from '../audit.ts';
import { keys, lists } from '../keys.ts';
import { TableStore } from '../table.ts';
import { update } from '../writes.ts';
import { dueAt, fileDeletionOf, type JobOf, repositoryJobRecord } from './job-records.ts';

/** Reads and stops the background jobs that delete the files of deleted repositories. */
export class FileDeletionStore extends TableStore {
  /** Lists the file deletions of an account, newest first. */
  async list(accountId: string, page: ListPageRequest): Promise<ListPage<FileDeletion>> {
    // A query in descending order needs both ends of the range.
    const range = { newestFirst: true, from: '0', to: '~' };
    const partition = lists.fileDeletions(accountId);
    const { items, next } = await this.table.list(repositoryJobRecord, 'lists', partition, { ...page, ...range });
    return { items: items.flatMap((job) => (job.kind === 'file_deletion' ? [fileDeletionOf(job)] : [])), next };
  }

  /** Returns a file deletion of an account. Throws `not_found`. */
  async load(accountId: string, deletionId: string): Promise<FileDeletion> {
    return fileDeletionOf(await this.#load(accountId, deletionId));
  }

  /**
   * Stops a deletion of files. The path of the repository stays reserved until the last request to the storage is over.
   * Throws `wrong_state` if the deletion has ended.
   */
  async stop(accountId: string, deletionId: string, event: AuditEvent): Promise<FileDeletion> {
    const job = await this.#load(accountId, deletionId);
    const { state, job_id } = job;
    if (state !== 'waiting' && state !== 'running') {
      throw new ServiceError('wrong_state', `The deletion is ${state}; only one that is waiting or running is stopped`);
    }
    // If a run works on the job now, its next save fails, because the revision differs.
    const last = parseTimestamp(event.time) + 2 * limits.repositoryJobRequestMs;
    const change = { set: { state: 'stopping', ...dueAt(job, last) }, add: { revision: 1 } };
    const changed = conflict('The deletion ended or started at the same time; read it and try again');
    await this.table.transact([
      update(keys.repositoryJob(job_id), change, { equals: { state } }, changed),
      auditWrite(event),
    ]);
    return { ...fileDeletionOf(job), state: 'stopping' };
  }

  async #load(accountId: string, deletionId: string): Promise<JobOf<'file_deletion'>> {
    const job = await this.table.find(repositoryJobRecord, keys.repositoryJob(deletionId));
    if (job?.kind !== 'file_deletion' || job.account_id !== accountId) {
      throw new ServiceError('not_found', 'No such deletion of files; list those of the account');
    }
    return job;
  }
}
