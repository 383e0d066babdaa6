import { api, type Schemas } from '../api/client.ts';
import { type Column, Lines, List, useList } from '../components/list.tsx';
import { hrefOf } from '../router.ts';
import type { ViewProps } from '../routes.ts';
import { ConnectionState, connectionPath, failingSince } from '../storage/connection-parts.tsx';
import { flagLabel, listedModes, placing, usageLabels } from './connection-form.tsx';
import { inUseFirst } from './connection-order.ts';
import { filled, Search, searchIn } from './search.tsx';

/** Lists the data connections of the site and of all accounts. */
export function View({ query }: ViewProps) {
  const found = searchIn(query, 'search');
  const { search } = found;
  const list = useList(
    (page) =>
      api
        .GET('/administration/data-connections', { params: { query: { ...page, ...filled(found) } } })
        .then((called) => ({ ...called, data: called.data && inUseFirst(called.data) })),
    [search],
  );
  return (
    <>
      <p class="lead">
        A data connection is a bucket with a base prefix for the data of repositories. Only the data proxy uses its
        credentials.
      </p>
      <p>
        <a class="button" href={hrefOf('/new-data-connection')}>
          New data connection
        </a>
      </p>
      <Search
        path="/administration/connections"
        search={found}
        fields={[
          {
            name: 'search',
            label: 'Connection or account',
            hint: 'The start of a connection’s name or ID, or an account ID.',
            isAccount: true,
          },
        ]}
        all="Show all connections"
      />
      <List
        list={list}
        label="Data connections"
        columns={columns}
        empty={
          search === ''
            ? 'There is no data connection yet, so nobody can create a repository. Create one first.'
            : `No connection’s name or ID begins with “${search}”, and no account with this ID has a connection.`
        }
      />
    </>
  );
}

const columns: readonly Column<Schemas['DataConnection']>[] = [
  {
    title: 'Connection',
    cell: ({ data_connection_id: id, name, owner_account_id: owner }) => (
      <Lines
        of={[
          <a href={hrefOf(owner === undefined ? `/data-connections/${id}` : connectionPath(owner, id))}>{name}</a>,
          id,
        ]}
      />
    ),
  },
  {
    title: 'State',
    cell: (each) => <Lines of={[<ConnectionState {...each} isUsed />, failingSince(each)]} />,
  },
  {
    title: 'Location',
    cell: ({ details: { bucket, base_prefix, endpoint, region } }) => (
      <Lines of={[<code>{`${bucket}/${base_prefix}`}</code>, endpoint ?? `Amazon S3, ${region}`]} />
    ),
  },
  {
    title: 'Use',
    cell: ({ read_only, allowed_data_modes }) => (
      <Lines of={[usageLabels(read_only ? 'yes' : 'no'), listedModes(allowed_data_modes)]} />
    ),
  },
  {
    title: placing,
    isLabeled: true,
    cell: ({ owner_account_id: owner, required_flag }) =>
      owner === undefined ? (
        flagLabel(required_flag)
      ) : (
        <>
          Owners and maintainers of <a href={hrefOf(`/accounts/${owner}`)}>{owner}</a>
        </>
      ),
  },
];
