import * as z from 'zod';
import type { ListedRepositoryStatus, NamesRange, NamesShare } from '../../domain/data/data-access.ts';
import { namePosition } from '../../domain/data/data-lists.ts';
import { repositorySchema } from '../../domain/data/repositories.ts';
import type { ListPage } from '../../domain/list-pages.ts';
import { decode } from '../codec.ts';
import { names } from '../keys.ts';
import { TableStore } from '../table.ts';

const listedRecord = repositorySchema
  .pick({ account_id: true, repository_id: true, state: true, data_mode: true, disabled: true })
  .extend({ uid: z.string() });
/** The attributes of a repository in the index `names`. Reads of the table request the same attributes. */
export const listedAttributes = listedRecord.keyof().options;

export function decodeListedRepository(item: Record<string, unknown>): ListedRepositoryStatus {
  return decode(listedRecord, item);
}

type Visibility = Pick<ListedRepositoryStatus, 'state' | 'data_mode' | 'disabled'>;

/** Returns true if anyone may see the repository while its account is enabled. */
export function isPublic({ state, data_mode, disabled }: Visibility): boolean {
  return !disabled && state === 'listed' && data_mode === 'open';
}

function shareOf(repository: Visibility): NamesShare | undefined {
  if (repository.disabled) return undefined;
  return isPublic(repository) ? 'public' : 'hidden';
}

/**
 * Returns the keys that a repository should have in the index `names`, from which the data proxy lists repositories.
 * Public and hidden repositories have separate partitions.
 */
export function nameIndexKeys(repository: Visibility & { account_id: string; repository_id: string }) {
  const share = shareOf(repository);
  return share === undefined
    ? { name_pk: undefined, name_sk: undefined }
    : { name_pk: names[share](repository.account_id), name_sk: namePosition(repository.repository_id) };
}

/** Reads the repositories of an account, ordered by name. */
export class RepositoryNames extends TableStore {
  /** Returns a page of the account's public or hidden repositories within a range of names. */
  async page(accountId: string, share: NamesShare, range: NamesRange): Promise<ListPage<ListedRepositoryStatus>> {
    const found = await this.table.listPage('names', names[share](accountId), { ...range, after: undefined });
    return { items: found.items.map(decodeListedRepository), next: found.next };
  }
}
