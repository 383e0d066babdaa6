import { eventWithoutActor } from '../domain/changes/audit.ts';
import { type DataConnectionRecord, dataConnectionRecord } from '../domain/data/data-connections.ts';
import {
  isFirstFailure,
  type StorageFault,
  type StorageHealthRecord,
  storageHealthEntity,
  storageHealthRecord,
} from '../domain/data/storage-health.ts';
import { limits } from '../domain/limits.ts';
import { daySeconds, toTimestamp } from '../domain/time.ts';
import { AuditEventStore } from './audit.ts';
import { decode } from './codec.ts';
import { keys } from './keys.ts';
import { TableStore } from './table.ts';

type CreatedConnection = Pick<DataConnectionRecord, 'data_connection_id' | 'created_at'>;

/** Stores the last failure of each connection's storage, and the last success after a failure. */
export class StorageHealthStore extends TableStore {
  /** Records a failure of a connection's storage, unless a failure was recorded less than five minutes ago. */
  async recordFault(data_connection_id: string, fault: StorageFault, now: number): Promise<void> {
    const before = toTimestamp(now - limits.storageFaultRecordedEverySeconds * 1000);
    const ttl = Math.ceil(now / 1000) + limits.storageHealthRetentionDays * daySeconds;
    const [key, failed_at] = [keys.storageHealth(data_connection_id), toTimestamp(now)];
    const stored = await this.table.update(
      key,
      { set: { entity: storageHealthEntity, data_connection_id, ...fault, failed_at, ttl } },
      { absentOrLessThan: { failed_at: before } },
      limits.signInWriteMs,
    );
    const record = decode(storageHealthRecord, stored);
    if (record === undefined || !isFirstFailure(record)) return;
    await this.table.update(
      key,
      { set: { failing_since: failed_at } },
      { equals: { failed_at } },
      limits.signInWriteMs,
    );
  }

  /** Records a success of a connection's storage after a failure, at most once in `everySeconds`. */
  async recordSuccess(data_connection_id: string, now: number, everySeconds: number): Promise<void> {
    await this.table.update(
      keys.storageHealth(data_connection_id),
      { set: { worked_at: toTimestamp(now) } },
      { exists: true, absentOrLessThan: { worked_at: toTimestamp(now - everySeconds * 1000) } },
      limits.signInWriteMs,
    );
  }

  /**
   * Returns the last failure of a connection's storage. Ignores a failure from before the connection's creation,
   * because it concerned an earlier connection with the same ID.
   */
  async find(connection: CreatedConnection): Promise<StorageHealthRecord | undefined> {
    return (await this.findAll([connection]))[0];
  }

  /** Finds the last failure of each connection, as `find` does. */
  async findAll(connections: readonly CreatedConnection[]): Promise<(StorageHealthRecord | undefined)[]> {
    const wanted = connections.map(({ data_connection_id }) => keys.storageHealth(data_connection_id));
    const items = await this.table.getMany(wanted);
    return connections.map(({ created_at }, index) => {
      const record = decode(storageHealthRecord, items[index]);
      return record !== undefined && created_at <= record.failed_at ? record : undefined;
    });
  }

  /**
   * Adds a storage failure to the audit trail of the account that owns the connection. Failures of the platform's
   * connections are in no trail, because these connections belong to no account.
   */
  async audit({ data_connection_id, failed_at: time, step, code }: StorageHealthRecord): Promise<void> {
    const connection = await this.table.find(dataConnectionRecord, keys.dataConnection(data_connection_id));
    if (connection?.owner_account_id === undefined || connection.created_at > time) return;
    const event = eventWithoutActor({
      event_id: `storage-${connection.uid}`,
      time,
      kind: 'data_connection.failed',
      account_id: connection.owner_account_id,
      subject: { data_connection_id, step, code },
    });
    await new AuditEventStore(this.table).record(event);
  }
}
