import * as z from 'zod';
import type { TableChange } from '../changes/table-changes.ts';
import { timestampSchema } from '../text.ts';
import { checkMessages, connectionCheckNames, connectionFailures } from './connection-checks.ts';

const storageFaultSchema = z.object({
  /** The check of a connection test that would fail for the same reason as the request to storage. */
  step: z.enum(connectionCheckNames),
  code: z.enum(connectionFailures),
});
/** A failure of a connection's storage that only its owner can repair. */
export type StorageFault = z.infer<typeof storageFaultSchema>;

/** The last failure of a connection's storage that the data proxy received. The message names the remedy. */
export const storageHealthSchema = storageFaultSchema.extend({
  failed_at: timestampSchema,
  /** The time of the first failure after the last known success. */
  failing_since: timestampSchema.optional(),
  message: z.string(),
  /** The time of the last recorded success after a failure. Absent if there was none. */
  worked_at: timestampSchema.optional(),
});

export const storageHealthEntity = 'storage_health';

/** The stored form of a storage failure, without the message. */
export const storageHealthRecord = storageHealthSchema.omit({ message: true }).extend({
  entity: z.literal(storageHealthEntity),
  data_connection_id: z.string(),
});
export type StorageHealthRecord = z.infer<typeof storageHealthRecord>;

export function showHealth({
  step,
  code,
  failed_at,
  failing_since,
  worked_at,
}: StorageHealthRecord): z.infer<typeof storageHealthSchema> {
  return { step, code, failed_at, failing_since, message: checkMessages[code], worked_at };
}

/** Adds the last storage failures to connections. `records` has one entry for each connection, in the same order. */
export function withHealth<Connection extends object>(
  connections: readonly Connection[],
  records: readonly (StorageHealthRecord | undefined)[],
) {
  return connections.map((connection, index) => {
    const record = records[index];
    return { ...connection, ...(record === undefined ? {} : { health: showHealth(record) }) };
  });
}

/** Returns true if the record shows the first failure ever, or the first failure after a success. */
export function isFirstFailure({ failing_since, worked_at = '' }: StorageHealthRecord): boolean {
  return failing_since === undefined || failing_since <= worked_at;
}

/**
 * Returns the record if a table change is the first failure of a connection on a day. Further failures on the same day
 * cause no audit events, so that a broken connection cannot fill an audit trail.
 */
export function firstFaultOfDay({ before, after }: TableChange): StorageHealthRecord | undefined {
  const record = storageHealthRecord.safeParse(after).data;
  const earlier = storageHealthRecord.safeParse(before).data?.failed_at;
  return record === undefined || record.failed_at.slice(0, 10) === earlier?.slice(0, 10) ? undefined : record;
}
