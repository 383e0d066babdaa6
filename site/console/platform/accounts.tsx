import { formatDay } from '../../../lib/pages/site/format.ts';
import { api } from '../api/client.ts';
import { Lines, List, useList } from '../components/list.tsx';
import { hrefOf } from '../router.ts';
import type { ViewProps } from '../routes.ts';
import { listedFlags } from '../views/account-flags.ts';
import { accountColumn, endingColumn, endingPath } from './listed-parts.tsx';
import { filled, Search, searchIn } from './search.tsx';

/** Lists the accounts of the site. */
export function View({ query }: ViewProps) {
  const found = searchIn(query, 'search');
  const { search } = found;
  const list = useList(
    (page) => api.GET('/administration/accounts', { params: { query: { ...page, ...filled(found) } } }),
    [search],
  );
  return (
    <>
      <p class="lead">All users, organizations and platform logins of this site.</p>
      <Search
        path="/administration"
        search={found}
        fields={[{ name: 'search', label: 'Account ID or name', hint: 'Or the beginning of it.' }]}
        all="Show all accounts"
      />
      <List
        list={list}
        label="Accounts"
        columns={[
          accountColumn,
          {
            title: 'Flags',
            isLabeled: true,
            cell: ({ account_id, account_type, flags }) => (
              <Lines
                of={[
                  listedFlags(flags) || 'None',
                  account_type !== 'service' && <a href={hrefOf(`/accounts/${account_id}/flags`)}>Change</a>,
                ]}
              />
            ),
          },
          { title: 'Since', class: 'day', isLabeled: true, cell: ({ created_at }) => formatDay(created_at) },
          {
            title: 'State',
            isLabeled: true,
            cell: ({ disabled }) => (disabled ? <span class="badge over">disabled</span> : 'Enabled'),
          },
          endingColumn(endingPath),
        ]}
        empty={
          search === ''
            ? 'There is no account yet.'
            : `No account ID and no name begins with “${search}”. A search finds the beginning of a whole name, not each word in it.`
        }
      />
    </>
  );
}
