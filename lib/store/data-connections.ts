import type { AuditEvent } from '../domain/changes/audit.ts';
import { type DataConnectionRecord, dataConnectionRecord } from '../domain/data/data-connections.ts';
import { conflict, ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { ListPage, ListPageRequest } from '../domain/list-pages.ts';
import { auditWrite } from './audit.ts';
import { encode } from './codec.ts';
import { type Condition, nextVersion } from './expressions.ts';
import { type Item, inList, keys, listPosition, lists } from './keys.ts';
import { TableStore } from './table.ts';
import { countInWindow, put, update, windowOf } from './writes.ts';

export class DataConnectionStore extends TableStore {
  async create(connection: Omit<DataConnectionRecord, 'version'>, event: AuditEvent): Promise<void> {
    await this.table.transact([
      put(
        encodeConnection({ ...connection, version: 1 }),
        { exists: false },
        new ServiceError(
          'data_connection_id_taken',
          `The data connection ID ${connection.data_connection_id} is taken; choose another`,
        ),
      ),
      auditWrite(event),
    ]);
  }

  /** Replaces the connection if it is unchanged. A repository that is placed on it meanwhile keeps its storage. */
  async replace(
    from: DataConnectionRecord,
    to: Omit<DataConnectionRecord, 'version'>,
    event: AuditEvent,
  ): Promise<void> {
    await this.table.transact([
      put(encodeConnection({ ...to, ...nextVersion(from) }), unchangedConnection(from), concurrentChange),
      auditWrite(event),
    ]);
  }

  async setReadOnly(connection: DataConnectionRecord, event: AuditEvent): Promise<void> {
    await this.table.transact([
      update(
        keys.dataConnection(connection.data_connection_id),
        { set: { read_only: true, ...nextVersion(connection) } },
        unchangedConnection(connection),
        concurrentChange,
      ),
      auditWrite(event),
    ]);
  }

  /** Counts and audits a connection test. Throws `throttled` above the limit of one user per minute. */
  async recordTest(event: AuditEvent): Promise<void> {
    await this.table.transact([
      countInWindow({
        key: keys.connectionTests(event.account_id, windowOf(event.time, 'minute')),
        entity: 'connection_tests_tally',
        counter: 'tests',
        max: limits.connectionTestsPerMinuteMax,
        window: 'minute',
        time: event.time,
        sentence: () =>
          `One user tests data connections at most ${limits.connectionTestsPerMinuteMax} times a minute; wait until the next one begins`,
      }),
      auditWrite(event),
    ]);
  }

  /** Returns the list position of a connection. */
  positionOf({ created_at, data_connection_id }: DataConnectionRecord): string {
    return listPosition(created_at, data_connection_id);
  }

  async list(page: ListPageRequest): Promise<ListPage<DataConnectionRecord>> {
    return this.table.list(dataConnectionRecord, 'lists', lists.dataConnections(), page);
  }
}

const concurrentChange = conflict('The data connection was changed at the same time; read it and try again');

/** Also fails after the first placement: `in_use` limits changes but does not raise the version. */
function unchangedConnection(read: DataConnectionRecord): Condition {
  const { version, in_use } = read;
  return { equals: { version, in_use } };
}

function encodeConnection(connection: DataConnectionRecord): Item {
  return encode('data_connection', connection, {
    key: keys.dataConnection(connection.data_connection_id),
    list: inList(lists.dataConnections(), connection.created_at, connection.data_connection_id),
  });
}
