import { formatDay } from '../../../lib/pages/site/format.ts';
import { api } from '../api/client.ts';
import { Lines, List, useList } from '../components/list.tsx';
import { hrefOf } from '../router.ts';
import type { AccountViewProps } from '../routes.ts';
import { describeAudience, modeTerm } from './data-modes.ts';
import { FileDeletions } from './file-deletions.tsx';

/** Lists the repositories of an account. */
export function View({ account: scope }: AccountViewProps) {
  const { account_id, account, may } = scope;
  const list = useList(
    (query) => api.GET('/repositories/{account_id}', { params: { path: { account_id }, query } }),
    [account_id],
  );
  const mayCreate = may('createRepository') && account?.account_type !== 'service';
  return (
    <>
      {mayCreate && (
        <p>
          <a class="button" href={hrefOf(`/accounts/${account_id}/new-repository`)}>
            New repository
          </a>
        </p>
      )}
      <FileDeletions account={scope} />
      <List
        list={list}
        label="Repositories"
        columns={[
          {
            title: 'Repository',
            cell: ({ repository_id: id, meta }) => (
              <Lines of={[<a href={hrefOf(`/repositories/${account_id}/${id}`)}>{meta.title || id}</a>, id]} />
            ),
          },
          {
            title: modeTerm,
            isLabeled: true,
            cell: (each) => (each.disabled ? 'Disabled: nobody' : describeAudience(each)),
          },
          {
            title: 'Updated',
            class: 'when',
            isLabeled: true,
            cell: (each) => formatDay(each.updated ?? each.published),
          },
        ]}
        empty={
          mayCreate
            ? 'There is no repository yet. Create one for each data set. It gets its own URL.'
            : 'There is no repository that you can read.'
        }
      />
    </>
  );
}
