import * as z from 'zod';
import { createEvent, type EventType, type ServiceEvent } from '../changes/events.ts';
import type { DeliveredChange, TableChange } from '../changes/table-changes.ts';
import { dayMs, parseTimestamp } from '../time.ts';

/**
 * The kinds of markers of a key's expiry. The expiry does not change the key's own item, so it causes no stream record.
 * When DynamoDB's time to live deletes a marker, the stream consumer publishes the event.
 */
export const expiryMarkerKinds = ['expiring', 'expired'] as const;
export type ExpiryMarkerKind = (typeof expiryMarkerKinds)[number];

export const expiryMarkerEntity = 'key_expiry_marker';

export const expiryMarkerSchema = z.object({
  entity: z.literal(expiryMarkerEntity),
  marks: z.enum(expiryMarkerKinds),
  /** The time of the event, and the expiry of the key, in milliseconds since the Unix epoch. */
  due_at: z.number(),
  expires_at: z.number(),
  /** The primary key of the key's item in the table. */
  key: z.object({ pk: z.string(), sk: z.string() }),
});
export type ExpiryMarker = z.infer<typeof expiryMarkerSchema>;

const noticeMs = 7 * dayMs;

type Item = Record<string, unknown>;

/**
 * Returns the primary key of a key's item if the change affects the key's expiry: a creation, a revocation, or a
 * deletion.
 */
export function keyWithChangedExpiry({ before, after }: TableChange): ExpiryMarker['key'] | undefined {
  const item = after ?? before;
  if (item === undefined || expiryOf(before) === expiryOf(after)) return undefined;
  return { pk: String(item['pk']), sk: String(item['sk']) };
}

/** Returns the expiry markers that a key needs now. A deleted or revoked key, and a key without expiry, needs none. */
export function expiryMarkersOf(item: Item | undefined, key: ExpiryMarker['key']): ExpiryMarker[] {
  const expires_at = expiryOf(item);
  if (item === undefined || expires_at === undefined) return [];
  const expired = { entity: expiryMarkerEntity, marks: 'expired', due_at: expires_at, expires_at, key } as const;
  const expiring = { ...expired, marks: 'expiring', due_at: expires_at - noticeMs } as const;
  // Omit the early notice if the key would get it immediately after its creation.
  return expiring.due_at > parseTimestamp(String(item['created_at'])) ? [expiring, expired] : [expired];
}

/** Returns an expiry marker that DynamoDB's time to live deleted. Ignores other deletions of markers. */
export function dueMarkerOf({ before, after, byTtl }: DeliveredChange): ExpiryMarker | undefined {
  if (!byTtl || after !== undefined || before?.['entity'] !== expiryMarkerEntity) return undefined;
  return expiryMarkerSchema.parse(before);
}

/**
 * Returns the event for an expiry marker that is due. Returns undefined if its key has changed, or if the marker was
 * deleted too early or too late.
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

/**
 * Returns a key's expiry in milliseconds since the Unix epoch. Returns undefined for a deleted or revoked key, a key
 * without expiry, and an item that is no key.
 */
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
