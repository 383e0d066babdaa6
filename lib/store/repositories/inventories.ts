import type { AuditEvent } from '../../domain/changes/audit.ts';
import type { RepositoryIdentity } from '../../domain/data/data-access.ts';
import { type Inventory, type InventoryRecord, inventoryRecord, tallySchema } from '../../domain/data/inventory.ts';
import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { parseTimestamp, toTimestamp } from '../../domain/time.ts';
import { auditWrite } from '../audit.ts';
import { decode, encode } from '../codec.ts';
import { type Item, keys } from '../keys.ts';
import { retryOn, TableStore } from '../table.ts';
import { countInWindow, update, windowOf } from '../writes.ts';
import { dueAt, type JobOf, jobConflict, repositoryJobRecord } from './job-records.ts';

/** Reads the inventories of repositories, and starts the jobs that create them. */
export class InventoryStore extends TableStore {
  async find(uid: string): Promise<Inventory> {
    return (await this.#read(uid)).shown;
  }

  /**
   * Requests an inventory of a repository's files. Writes nothing if the job already runs. Throws `throttled` if the
   * last request was less than five minutes ago, or if the account requested too many inventories in this hour.
   */
  async request({ uid, account_id }: RepositoryIdentity, event: AuditEvent): Promise<Inventory> {
    return retryOn(jobConflict, 3, async () => {
      const { job, shown } = await this.#read(uid);
      if (job === undefined) throw new ServiceError('not_found', 'The repository was deleted or transferred');
      if (shown.state === 'running') return shown;
      requirePause(job, event.time);
      const { revision } = job;
      const change = {
        ...{ is_requested: true, requested_at: event.time, attempts: 0 },
        ...{ interval_seconds: limits.inventoryIntervalSecondsMin, revision: revision + 1 },
        ...dueAt(job, parseTimestamp(event.time)),
      };
      await this.table.transact([
        update(keys.repositoryJob(uid), { set: change }, { equals: { revision } }, jobConflict),
        countInWindow({
          key: keys.inventoryRequests(account_id, windowOf(event.time, 'hour')),
          entity: 'inventory_requests_tally',
          counter: 'requests',
          max: limits.inventoryRequestsPerHourMax,
          window: 'hour',
          time: event.time,
          sentence: (endsAt) =>
            `One account requests at most ${limits.inventoryRequestsPerHourMax} inventories an hour; try again after ${endsAt}`,
        }),
        auditWrite(event),
      ]);
      return { ...shown, state: 'running', progress: { files: 0 } };
    });
  }

  async #read(uid: string): Promise<{ job: JobOf<'inventory'> | undefined; shown: Inventory }> {
    const [jobItem, resultItem] = await this.table.getMany([keys.repositoryJob(uid), keys.inventory(uid)]);
    const job = decode(repositoryJobRecord, jobItem);
    const result: Inventory = decode(inventoryRecord, resultItem) ?? { state: 'none' };
    if (job?.kind !== 'inventory') return { job: undefined, shown: result };
    const { cursor, is_requested } = job;
    if (cursor === undefined && !is_requested) return { job, shown: result };
    const { failure: _, ...last } = result;
    const files = cursor === undefined ? 0 : walkCursorFiles(cursor);
    return { job, shown: { ...last, state: 'running', progress: { files } } };
  }
}

function walkCursorFiles(cursor: string): number {
  return tallySchema.pick({ files: true }).parse(JSON.parse(cursor).tally).files;
}

/** Throws `throttled` if the last request for an inventory was less than five minutes ago. */
function requirePause({ requested_at }: JobOf<'inventory'>, now: string): void {
  if (requested_at === undefined) return;
  const next = parseTimestamp(requested_at) + limits.inventoryRequestSeconds * 1000;
  const retryAfterSeconds = Math.ceil((next - parseTimestamp(now)) / 1000);
  if (retryAfterSeconds <= 0) return;
  const minutes = limits.inventoryRequestSeconds / 60;
  const message = `The files of a repository are counted on request at most every ${minutes} minutes; try again after ${toTimestamp(next)}`;
  throw new ServiceError('throttled', message, { retryAfterSeconds });
}

export function encodeInventory(uid: string, inventory: InventoryRecord): Item {
  return encode('inventory', inventory, { key: keys.inventory(uid) });
}
