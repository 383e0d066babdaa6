import * as z from 'zod';
import { type FeedEntry, type FeedReader, type FeedWriter, feedTiming } from '../domain/changes/revocation-feed.ts';
import type { Principal } from '../domain/data/data-access.ts';
import { limits } from '../domain/limits.ts';
import { toTimestamp } from '../domain/time.ts';
import { decode, encode } from './codec.ts';
import { type Key, keys, lists } from './keys.ts';
import { TableStore } from './table.ts';

const feedRecord = z.object({ sk: z.string(), partitions: z.array(z.string()) });

const minuteMs = 60_000;
const afterEveryTime = '~';

/**
 * Returns the key of an entry in the change feed. Each minute has its own partition, so reads and partitions stay
 * small.
 */
function feedKey(time: number, batchId = ''): Key {
  const timestamp = toTimestamp(time);
  return { pk: `FEED#${timestamp.slice(0, 16)}`, sk: `${timestamp}#${batchId}` };
}

export class TableRevocationFeed extends TableStore implements FeedReader, FeedWriter {
  async append(partitions: readonly string[], batchId: string, now: number): Promise<void> {
    const deleteAfter = now + feedTiming.retentionSeconds * 1000;
    const item = encode('feed', { partitions }, { key: feedKey(now, batchId), deleteAfter });
    await this.table.put(item, feedTiming.writeMs);
  }

  async readSince(since: number, now: number): Promise<FeedEntry[]> {
    const firstMinute = Math.floor(since / minuteMs);
    const minutes = Array.from({ length: Math.floor(now / minuteMs) - firstMinute + 1 }, (_, at) => firstMinute + at);
    const read = await Promise.all(minutes.map((minute) => this.#readMinute(minute * minuteMs, since)));
    return read.flat();
  }

  async #readMinute(minute: number, since: number): Promise<FeedEntry[]> {
    const { pk } = feedKey(minute);
    const entries: FeedEntry[] = [];
    const range = { from: toTimestamp(since), to: afterEveryTime };
    for await (const page of this.table.partitionPages(pk, range, limits.listPageMax)) {
      for (const item of page) {
        const { sk, partitions } = decode(feedRecord, item);
        entries.push({ id: sk, partitions });
      }
    }
    return entries;
  }
}

/**
 * Returns the table partitions with the records that decide what a principal may do in a repository, except for the
 * partition of the repository's data connection.
 */
export function accessPartitions(
  principal: Principal,
  path: { account_id: string; repository_id: string },
): readonly string[] {
  const ofPath = [keys.account(path.account_id), keys.repository(path.account_id, path.repository_id)];
  return [...ofPath, ...principalKeys(principal)].map(({ pk }) => pk);
}

/** Returns the table partitions that contain all rights of a principal. */
export function rightsPartitions(principal: Principal): readonly string[] {
  return principalKeys(principal).map(({ pk }) => pk);
}

export function accountPartition(accountId: string): string {
  return keys.account(accountId).pk;
}

export function repositoryPartition(accountId: string, repositoryId: string): string {
  return keys.repository(accountId, repositoryId).pk;
}

/**
 * Returns the cache partition of an account's repository list. The change feed never contains it, so readers of the
 * feed add it with `withLists`.
 */
export function repositoriesPartition(accountId: string): string {
  return lists.repositories(accountId);
}

/**
 * Adds the repository list of each account that owns a changed repository, because the repository can be new in the
 * list.
 */
export function withLists(partitions: ReadonlySet<string>): ReadonlySet<string> {
  const start = keys.repository('', '').pk.slice(0, -1);
  const inLists = [...partitions].flatMap((partition) =>
    partition.startsWith(start) ? [lists.repositories(partition.slice(start.length, partition.indexOf('/')))] : [],
  );
  return new Set([...partitions, ...inLists]);
}

/**
 * Returns the keys of the items with a principal's rights. A role is in the partition of its member. A grant is in the
 * partition of its service account.
 */
function principalKeys(principal: Principal): Key[] {
  switch (principal.kind) {
    case 'anonymous':
      return [];
    case 'service_account':
      return [keys.account(principal.service_account_id), keys.grant(principal.service_account_uid, '')];
    case 'api_key':
    case 'link':
    case 'user':
      return [keys.account(principal.account_id)];
  }
}

export function connectionPartition(dataConnectionId: string): string {
  return keys.dataConnection(dataConnectionId).pk;
}

export function versionPartition(versionsUid: string, name: string): string {
  return keys.repositoryVersion(versionsUid, name).pk;
}

export function apiKeyPartition(accessKeyId: string): string {
  return keys.apiKey(accessKeyId).pk;
}
