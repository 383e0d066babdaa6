import { counted, formatBytes, formatCount, formatDay } from '../../../lib/pages/site/format.ts';
import { answerOf, api, type Schemas } from '../api/client.ts';
import { Bounded } from '../components/bounded.tsx';
import { Button } from '../components/button.tsx';
import { Lines, Table } from '../components/list.tsx';
import { Loaded, type Loading } from '../components/loaded.tsx';
import { hrefOf } from '../router.ts';
import { describeAudience, modeTerm } from '../views/data-modes.ts';
import { accountsRead, type Membership, type OwnAccount } from './scope.ts';

export type Repository = Schemas['ListedRepository'];

export interface Repositories {
  /** The repositories of the user's accounts, and those shared with the user. The last changed repository is first. */
  rows: readonly Repository[];
  /** The accounts whose list of repositories could not be loaded. */
  failed: readonly string[];
  /** The accounts with more repositories than the dashboard reads. */
  unread: readonly string[];
}

const readPerAccount = 100;
const shownAtFirst = 10;

/** Loads the first repositories of each account. Throws `Problem` if no list can be loaded. */
export async function loadRepositories(
  accounts: readonly OwnAccount[],
  shared: readonly Membership[],
): Promise<Repositories> {
  const own = new Set(accounts.map(({ account_id }) => account_id));
  const all = [...new Set([...own, ...shared.map(({ membership_account_id }) => membership_account_id)])];
  const read = all.slice(0, accountsRead);
  const query = { limit: readPerAccount };
  const lists = await Promise.allSettled(
    read.map((account_id) =>
      answerOf(api.GET('/repositories/{account_id}', { params: { path: { account_id }, query } })),
    ),
  );
  const loaded = lists.flatMap((list) => (list.status === 'fulfilled' ? [list.value] : []));
  const [failure] = lists.flatMap((list) => (list.status === 'rejected' ? [list.reason] : []));
  if (loaded.length === 0 && failure !== undefined) throw failure;
  const isShared = ({ account_id, repository_id }: Repository) =>
    shared.some((each) => each.membership_account_id === account_id && each.repository_id === repository_id);
  // Omit repositories that are not shared with the user, because the list of another account also contains its public
  // repositories.
  const rows = loaded.flatMap(({ data }) => data).filter((each) => own.has(each.account_id) || isShared(each));
  return {
    rows: rows.toSorted((a, b) => lastChangeOf(b).localeCompare(lastChangeOf(a))),
    failed: read.filter((_, at) => lists[at]?.status === 'rejected'),
    unread: [...read.filter((_, at) => hasMore(lists[at])), ...all.slice(accountsRead)],
  };
}

function hasMore(list: PromiseSettledResult<{ next: string | undefined }> | undefined): boolean {
  return list?.status === 'fulfilled' && list.value.next !== undefined;
}

/**
 * Returns the time of the last change of a repository's metadata or files. Without a file count, only the metadata is
 * considered.
 */
function lastChangeOf({ published, updated = published, contents }: Repository): string {
  const { newest_change: newest = '' } = contents ?? {};
  return newest > updated ? newest : updated;
}

export const pathOf = ({ account_id, repository_id }: Pick<Repository, 'account_id' | 'repository_id'>) =>
  `/repositories/${account_id}/${repository_id}`;
export const titleOf = ({ meta, repository_id }: Repository) => meta.title || repository_id;

interface OwnRepositoriesProps {
  loading: Loading<Repositories>;
  mayWrite: (repository: Repository) => boolean;
}

/** Lists the repositories of all accounts of the user. */
export function OwnRepositories({ loading, mayWrite }: OwnRepositoriesProps) {
  return (
    <section class="block">
      <h2>Repositories</h2>
      <Loaded loading={loading}>
        {({ rows, failed, unread }) => (
          <>
            {failed.length > 0 && (
              <div class="notice problem" role="alert">
                <p>The repositories of {failed.join(', ')} could not be loaded.</p>
                <Button kind="plain" label="Try again" onClick={() => void loading.reload()} />
              </div>
            )}
            {rows.length === 0 ? (
              failed.length === 0 && (
                <div class="empty">
                  <p>There is no repository yet. Create one for each data set. It gets its own URL.</p>
                </div>
              )
            ) : (
              <Bounded items={rows} max={shownAtFirst} of="repositories">
                {(shown) => <RepositoryTable rows={shown} mayWrite={mayWrite} />}
              </Bounded>
            )}
            {unread.length > 0 && (
              <p class="soft">
                Some repositories of{' '}
                {unread.slice(0, accountsRead).map((account_id, at) => (
                  <>
                    {at > 0 && ', '}
                    <a href={hrefOf(`/accounts/${account_id}`)}>{account_id}</a>
                  </>
                ))}{' '}
                are not shown here.
              </p>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

function RepositoryTable({ rows, mayWrite }: { rows: readonly Repository[] } & Pick<OwnRepositoriesProps, 'mayWrite'>) {
  return (
    <Table
      label="Repositories"
      items={rows}
      columns={[
        {
          title: 'Repository',
          cell: (each) => (
            <Lines
              of={[<a href={hrefOf(pathOf(each))}>{titleOf(each)}</a>, `${each.account_id}/${each.repository_id}`]}
            />
          ),
        },
        {
          title: modeTerm,
          isLabeled: true,
          cell: (each) => (each.disabled ? 'Disabled: nobody' : describeAudience(each)),
        },
        { title: 'Size', isLabeled: true, cell: sizeOf },
        { title: 'Last change', class: 'day', isLabeled: true, cell: (each) => formatDay(lastChangeOf(each)) },
        {
          title: 'Actions',
          cell: (each) =>
            !each.disabled &&
            mayWrite(each) && (
              <a class="small" href={hrefOf(`${pathOf(each)}/files`)} aria-label={`Upload to ${titleOf(each)}`}>
                Upload
              </a>
            ),
        },
      ]}
    />
  );
}

function sizeOf({ contents }: Repository) {
  if (contents === undefined) return <span class="soft">Not counted yet</span>;
  const { files, bytes, is_complete } = contents;
  if (!is_complete) return `more than ${formatBytes(bytes)}, ${formatCount(files)} files`;
  return files === 0 ? <span class="soft">Empty</span> : `${formatBytes(bytes)}, ${counted(files, 'file')}`;
}
