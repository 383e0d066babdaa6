import * as z from 'zod';
import { createEvent, type EventType, type ServiceEvent } from '../changes/events.ts';
import type { DeliveredChange, TableChange } from '../changes/table-changes.ts';
import { dayMs, parseTimestamp } from '../time.ts';

/**
 * A key that expires changes nothing in the table, so beside it lie two markers whose time to live ends when there is
 * something to tell. They only tell: whether a key has expired is decided by comparing times, always.
 */
export const expiryMarkerKinds = ['expiring', 'expired'] as const;
export type ExpiryMarkerKind = (typeof expiryMarkerKinds)[number];

export const expiryMarkerEntity = 'key_expiry_marker';

export const expiryMarkerSchema = z.object({
  entity: z.literal(expiryMarkerEntity),
  marks: z.enum(expiryMarkerKinds),
  /** Milliseconds since the Unix epoch. */
  due_at: z.number(),
  expires_at: z.number(),
  /** Where the key lies in the table. */
  key: z.object({ pk: z.string(), sk: z.string() }),
});
export type ExpiryMarker = z.infer<typeof expiryMarkerSchema>;

const noticeMs = 7 * dayMs;

type Item = Record<string, unknown>;

/** The key, by its place in the table, whose markers have to follow a change of its expiry, revocation or existence. */
export function keyWithChangedExpiry({ before, after }: TableChange): ExpiryMarker['key'] | undefined {
  const item = after ?? before;
  if (item === undefined || expiryOf(before) === expiryOf(after)) return undefined;
  return { pk: String(item['pk']), sk: String(item['sk']) };
}

/** The markers that a key should have now: none when it is gone, revoked or lasts for ever. */
export function expiryMarkersOf(item: Item | undefined, key: ExpiryMarker['key']): ExpiryMarker[] {
  const expires_at = expiryOf(item);
  if (item === undefined || expires_at === undefined) return [];
  const expired = { entity: expiryMarkerEntity, marks: 'expired', due_at: expires_at, expires_at, key } as const;
  const expiring = { ...expired, marks: 'expiring', due_at: expires_at - noticeMs } as const;
  // Whoever has just made a key for a day need not be told that it ends soon.
  return expiring.due_at > parseTimestamp(String(item['created_at'])) ? [expiring, expired] : [expired];
}

/** The marker that its time to live has ended: one that somebody deleted tells nothing. */
export function dueMarkerOf({ before, after, byTtl }: DeliveredChange): ExpiryMarker | undefined {
  if (!byTtl || after !== undefined || before?.['entity'] !== expiryMarkerEntity) return undefined;
  return expiryMarkerSchema.parse(before);
}

/**
 * What a due marker tells of its key as that is now; undefined when the key was changed since the marker was set, or it
 * is too early or (a time to live ends up to two days late) too late to tell it.
 */
export function expiryEventOf(marker: ExpiryMarker, item: Item | undefined, now: number): ServiceEvent | undefined {
  const { marks, due_at, expires_at } = marker;
  if (item === undefined || expiryOf(item) !== expires_at || now < due_at) return undefined;
  if (marks === 'expiring' && now >= expires_at) return undefined;
  const isApiKey = item['entity'] === 'api_key';
  const type: EventType = `${isApiKey ? 'api_key' : 'key'}.${marks}`;
  const keyId = item[isApiKey ? 'access_key_id' : 'key_id'];
  return createEvent(type, item, { origin: `${keyId} ${expires_at}`, time: due_at });
}

/** When a key expires, in milliseconds; undefined for one that does not, is revoked or gone, and for other items. */
function expiryOf(item: Item | undefined): number | undefined {
  switch (item?.['entity']) {
    case 'service_account_key':
      return item['revoked_at'] === null && typeof item['expires_at'] === 'string'
        ? parseTimestamp(item['expires_at'])
        : undefined;
    case 'api_key':
      return item['disabled'] === false ? parseTimestamp(String(item['expires'])) : undefined;
    default:
      return undefined;
  }
}
