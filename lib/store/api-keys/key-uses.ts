import * as z from 'zod';
import { limits } from '../../domain/limits.ts';
import type { ServiceAccountKeyRecord } from '../../domain/service-accounts/service-accounts.ts';
import { daySeconds, toTimestamp } from '../../domain/time.ts';
import { decode } from '../codec.ts';
import { keys } from '../keys.ts';
import type { Item, Table } from '../table.ts';

export const keyUseEntity = 'service_account_key_use';

const keyUseRecord = z.object({ last_used_at: z.string() });

/**
 * Adds the time of a key's last use, which is an item of its own. So a use invokes no stream consumer and does not conflict
 * with a revocation, and the public exchange needs no right to change keys.
 */
export function withLastUse(key: ServiceAccountKeyRecord, item: Item | undefined): ServiceAccountKeyRecord {
  const last_used_at = decode(keyUseRecord, item)?.last_used_at;
  return last_used_at === undefined ? key : { ...key, last_used_at };
}

/** Writes nothing when a use was recorded within the last minute. */
export async function recordKeyUse(table: Table, key: ServiceAccountKeyRecord, now: number): Promise<void> {
  const minuteAgo = toTimestamp(now - limits.keyUseRecordedEverySeconds * 1000);
  if (key.last_used_at !== null && key.last_used_at > minuteAgo) return;
  await table.update(
    keys.serviceKeyUse(key.key_hash),
    {
      set: {
        entity: keyUseEntity,
        last_used_at: toTimestamp(now),
        // It goes with its key; this is for one that was written while the key was being deleted.
        ttl: Math.ceil(now / 1000) + limits.keyUseRetentionDays * daySeconds,
      },
    },
    { absentOrLessThan: { last_used_at: minuteAgo } },
  );
}
