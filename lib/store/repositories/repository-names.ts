import * as z from 'zod';
import type { ListedRepositoryStatus, NamesRange, NamesShare } from '../../domain/data/data-access.ts';
import { namePosition } from '../../domain/data/data-lists.ts';
import { repositorySchema } from '../../domain/data/repositories.ts';
import { limits } from '../../domain/limits.ts';
import { everyPage, type ListPage } from '../../domain/list-pages.ts';
import { decode } from '../codec.ts';
import { lists, names } from '../keys.ts';
import type { FinishedMigrations } from '../migrations/finished-migrations.ts';
import type { Table } from '../table.ts';

/** By its name: the migration itself has no place in what answers requests. */
export const namesOfRepositories = { name: '0010-names-of-repositories' } as const;

const listedRecord = repositorySchema
  .pick({ account_id: true, repository_id: true, state: true, data_mode: true, disabled: true })
  .extend({ uid: z.string().optional() });
/** What the index has of a repository, and what is read of it in other places. */
export const listedAttributes = listedRecord.keyof().options;

export function decodeListedRepository(item: Record<string, unknown>): ListedRepositoryStatus {
  return decode(listedRecord, item);
}

type Visibility = Pick<ListedRepositoryStatus, 'state' | 'data_mode' | 'disabled'>;

/** Whether anyone may see it while its account is enabled. */
export function isPublic({ state, data_mode, disabled }: Visibility): boolean {
  return !disabled && state === 'listed' && data_mode === 'open';
}

function shareOf(repository: Visibility): NamesShare | undefined {
  if (repository.disabled) return undefined;
  return isPublic(repository) ? 'public' : 'hidden';
}

/**
 * Where lists of the data proxy find it, as it should be: what anyone may see apart from the rest, so that nobody who may
 * not see that reads it. Nothing is said of the account, at which every list looks.
 */
export function wantedName(repository: Visibility & { account_id: string; repository_id: string }) {
  const share = shareOf(repository);
  return share === undefined
    ? { name_pk: undefined, name_sk: undefined }
    : { name_pk: names[share](repository.account_id), name_sk: namePosition(repository.repository_id) };
}

/** The repositories of an account by their names. */
export class RepositoryNames {
  readonly #table: Table;
  readonly #migrations: Pick<FinishedMigrations, 'isFinished'>;

  constructor(table: Table, migrations: Pick<FinishedMigrations, 'isFinished'>) {
    this.#table = table;
    this.#migrations = migrations;
  }

  /**
   * The first of a share in a range. While the migration is not finished an older release may have made some without their
   * entries, so that all of the account's are read and those of the range picked out.
   */
  async page(accountId: string, share: NamesShare, range: NamesRange): Promise<ListPage<ListedRepositoryStatus>> {
    const [isFinished, found] = await Promise.all([
      this.#migrations.isFinished(namesOfRepositories),
      this.#table.listPage('names', names[share](accountId), { ...range, after: undefined }),
    ]);
    if (!isFinished) return pageOf(await this.#readAll(accountId), share, range);
    return { items: found.items.map(decodeListedRepository), next: found.next };
  }

  async #readAll(accountId: string): Promise<ListedRepositoryStatus[]> {
    const page = { limit: limits.listPageMax, attributes: listedAttributes };
    const all: ListedRepositoryStatus[] = [];
    const read = (after: string | undefined) =>
      this.#table.listPage('lists', lists.repositories(accountId), { ...page, after });
    for await (const items of everyPage(read)) all.push(...items.map(decodeListedRepository));
    return all;
  }
}

function pageOf(all: readonly ListedRepositoryStatus[], share: NamesShare, { from, to, limit }: NamesRange) {
  const due = all
    .filter((repository) => shareOf(repository) === share)
    .map((repository) => ({ repository, position: namePosition(repository.repository_id) }))
    .filter(({ position }) => position >= from && position <= to)
    .sort((a, b) => (a.position < b.position ? -1 : 1));
  const shown = due.slice(0, limit);
  return {
    items: shown.map(({ repository }) => repository),
    next: shown.length < due.length ? shown.at(-1)?.position : undefined,
  };
}
