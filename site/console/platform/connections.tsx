import { answerOf, api, pageQuery, type Schemas } from '../api/client.ts';
import { List, useList } from '../components/list.tsx';
import { Loaded, useLoading } from '../components/loaded.tsx';
import { hrefOf } from '../router.ts';
import { flagLabel, listedModes, placing, usageLabels } from './connection-labels.ts';
import { inUseFirst } from './connection-order.ts';
import { loadPlatformPermissions } from './permissions.ts';

type Connection = Schemas['DataConnection'];

/** Lists the data connections. */
export function View() {
  const permissions = useLoading(loadPlatformPermissions, []);
  const list = useList(
    (cursor) =>
      answerOf(api.GET('/data-connections', { params: { query: pageQuery(cursor) } })).then(({ data, ...page }) => ({
        ...page,
        data: inUseFirst(data),
      })),
    [],
  );
  const row = ({ data_connection_id, name, details, read_only, allowed_data_modes, required_flag }: Connection) => (
    <>
      <td>
        <a href={hrefOf(`/data-connections/${data_connection_id}`)}>{name}</a>
        <br />
        <span class="soft">{data_connection_id}</span>
      </td>
      <td>
        <code>
          {details.bucket}/{details.base_prefix}
        </code>
        <br />
        <span class="soft">{details.endpoint ?? `Amazon S3, ${details.region}`}</span>
      </td>
      <td>
        {usageLabels(read_only ? 'yes' : 'no')}
        <br />
        <span class="soft">{listedModes(allowed_data_modes)}</span>
      </td>
      <td>{flagLabel(required_flag)}</td>
    </>
  );
  return (
    <>
      <p class="lead">
        Repositories are placed on data connections: a bucket and a place in it, with credentials that only the data
        proxy uses.
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
        columns={['Connection', 'Where', 'What for', placing]}
        row={row}
        empty={<p>There is no data connection yet, so nobody can make a repository. Make one first.</p>}
      />
    </>
  );
}
