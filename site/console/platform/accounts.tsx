import { useState } from 'preact/hooks';
import { formatDay } from '../../../lib/pages/site/format.ts';
import { api } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { Form } from '../components/form.tsx';
import { Lines, List, useList } from '../components/list.tsx';
import { goTo, hrefOf } from '../router.ts';
import type { ViewProps } from '../routes.ts';
import { listedFlags } from '../views/account-flags.ts';
import { accountColumn, endingColumn, endingPath } from './listed-parts.tsx';

/** Lists the accounts of the site. The search is in the URL, so that administrators can share it. */
export function View({ query }: ViewProps) {
  const search = query.get('search') ?? '';
  const list = useList(
    (page) => api.GET('/administration/accounts', { params: { query: { ...page, ...(search && { search }) } } }),
    [search],
  );
  return (
    <>
      <p class="lead">All users, organizations and platform logins of this site.</p>
      <div class="filters">
        <Search key={search} search={search} />
      </div>
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

function Search({ search }: { search: string }) {
  const [values, setValues] = useState({ search });
  const show = (text: string) =>
    goTo(text === '' ? '/administration' : `/administration?${new URLSearchParams({ search: text })}`);
  return (
    <Form
      onSubmit={async () => show(values.search.trim())}
      submitLabel="Search"
      losesNothing
      values={values}
      onChange={setValues}
      fields={[
        {
          name: 'search',
          label: 'Account ID or name',
          isVerbatim: true,
          maxLength: 128,
          hint: 'Or the beginning of it.',
        },
        search !== '' && (
          <p>
            <Button kind="plain" label="Show all accounts" onClick={() => show('')} />
          </p>
        ),
      ]}
    />
  );
}
