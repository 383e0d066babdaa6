import { api, type Schemas } from '../api/client.ts';
import { type Column, Lines, List, useList } from '../components/list.tsx';
import { Loaded, useLoading } from '../components/loaded.tsx';
import { hrefOf } from '../router.ts';
import { flagLabel, listedModes, placing, usageLabels } from './connection-form.tsx';
import { inUseFirst } from './connection-order.ts';
import { loadPlatformPermissions } from './permissions.ts';

/** Lists the data connections. */
export function View() {
  const permissions = useLoading(loadPlatformPermissions, []);
  const list = useList(
    (query) =>
      api
        .GET('/data-connections', { params: { query } })
        .then((called) => ({ ...called, data: called.data && inUseFirst(called.data) })),
    [],
  );
  return (
    <>
      <p class="lead">
        A data connection is a bucket with a base prefix for the data of repositories. Only the data proxy uses its
        credentials.
      </p>
      <Loaded loading={permissions}>
        {(may) =>
          may('createDataConnection') && (
            <p>
              <a class="button" href={hrefOf('/new-data-connection')}>
                New data connection
              </a>
            </p>
          )
        }
      </Loaded>
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
    cell: ({ data_connection_id, name }) => (
      <Lines of={[<a href={hrefOf(`/data-connections/${data_connection_id}`)}>{name}</a>, data_connection_id]} />
    ),
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
    cell: ({ owner_account_id: owner, required_flag }) =>
      owner === undefined ? flagLabel(required_flag) : `Owners and maintainers of ${owner}`,
  },
];
