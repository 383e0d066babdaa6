import { api, type Schemas } from '../api/client.ts';
import { type Column, Lines, List, useList } from '../components/list.tsx';
import { useLoading } from '../components/loaded.tsx';
import { usageLabels } from '../platform/connection-form.tsx';
import { hrefOf } from '../router.ts';
import type { AccountViewProps } from '../routes.ts';
import { ConnectionState, connectionPath, connectPath, describeAccess, failingSince } from './connection-parts.tsx';
import { describeLocation } from './providers.ts';
import { countOf, loadUsage, type Usage } from './usage.ts';

type Connection = Schemas['DataConnection'];

/** Lists the storage that an account has connected. */
export function View({ account: { account_id, name, may } }: AccountViewProps) {
  const list = useList(
    (query) => api.GET('/accounts/{account_id}/data-connections', { params: { path: { account_id }, query } }),
    [account_id],
  );
  const loaded = useLoading(() => loadUsage(account_id), [account_id]).state.value;
  const usage = loaded.kind === 'ready' ? loaded.value : undefined;
  const state = list.state.value;
  const isEmpty = state.kind === 'ready' && state.value.items.length === 0;
  const mayConnect = may('createAccountDataConnection');
  const connect = (
    <a class="button" href={hrefOf(connectPath(account_id))}>
      Connect storage
    </a>
  );
  return (
    <>
      <p class="lead">Storage that belongs to {name}. Only repositories of this account can use it.</p>
      {!mayConnect && (
        <p class="notice">
          Only owners and maintainers of this account can connect and change its storage. As an administrator, you can
          make it read-only.
        </p>
      )}
      {mayConnect && !isEmpty && <p>{connect}</p>}
      <List
        list={list}
        label="Storage"
        columns={columnsFor(account_id, usage)}
        empty={
          <>
            <p>
              This account has no storage of its own, so its repositories are in the storage of this site. Connect a
              bucket that you own to keep the data in your own cloud account.
            </p>
            {mayConnect && <p>{connect}</p>}
          </>
        }
      />
    </>
  );
}

/** @param usage undefined while it is loading */
function columnsFor(account_id: string, usage: Usage | undefined): readonly Column<Connection>[] {
  const repositoriesOn = ({ data_connection_id }: Connection) => usage?.repositoriesOn(data_connection_id) ?? [];
  return [
    {
      title: 'Storage',
      cell: ({ data_connection_id: id, name }) => (
        <Lines of={[<a href={hrefOf(connectionPath(account_id, id))}>{name}</a>, id]} />
      ),
    },
    {
      title: 'Location',
      class: 'lines',
      cell: ({ details }) => (
        <Lines of={[<code>{`${details.bucket}/${details.base_prefix}`}</code>, describeLocation(details)]} />
      ),
    },
    {
      title: 'Access',
      isLabeled: true,
      cell: (each) => <Lines of={[describeAccess(each), usageLabels(each.read_only ? 'yes' : 'no')]} />,
    },
    {
      title: 'State',
      cell: (each) => (
        <Lines
          of={[
            <ConnectionState {...each} isUsed={usage === undefined || repositoriesOn(each).length > 0} />,
            failingSince(each),
          ]}
        />
      ),
    },
    {
      title: 'Used by',
      isLabeled: true,
      cell: (each) => (usage === undefined ? '…' : countOf(repositoriesOn(each), usage)),
    },
  ];
}
