import { api, dataOf, type Schemas } from '../api/client.ts';
import { CopyButton } from '../components/copy.tsx';
import { Properties } from '../components/list.tsx';
import { Loaded, useLoading } from '../components/loaded.tsx';
import { hrefOf } from '../router.ts';
import type { RepositoryViewProps } from '../routes.ts';
import { connectionPath, StorageHealth } from '../storage/connection-parts.tsx';
import { describeLocation } from '../storage/providers.ts';

interface Placement {
  id: string;
  prefix: string;
  /** Undefined for a connection that the user may not see. */
  connection: Schemas['DataConnection'] | undefined;
}

/** Describes where the files of a repository are stored. */
export function View({ repository: { account_id, repository_id } }: RepositoryViewProps) {
  const loading = useLoading(() => load(account_id, repository_id), [account_id, repository_id]);
  return <Loaded loading={loading}>{(placement) => <Storage placement={placement} />}</Loaded>;
}

async function load(account_id: string, repository_id: string): Promise<Placement | undefined> {
  const params = { path: { account_id, repository_id } };
  const { primary_mirror, mirrors } = (await dataOf(api.GET('/repositories/{account_id}/{repository_id}', { params })))
    .data;
  const mirror = mirrors[primary_mirror];
  if (mirror === undefined) return undefined;
  const { data_connection_id, prefix } = mirror;
  const path = { data_connection_id };
  const connection = await dataOf(api.GET('/data-connections/{data_connection_id}', { params: { path } })).catch(
    () => undefined,
  );
  return { id: data_connection_id, prefix, connection };
}

function Storage({ placement }: { placement: Placement | undefined }) {
  if (placement === undefined) return <p>The storage of this repository is not known.</p>;
  const { id, prefix, connection } = placement;
  if (connection === undefined) {
    return (
      <p>
        The files are on the storage connection <code>{id}</code>, below the prefix <code>{prefix}</code>. You may not
        see this connection.
      </p>
    );
  }
  const { details, owner_account_id, read_only } = connection;
  const below = `${details.base_prefix}${prefix}`;
  const uri = `s3://${details.bucket}/${below}`;
  return (
    <>
      <StorageHealth {...connection} />
      <p>
        The files of this repository are on the storage connection <ConnectionLink {...connection} />, in the bucket{' '}
        <code>{details.bucket}</code>, below the prefix <code>{below}</code>.{' '}
        {owner_account_id === undefined
          ? 'The operator of this site provides this storage.'
          : `The storage belongs to the account ${owner_account_id}.`}{' '}
        {read_only && 'It is read-only, so nobody can upload files.'}
      </p>
      <Properties
        rows={[
          ['Storage', describeLocation(details)],
          [
            'Location in the storage',
            <>
              <code>{uri}</code> <CopyButton text={uri} label="the location in the storage" />
            </>,
          ],
        ]}
      />
      <p class="soft">
        The location never changes, also after a transfer. For other storage, create a repository there and copy the
        files to it.
      </p>
    </>
  );
}

function ConnectionLink({ data_connection_id, name, owner_account_id }: Schemas['DataConnection']) {
  if (owner_account_id === undefined) return <strong>{name}</strong>;
  return <a href={hrefOf(connectionPath(owner_account_id, data_connection_id))}>{name}</a>;
}
