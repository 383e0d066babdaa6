import { api, type Schemas } from '../api/client.ts';
import { type Column, Lines, List, useList } from '../components/list.tsx';
import { hrefOf } from '../router.ts';
import { ConnectionState, connectionPath, failingSince } from '../storage/connection-parts.tsx';
import { flagLabel, listedModes, placing, usageLabels } from './connection-form.tsx';
import { inUseFirst } from './connection-order.ts';

/** Lists the data connections of the site and of all accounts. */
export function View() {
  const list = useList(
    (query) =>
      api
        .GET('/administration/data-connections', { params: { query } })
        .then((called) => ({ ...called, data: called.data && inUseFirst(called.data) })),
    [],
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
      <List
        list={list}
        label="Data connections"
        columns={columns}
        empty="There is no data connection yet, so nobody can create a repository. Create one first."
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
