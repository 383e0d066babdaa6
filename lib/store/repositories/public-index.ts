import { createHash } from 'node:crypto';
import * as z from 'zod';
import { type RepositoryRecord, repositoryRecord } from '../../domain/data/repositories.ts';
import { limits } from '../../domain/limits.ts';
import { decode } from '../codec.ts';
import { changeTo } from '../expressions.ts';
import { type Item, keys, listPosition, lists, sublists } from '../keys.ts';
import { itemsAtOnce, type Table, TableStore } from '../table.ts';
import { isPublic } from './repository-names.ts';

/** The number of shards, so that the catalogue's index stays within the limits of a partition. */
export const catalogueShards = 8;

export function catalogueShard(shard: number): string {
  return `CATALOGUE#${shard}`;
}

/** The index attributes of a public repository, in the catalogue and in the list of its account. */
export const publicIndexAttributes = ['catalogue_pk', 'catalogue_sk', 'sublist_pk', 'sublist_sk'] as const;
type PublicIndexKeys = Record<(typeof publicIndexAttributes)[number], string>;

/** Returns the keys of public repositories only, so that reads of the public lists never touch a hidden one. */
function publicIndexKeys(repository: RepositoryRecord, owner: { disabled: boolean }): PublicIndexKeys | undefined {
  const { account_id, published, repository_id } = repository;
  if (!isPublic(repository) || owner.disabled) return undefined;
  const name = catalogueName(repository);
  const shard = (createHash('sha256').update(name).digest()[0] ?? 0) % catalogueShards;
  return {
    catalogue_pk: catalogueShard(shard),
    catalogue_sk: listPosition(published, name),
    sublist_pk: sublists.visibleRepositories(account_id),
    sublist_sk: listPosition(published, repository_id),
  };
}

/** Returns the wanted keys in the public lists. Missing keys are undefined, so that an update removes them. */
export function wantedPlaces(
  repository: RepositoryRecord,
  owner: { disabled: boolean },
): Record<keyof PublicIndexKeys, string | undefined> {
  const places: Partial<PublicIndexKeys> = publicIndexKeys(repository, owner) ?? {};
  const { catalogue_pk, catalogue_sk, sublist_pk, sublist_sk } = places;
  return { catalogue_pk, catalogue_sk, sublist_pk, sublist_sk };
}

const ownerStatusSchema = z.object({ disabled: z.boolean() });

/** Returns the owner. A missing account counts as enabled. */
async function findOwner(table: Pick<Table, 'get'>, { account_id }: { account_id: string }) {
  return decode(ownerStatusSchema, await table.get(keys.account(account_id))) ?? { disabled: false };
}

export function catalogueName({ account_id, repository_id }: RepositoryRecord): string {
  return `${account_id}/${repository_id}`;
}

/** The number of attempts, because a request may change a repository at the same time. */
const triesMax = 5;

/** Updates the public lists when an account is disabled or enabled, so that readers never read hidden repositories. */
export class PublicIndexStore extends TableStore {
  /** Updates the lists to the account's current state. The stream consumer calls this method and may repeat it. */
  async follow(accountId: string): Promise<void> {
    for await (const items of this.table.listPages('lists', lists.repositories(accountId), limits.listPageMax)) {
      const owner = await findOwner(this.table, { account_id: accountId });
      for (let start = 0; start < items.length; start += itemsAtOnce) {
        // The list is an index and may lag behind recent changes.
        const listed = items.slice(start, start + itemsAtOnce).map((item) => decode(repositoryRecord, item));
        const read = await this.table.getMany(listed.map(keyOf));
        await Promise.all(read.map((item) => this.#place(item, owner)));
      }
    }
  }

  async #place(read: Item | undefined, owner: { disabled: boolean }): Promise<void> {
    for (let item = read, attempt = 1; item !== undefined; attempt += 1) {
      const repository = decode(repositoryRecord, item);
      const wanted = wantedPlaces(repository, owner);
      if (Object.entries(wanted).every(([name, value]) => item?.[name] === value)) return;
      const { state, data_mode, disabled, uid } = repository;
      const key = keyOf(repository);
      const change = changeTo(wanted);
      const condition = { equals: { state, data_mode, disabled, uid } };
      if ((await this.table.update(key, change, condition)) !== undefined) return;
      if (attempt === triesMax) throw new Error(`${catalogueName(repository)} was changed meanwhile, again and again`);
      item = await this.table.get(key);
    }
  }
}

function keyOf({ account_id, repository_id }: RepositoryRecord) {
  return keys.repository(account_id, repository_id);
}
