import { shownName } from '../../../lib/pages/site/format.ts';
import { api, type Schemas } from '../api/client.ts';
import { type Column, Lines, List, useList } from '../components/list.tsx';
import { Minute } from '../components/time.tsx';
import { hrefOf } from '../router.ts';
import type { ViewProps } from '../routes.ts';
import { accountColumn, disabledColumns, endingColumn, endingPath } from './listed-parts.tsx';
import { filled, Search, searchIn } from './search.tsx';

/** Lists the disabled accounts and repositories of the site. */
export function View({ query }: ViewProps) {
  const found = searchIn(query, 'search');
  const { search } = found;
  const accounts = useList(
    (page) =>
      api.GET('/administration/accounts', { params: { query: { ...page, ...filled(found), state: 'disabled' } } }),
    [search],
  );
  const repositories = useList(
    (page) => api.GET('/administration/disabled-repositories', { params: { query: { ...page, ...filled(found) } } }),
    [search],
  );
  return (
    <>
      <Search
        path="/administration/disabled"
        search={found}
        fields={[
          {
            name: 'search',
            label: 'Account or repository',
            hint: 'An account ID or name, or account/repository. The beginning is enough.',
          },
        ]}
        all="Show all"
      />
      <section class="block">
        <h3>Accounts</h3>
        <List
          list={accounts}
          label="Disabled accounts"
          columns={[accountColumn, ...disabledColumns, endingColumn(endingPath)]}
          empty={
            search === '' ? 'No account is disabled.' : `No ID or name of a disabled account begins with “${search}”.`
          }
        />
      </section>
      <section class="block">
        <h3>Repositories</h3>
        <p class="soft">Sorted by account. The repositories of a disabled account are not in this list.</p>
        <List
          list={repositories}
          label="Disabled repositories"
          columns={[repositoryColumn, ...disabledColumns, endingColumn(pathOf)]}
          empty={search === '' ? 'No repository is disabled.' : `No disabled repository begins with “${search}”.`}
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
