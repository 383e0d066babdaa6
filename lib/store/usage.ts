import { type RepositoryRecord, repositoryRecord } from '../domain/data/repositories.ts';
import { versionsUidOf } from '../domain/data/repository-versions.ts';
import { identifierSchema } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { dayMs } from '../domain/time.ts';
import { isDay } from '../domain/usage/periods.ts';
import {
  type CountedRepository,
  periodsOf,
  type RepositoryName,
  showPeriod,
  type UsageRecord,
  type UsageScope,
  usageRecord,
} from '../domain/usage/usage.ts';
import { decode, encode } from './codec.ts';
import { keys, usagePartition, usagePosition } from './keys.ts';
import { forwardingRecord } from './records.ts';
import { TableStore } from './table.ts';

/** Returns the scope under which the usage of a repository is stored. The scope stays the same after transfers. */
export function usageScopeOf(repository: RepositoryRecord): UsageScope {
  return { repository_uid: versionsUidOf(repository) };
}

/** Stores the usage of repositories, accounts, and the service. */
export class UsageStore extends TableStore {
  /** Stores the usage of a period, and replaces earlier numbers. Numbers of days expire; numbers of months do not. */
  async put(scope: UsageScope, record: UsageRecord, now: number): Promise<void> {
    const deleteAfter = isDay(record.period) ? now + limits.usageDayRetentionDays * dayMs : undefined;
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

  /** Returns the usage of the periods that a request asks for. */
  async show(scope: UsageScope, query: Parameters<typeof periodsOf>[0], now: number) {
    const range = periodsOf(query, now);
    return { ...range, periods: (await this.list(scope, range)).map(showPeriod) };
  }

  async find(scope: UsageScope, period: string): Promise<UsageRecord | undefined> {
    return this.table.find(usageRecord, keys.usage(scope, period));
  }

  /**
   * Returns, for each name, the repository whose usage includes reads under this name. A name from before a transfer
   * leads to the transferred repository. Returns undefined for a name without a repository.
   */
  async findRepositories(names: readonly RepositoryName[]): Promise<(CountedRepository | undefined)[]> {
    const found = new Map<number, RepositoryRecord>();
    let wanted = [...names.entries()].filter(([, name]) => isName(name));
    for (let transfers = 0; transfers <= limits.usageTransfersFollowed && wanted.length > 0; transfers += 1) {
      const items = await this.table.getMany(
        wanted.flatMap(([, { account_id, repository_id }]) => [
          keys.repository(account_id, repository_id),
          keys.forwarding(account_id, repository_id),
        ]),
      );
      wanted = wanted.flatMap(([at], index): [number, RepositoryName][] => {
        const repository = decode(repositoryRecord, items[2 * index]);
        const forwarding = decode(forwardingRecord, items[2 * index + 1]);
        if (repository !== undefined) found.set(at, repository);
        if (repository !== undefined || forwarding === undefined) return [];
        return [[at, { account_id: forwarding.to_account_id, repository_id: forwarding.to_repository_id }]];
      });
    }
    return names.map((_, at) => {
      const repository = found.get(at);
      if (repository === undefined) return undefined;
      const { account_id: owner, published: created_at } = repository;
      return { uid: versionsUidOf(repository), owner, created_at };
    });
  }
}

function isName({ account_id, repository_id }: RepositoryName): boolean {
  return [account_id, repository_id].every((part) => identifierSchema.safeParse(part).success);
}
