import * as z from 'zod';
import { limits } from '../../domain/limits.ts';
import type { ServiceAccountKeyRecord } from '../../domain/service-accounts/service-accounts.ts';
import { daySeconds, toTimestamp } from '../../domain/time.ts';
import { decode } from '../codec.ts';
import { type Item, keys } from '../keys.ts';
import type { Table } from '../table.ts';

const keyUseEntity = 'service_account_key_use';

const keyUseRecord = z.object({ last_used_at: z.string() });

/** Adds the time of a key's last use, which is a separate item, so that a use changes no key. */
export function withLastUse(key: ServiceAccountKeyRecord, item: Item | undefined): ServiceAccountKeyRecord {
  const last_used_at = decode(keyUseRecord, item)?.last_used_at;
  return last_used_at === undefined ? key : { ...key, last_used_at };
}

/** Records a use. Writes nothing when a use was recorded within the last minute. */
export async function recordKeyUse(table: Table, key: ServiceAccountKeyRecord, now: number): Promise<void> {
  const minuteAgo = toTimestamp(now - limits.keyUseRecordedEverySeconds * 1000);
  if (key.last_used_at !== null && key.last_used_at > minuteAgo) return;
  await table.update(
    keys.serviceKeyUse(key.key_hash),
    {
      set: {
        entity: keyUseEntity,
        last_used_at: toTimestamp(now),
        // The deletion of a key also deletes this item. The TTL covers an item that was written during the deletion.
        ttl: Math.ceil(now / 1000) + limits.keyUseRetentionDays * daySeconds,
      },
    },
    { absentOrLessThan: { last_used_at: minuteAgo } },
  );
}
