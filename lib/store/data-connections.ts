import type { AuditEvent } from '../domain/changes/audit.ts';
import type { DataConnectionRecord } from '../domain/data/data-connections.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { ListPage, ListPageRequest } from '../domain/list-pages.ts';
import { auditWrite } from './audit.ts';
import { decode, encode } from './codec.ts';
import type { Condition } from './expressions.ts';
import { keys, listPosition, lists } from './keys.ts';
import { dataConnectionRecord } from './records.ts';
import type { Item, Table } from './table.ts';
import { countedInWindow, windowOf } from './tallies.ts';
import { raised } from './versions.ts';

export class DataConnectionStore {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async create(connection: Omit<DataConnectionRecord, 'version'>, event: AuditEvent): Promise<void> {
    await this.#table.transact([
      {
        kind: 'put',
        item: encodeConnection({ ...connection, version: 1 }),
        condition: { exists: false },
        refusal: new ServiceError(
          'data_connection_id_taken',
          `The data connection ID ${connection.data_connection_id} is taken; choose another`,
        ),
      },
      auditWrite(event),
    ]);
  }

  /**
   * Replaces the connection if it is unchanged. A repository that is placed on it at the same time keeps its storage.
   */
  async replace(
    from: DataConnectionRecord,
    to: Omit<DataConnectionRecord, 'version'>,
    event: AuditEvent,
  ): Promise<void> {
    await this.#table.transact([
      {
        kind: 'put',
        item: encodeConnection({ ...to, ...raised(from) }),
        condition: unchangedConnection(from),
        refusal: changedMeanwhile,
      },
      auditWrite(event),
    ]);
  }

  async setReadOnly(connection: DataConnectionRecord, event: AuditEvent): Promise<void> {
    await this.#table.transact([
      {
        kind: 'update',
        key: keys.dataConnection(connection.data_connection_id),
        change: { set: { read_only: true, ...raised(connection) } },
        condition: unchangedConnection(connection),
        refusal: changedMeanwhile,
      },
      auditWrite(event),
    ]);
  }

  /**
   * Counts and audits a connection test in one transaction. Throws `throttled` above the limit of one user per minute.
   */
  async recordTest(event: AuditEvent): Promise<void> {
    await this.#table.transact([
      countedInWindow({
        key: keys.connectionTests(event.account_id, windowOf(event.time, 'minute')),
        entity: 'connection_tests_tally',
        counter: 'tests',
        max: limits.connectionTestsPerMinuteMax,
        window: 'minute',
        time: event.time,
        sentence: () =>
          `One person tests data connections at most ${limits.connectionTestsPerMinuteMax} times a minute; wait until the next one begins`,
      }),
      auditWrite(event),
    ]);
  }

  /** Returns the list position of a connection. */
  positionOf({ created_at, data_connection_id }: DataConnectionRecord): string {
    return listPosition(created_at, data_connection_id);
  }

  async list(page: ListPageRequest): Promise<ListPage<DataConnectionRecord>> {
    const found = await this.#table.listPage('lists', lists.dataConnections(), page);
    return { items: found.items.map((item) => decode(dataConnectionRecord, item)), next: found.next };
  }
}

const changedMeanwhile = new ServiceError(
  'concurrent_change',
  'The data connection was changed at the same time; read it and try again',
);

/**
 * Also fails when the first repository was placed on the connection. `in_use` limits later changes but does not raise
 * the version.
 */
function unchangedConnection(read: DataConnectionRecord): Condition {
  const { version, in_use } = read;
  return { equals: { version, in_use } };
}

function encodeConnection(connection: DataConnectionRecord): Item {
  return encode('data_connection', connection, {
    key: keys.dataConnection(connection.data_connection_id),
    list: {
      partition: lists.dataConnections(),
      position: listPosition(connection.created_at, connection.data_connection_id),
    },
  });
}
