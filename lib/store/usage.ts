import { limits } from '../domain/limits.ts';
import { dayMs } from '../domain/time.ts';
import { type UsageRecord, type UsageScope, usageRecord } from '../domain/usage.ts';
import { decode, encode } from './codec.ts';
import { keys, usagePartition, usagePosition } from './keys.ts';
import { TableStore } from './table.ts';

/** Stores the usage of repositories, accounts, and the service. */
export class UsageStore extends TableStore {
  /** Stores the usage of a period in place of earlier numbers. Days expire; months do not. */
  async put(scope: UsageScope, record: UsageRecord, now: number): Promise<void> {
    const isDay = record.period.length === 'yyyy-mm-dd'.length;
    const deleteAfter = isDay ? now + limits.usageDayRetentionDays * dayMs : undefined;
    const key = keys.usage(scope, record.period);
    const item = encode('usage', record, { key, ...(deleteAfter === undefined ? {} : { deleteAfter }) });
    await this.table.put(item, limits.usageWriteMs);
  }

  /** Returns the stored periods from `from` to `to`, both included: days (`2026-11-28`) or months (`2026-11`). */
  async list(scope: UsageScope, range: { from: string; to: string }): Promise<UsageRecord[]> {
    const page = { limit: limits.usagePeriodsMax, after: undefined };
    const positions = { from: usagePosition(range.from), to: usagePosition(range.to) };
    const { items } = await this.table.partitionPage(usagePartition(scope), positions, page);
    return items.map((item) => decode(usageRecord, item));
  }

  async find(scope: UsageScope, period: string): Promise<UsageRecord | undefined> {
    return this.table.find(usageRecord, keys.usage(scope, period));
  }
}
