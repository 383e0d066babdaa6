import { shownName } from '../../../lib/pages/site/format.ts';
import { api, type Schemas } from '../api/client.ts';
import { type Column, Lines, List, useList } from '../components/list.tsx';
import { Minute } from '../components/time.tsx';
import { hrefOf } from '../router.ts';
import { accountColumn, disabledColumns, endingColumn, endingPath } from './listed-parts.tsx';

/** Lists the disabled accounts and repositories of the site. */
export function View() {
  const accounts = useList(
    (query) => api.GET('/administration/accounts', { params: { query: { ...query, state: 'disabled' } } }),
    [],
  );
  const repositories = useList((query) => api.GET('/administration/disabled-repositories', { params: { query } }), []);
  return (
    <>
      <section class="block">
        <h3>Accounts</h3>
        <List
          list={accounts}
          label="Disabled accounts"
          columns={[accountColumn, ...disabledColumns, endingColumn(endingPath)]}
          empty="No account is disabled."
        />
      </section>
      <section class="block">
        <h3>Repositories</h3>
        <p class="soft">The last disabled one first. The repositories of a disabled account are not in this list.</p>
        <List
          list={repositories}
          label="Disabled repositories"
          columns={[repositoryColumn, ...disabledColumns, endingColumn(pathOf)]}
          empty="No repository is disabled."
        />
      </section>
    </>
  );
}

type Repository = Schemas['DisabledRepository'];

const pathOf = ({ account_id, repository_id }: Repository) => `/repositories/${account_id}/${repository_id}`;

const repositoryColumn: Column<Repository> = {
  title: 'Repository',
  cell: (each) => (
    <Lines
      of={[
        <a href={hrefOf(pathOf(each))}>
          <bdi>{shownName(each.meta.title || each.repository_id)}</bdi>
        </a>,
        `${each.account_id}/${each.repository_id}`,
        each.delete_at !== undefined && (
          <>
            Will be deleted after <Minute time={Date.parse(each.delete_at)} />
          </>
        ),
      ]}
    />
  ),
};
