import { counted } from '../../../lib/pages/site/format.ts';
import { answerOf, api, pageQuery, type Schemas } from '../api/client.ts';

export type PlacedRepository = Schemas['ListedRepository'];

/** The repositories of an account, by the data connection that stores them. */
export interface Usage {
  repositoriesOn: (data_connection_id: string) => readonly PlacedRepository[];
  /** True when the account has more repositories than this view reads. */
  isCut: boolean;
}

/**
 * The maximum number of list pages that the view reads. Together they hold more repositories than an account has by
 * default.
 */
const pagesMax = 10;

export async function loadUsage(account_id: string): Promise<Usage> {
  const all: PlacedRepository[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const params = { path: { account_id }, query: pageQuery(cursor) };
    const { data, next } = await answerOf(api.GET('/repositories/{account_id}', { params }));
    all.push(...data);
    cursor = next;
    pages += 1;
  } while (cursor !== undefined && pages < pagesMax);
  const byConnection = Map.groupBy(all, ({ data: { primary_mirror, mirrors } }) => {
    return mirrors[primary_mirror]?.data_connection_id;
  });
  return { repositoriesOn: (id) => byConnection.get(id) ?? [], isCut: cursor !== undefined };
}

/** Describes how many repositories are on a connection. */
export function countOf({ length }: readonly unknown[], { isCut }: Usage): string {
  const count = length === 0 ? 'none' : counted(length, 'repository', 'repositories');
  return isCut ? `${count} among the first ${pagesMax * 100}` : count;
}
