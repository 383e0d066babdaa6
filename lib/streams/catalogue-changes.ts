import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { TableChange } from '../domain/changes/table-changes.ts';
import type { SearchChange } from '../domain/data/search-entries.ts';
import { entryOf } from '../search/entry.ts';
import type { Store } from '../store/store.ts';

interface RepositoryName {
  account_id: string;
  repository_id: string;
}

const repositoryItem = z.object({
  entity: z.literal('repository'),
  account_id: z.string(),
  repository_id: z.string(),
  /** The partition of the index `catalogue`. Present while the repository is in the public catalogue. */
  catalogue_pk: z.string().optional(),
  meta: z.unknown(),
  published: z.unknown(),
  updated: z.unknown(),
  contents: z.unknown().optional(),
});

/** Returns the repository if a change created, changed, or deleted its catalogue entry. */
export function changedInCatalogue({ before, after }: TableChange): RepositoryName | undefined {
  const [was, is] = [repositoryItem.safeParse(before).data, repositoryItem.safeParse(after).data];
  const named = is ?? was;
  if (named === undefined || (was?.catalogue_pk ?? is?.catalogue_pk) === undefined) return undefined;
  if (isDeepStrictEqual(was, is)) return undefined;
  return { account_id: named.account_id, repository_id: named.repository_id };
}

/**
 * Writes the current state of the repositories to the search index. Late and repeated calls do no harm, because each
 * call reads the state again.
 */
export async function recordInSearch(
  names: readonly RepositoryName[],
  { repositoryLists, searchIndex }: Pick<Store, 'repositoryLists' | 'searchIndex'>,
  batchId: string,
  now: number,
): Promise<void> {
  if (names.length === 0) return;
  const found = await repositoryLists.placedInCatalogue(names);
  const changes = names.map(({ account_id, repository_id }, at): SearchChange => {
    const repository = found[at];
    return { account_id, repository_id, ...(repository === undefined ? {} : { entry: entryOf(repository) }) };
  });
  await searchIndex.recordChanges(changes, batchId, now);
}
