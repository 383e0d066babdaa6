import * as z from 'zod';
import { limits } from '../../domain/limits.ts';
import { everyPage } from '../../domain/list-pages.ts';
import { decode, encode } from '../codec.ts';
import { keys, lists } from '../keys.ts';
import { repositoryRecord } from '../records.ts';
import { findOwner, visibleRepositories, wantedPlaces } from '../repositories/public-index.ts';
import { repositoryCountEntity } from '../repositories/repository-counts.ts';
import { countServiceAccounts } from './counted-service-accounts.ts';
import { attributesOf, type ItemChanges, type Migration, type MigrationContext } from './migration.ts';

const accountItem = z.object({ account_id: z.string() });

/**
 * Lists that anyone may read hold what anyone may see, and nothing else. An older release knows the catalogue alone, and
 * leaves the repositories of a disabled account there. How many an account has, and how many service accounts, is
 * counted when the older release is gone.
 */
export const placesOfVisibleRepositories: Migration = {
  ...visibleRepositories,
  entities: ['repository'],
  async *changes(item, { table }) {
    const repository = decode(repositoryRecord, item);
    yield* attributesOf(item, wantedPlaces(repository, await findOwner(table, repository)));
  },
  finish: {
    entities: ['account'],
    async *changes(item, context) {
      const { account_id } = accountItem.parse(item);
      yield* countRepositories(account_id, context);
      yield* countServiceAccounts(account_id, context);
    },
  },
};

async function* countRepositories(account_id: string, { table }: MigrationContext): AsyncGenerator<ItemChanges> {
  const key = keys.repositoryCount(account_id);
  // Before the repositories: whoever makes one meanwhile changes it, and they are counted again.
  const stored = await table.get(key);
  const pages = everyPage((after) =>
    table.listPage('lists', lists.repositories(account_id), { limit: limits.listPageMax, after }),
  );
  let repository_count = 0;
  for await (const page of pages) repository_count += page.length;
  if (stored !== undefined) yield* attributesOf(stored, { repository_count });
  else if (repository_count > 0)
    yield [{ kind: 'put', item: encode(repositoryCountEntity, { repository_count }, { key }) }];
}
