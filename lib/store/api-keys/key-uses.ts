import * as z from 'zod';
import { limits } from '../../domain/limits.ts';
import type { ServiceAccountKeyRecord } from '../../domain/service-accounts/service-accounts.ts';
import { daySeconds, toTimestamp } from '../../domain/time.ts';
import { decode } from '../codec.ts';
import { type Item, keys } from '../keys.ts';
import type { Table } from '../table.ts';

const keyUseEntity = 'service_account_key_use';

const keyUseRecord = z.object({ last_used_at: z.string() });

/**
 * Adds the time of last use to a key. The time is in a separate item, so that a use of the key does not change the
 * key's item.
 */
export function withLastUse(key: ServiceAccountKeyRecord, item: Item | undefined): ServiceAccountKeyRecord {
  const last_used_at = decode(keyUseRecord, item)?.last_used_at;
  return last_used_at === undefined ? key : { ...key, last_used_at };
}

/** Records a use of a service account key. Writes nothing if a use was recorded less than a minute ago. */
export async function recordKeyUse(table: Table, key: ServiceAccountKeyRecord, now: number): Promise<void> {
  const minuteAgo = toTimestamp(now - limits.keyUseRecordedEverySeconds * 1000);
  if (key.last_used_at !== null && key.last_used_at > minuteAgo) return;
  await table.update(
    keys.serviceKeyUse(key.key_hash),
    {
      set: {
        entity: keyUseEntity,
        last_used_at: toTimestamp(now),
        // The item needs an expiry of its own: another request can write it again while the key and its items are
        // deleted.
        ttl: Math.ceil(now / 1000) + limits.keyUseRetentionDays * daySeconds,
      },
    },
    { absentOrLessThan: { last_used_at: minuteAgo } },
  );
}
