import { createHash } from 'node:crypto';
import type { AuditEvent } from '../domain/audit.ts';
import type { DataConnectionRecord } from '../domain/data-connections.ts';
import { ServiceError } from '../domain/errors.ts';
import type { Repository } from '../domain/repositories.ts';
import { auditWrite } from './audit.ts';
import { decode, encode } from './codec.ts';
import { keys, listPosition, lists } from './keys.ts';
import { repositoryRecord } from './records.ts';
import type { Item, Page, PageRequest, Table, Write } from './table.ts';

export class RepositoryStore {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** The repository, its place in storage and the connection's first use stand or fall together. */
  async create(repository: Repository, connection: DataConnectionRecord, event: AuditEvent): Promise<void> {
    const { account_id, repository_id } = repository;
    const mirror = repository.data.mirrors[repository.data.primary_mirror];
    if (mirror === undefined) throw new Error('a repository is created with its primary mirror');
    await this.#table.transact([
      {
        kind: 'put',
        item: encodeRepository(repository),
        condition: { exists: false },
        refusal: new ServiceError(
          'conflict',
          `The repository ${account_id}/${repository_id} is there already; choose another ID`,
        ),
      },
      {
        kind: 'put',
        item: encode(
          'prefix',
          { account_id, repository_id },
          { key: keys.prefix(mirror.data_connection_id, mirror.prefix) },
        ),
        condition: { exists: false },
        refusal: new ServiceError(
          'conflict',
          'Another repository has this place in the data connection; choose another',
        ),
      },
      // Written once for a connection: afterwards it only has to be there, and creates do not collide on its item.
      ...(connection.in_use ? [] : [firstUse(connection)]),
      auditWrite(event),
    ]);
  }

  async setDisabled(repository: Repository, disabled: boolean, event: AuditEvent): Promise<void> {
    await this.#replace({ ...repository, disabled }, event);
  }

  async update(repository: Repository, change: Pick<Repository, 'meta' | 'state'>, event: AuditEvent): Promise<void> {
    await this.#replace({ ...repository, ...change }, event);
  }

  /** Oldest first. */
  async list(accountId: string, page: PageRequest): Promise<Page<Repository>> {
    const found = await this.#table.listPage('lists', lists.repositories(accountId), page);
    return { items: found.items.map((item) => decode(repositoryRecord, item)), next: found.next };
  }

  async #replace(repository: Repository, event: AuditEvent): Promise<void> {
    const { account_id, repository_id, meta, state, disabled } = repository;
    const place = cataloguePlace(repository);
    await this.#table.transact([
      {
        kind: 'update',
        key: keys.repository(account_id, repository_id),
        change: {
          set: { meta, state, disabled, ...(place ?? {}) },
          remove: place === undefined ? ['catalogue_pk', 'catalogue_sk'] : [],
        },
        condition: { exists: true },
      },
      auditWrite(event),
    ]);
  }
}

function encodeRepository(repository: Repository): Item {
  return {
    ...encode('repository', repository, {
      key: keys.repository(repository.account_id, repository.repository_id),
      list: {
        partition: lists.repositories(repository.account_id),
        position: listPosition(repository.published, repository.repository_id),
      },
    }),
    ...(cataloguePlace(repository) ?? {}),
  };
}

/** Shards keep the catalogue's index away from the limits of one partition. */
export const catalogueShards = 8;

function cataloguePlace(repository: Repository): { catalogue_pk: string; catalogue_sk: string } | undefined {
  if (repository.disabled || repository.state !== 'listed' || repository.data_mode !== 'open') return undefined;
  const name = `${repository.account_id}/${repository.repository_id}`;
  const shard = (createHash('sha256').update(name).digest()[0] ?? 0) % catalogueShards;
  return { catalogue_pk: `CATALOGUE#${shard}`, catalogue_sk: listPosition(repository.published, name) };
}

function firstUse(connection: DataConnectionRecord): Write {
  return {
    kind: 'update',
    key: keys.dataConnection(connection.data_connection_id),
    change: { set: { in_use: true } },
    condition: { exists: true, equals: { details: connection.details } },
    refusal: new ServiceError('conflict', 'The data connection was changed at the same time; try again'),
  };
}
