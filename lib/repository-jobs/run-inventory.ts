import * as z from 'zod';
import {
  contentsOf,
  InventoryCounter,
  type InventoryFailure,
  type InventoryRecord,
  inventoryFailureMessages,
  inventoryOf,
  isSameInventory,
  nextIntervalSeconds,
  type RepositoryContents,
  tallySchema,
} from '../domain/data/inventory.ts';
import { limits } from '../domain/limits.ts';
import { toTimestamp } from '../domain/time.ts';
import { jobRequests, StorageRefusal } from '../s3/job-requests.ts';
import { InvalidList, listObjectPage, skipReserved } from '../s3/object-pages.ts';
import type { JobOf } from '../store/repositories/job-records.ts';
import { openRepositoryStorage } from './open-storage.ts';
import type { JobRunner, RepositoryJobServices } from './run.ts';

const cursorSchema = z.object({ started_at: z.string(), pages: z.int(), after: z.string(), tally: tallySchema });

/** Counts the files of a repository. */
export const inventoryRunner: JobRunner<'inventory'> = {
  attemptsMax: limits.inventoryAttemptsMax,
  ageMaxMs: undefined,
  async run(run, services) {
    const { jobs, clock } = services;
    const found = await jobs.findRepository(run.job);
    if (found === undefined) {
      await jobs.end(run.job);
      return undefined;
    }
    // Skip automatic inventories of a disabled repository, because it has no readers. Its owners can still request an
    // inventory, for example to see which files a deletion would delete.
    if (found.isClosed && !run.job.is_requested) return run.job.interval_seconds;
    const { mirrors, primary_mirror } = found.repository.data;
    const mirror = mirrors[primary_mirror];
    const opened = mirror && (await openRepositoryStorage(mirror, services));
    if (opened === undefined) {
      await fail(run.job, 'connection_gone', services);
      return undefined;
    }
    const { cursor } = run.job;
    const from = cursor === undefined ? undefined : cursorSchema.parse(JSON.parse(cursor));
    const started_at = from?.started_at ?? toTimestamp(clock());
    const counter = new InventoryCounter(from?.tally);
    const send = jobRequests(services);
    let after = from?.after;
    for (let pages = (from?.pages ?? 0) + 1; ; pages += 1) {
      const page = await listObjectPage(send, opened.storage, after).catch((error) => failureOf(error, services));
      if (typeof page === 'string') {
        await fail(run.job, page, services);
        return undefined;
      }
      const counted = page.objects.filter((object) => counter.add(object));
      after = skipReserved(page.next);
      if (after === undefined || counted.length < page.objects.length || pages >= limits.inventoryPagesMax) {
        const isComplete = after === undefined && counted.length === page.objects.length;
        const tally = counter.tally();
        const contents = contentsOf(tally, isComplete);
        await finish(run.job, inventoryOf(tally, started_at, isComplete), contents, services);
        return undefined;
      }
      const isOver = clock() >= run.endsAt;
      if (isOver || pages % limits.inventoryPagesPerSave === 0) {
        run.job = await jobs.save(run.job, { started_at, pages, after, tally: counter.tally() });
      }
      if (isOver) return 0;
    }
  },
  giveUp: (job, services) => fail(job, 'storage_unavailable', services),
};

/**
 * Returns the reason why the inventory fails permanently. Throws any other error, so that the job tries again later.
 */
function failureOf(error: unknown, { log }: RepositoryJobServices): InventoryFailure {
  if (!(error instanceof StorageRefusal || error instanceof InvalidList)) throw error;
  log(error);
  return error instanceof InvalidList ? 'list_invalid' : 'storage_refuses';
}

async function finish(
  job: JobOf<'inventory'>,
  result: InventoryRecord,
  contents: RepositoryContents,
  { jobs, clock }: RepositoryJobServices,
) {
  const before = await jobs.findInventory(job);
  const isUnchanged = before?.state === 'ready' && isSameInventory(before, result);
  const interval_seconds = nextIntervalSeconds(job.interval_seconds, isUnchanged);
  // Write the summary only if it changed, because each write to the repository's record updates its entry in the search
  // index.
  const summary = isUnchanged ? {} : { contents };
  await jobs.finishInventory(job, result, { interval_seconds, now: clock(), ...summary });
}

/** Records that an inventory failed, and keeps the numbers of the last complete inventory. */
async function fail(job: JobOf<'inventory'>, reason: InventoryFailure, { jobs, clock }: RepositoryJobServices) {
  const last = await jobs.findInventory(job);
  const failure = { reason, message: inventoryFailureMessages[reason] };
  const interval_seconds = nextIntervalSeconds(job.interval_seconds, true);
  await jobs.finishInventory(job, { ...last, state: 'failed', failure }, { interval_seconds, now: clock() });
}
