import { useMemo, useState } from 'preact/hooks';
import { formatBytes } from '../../../lib/pages/site/format.ts';
import { CredentialSource, type DataCredentials } from '../../data/credentials.ts';
import { Objects } from '../../data/objects.ts';
import { createSender } from '../../data/sender.ts';
import { signLink } from '../../data/shared-links.ts';
import { xhrTransport } from '../../data/transport.ts';
import { api, dataOf } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { Loaded, useLoading } from '../components/loaded.tsx';
import { useAction } from '../components/once.ts';
import { Minute } from '../components/time.tsx';
import { configuration } from '../configuration.ts';
import { createWaits } from '../files/waits.ts';
import { takeLinkSecret } from '../link-secret.ts';
import type { ViewProps } from '../routes.ts';

type Shared = Awaited<ReturnType<typeof exchange>>;

const exchange = (link_id: string, secret: string) =>
  dataOf(api.POST('/links/{link_id}/credentials', { params: { path: { link_id } }, body: { secret } }));

/** Shows the files of a link to private data. Its reader needs no account. */
export function View({ parameters: { link_id = '' } }: ViewProps) {
  const [secret] = useState(() => takeLinkSecret(link_id));
  const loading = useLoading(() => exchange(link_id, secret), [link_id]);
  return (
    <Loaded loading={loading}>{(shared) => <Shown shared={shared} renew={() => exchange(link_id, secret)} />}</Loaded>
  );
}

function Shown({ shared, renew }: { shared: Shared; renew: () => Promise<Shared> }) {
  const { account_id, account_name, repository_id, title, prefix, created_by, created_by_name } = shared;
  const data = useMemo(() => openLink(shared, renew), [shared]);
  const isFile = prefix !== '' && !prefix.endsWith('/');
  return (
    <>
      <p class="lead">
        {created_by_name ?? created_by} shares {isFile ? 'a file' : 'files'} of <strong>{title}</strong> (
        {account_name ?? account_id}) with you until <Minute time={Date.parse(shared.link_expires_at)} />.
      </p>
      <p class="soft">
        {account_id}/{repository_id}/{prefix}
      </p>
      {isFile ? <Download data={data} fileKey={prefix} /> : <Files data={data} prefix={prefix} />}
    </>
  );
}

function Files({ data, prefix }: { data: LinkData; prefix: string }) {
  const [folder, setFolder] = useState(prefix);
  const loading = useLoading(() => data.list(folder), [folder]);
  const above = folder === prefix ? undefined : folder.slice(0, folder.slice(0, -1).lastIndexOf('/') + 1);
  return (
    <Loaded loading={loading}>
      {({ folders, objects, next }) => (
        <>
          {above !== undefined && <Button kind="small" label="Up" of={folder} onClick={() => setFolder(above)} />}
          <ul>
            {folders.map((name) => (
              <li key={name}>
                <Button kind="small" label={name.slice(folder.length)} onClick={() => setFolder(name)} />
              </li>
            ))}
            {objects.map(({ key, bytes }) => (
              <li key={key}>
                {key.slice(folder.length)} <span class="soft">{formatBytes(bytes)}</span>{' '}
                <Download data={data} fileKey={key} />
              </li>
            ))}
          </ul>
          {folders.length + objects.length === 0 && <p>There are no files here.</p>}
          {next !== undefined && <p class="soft">The list shows the first 1,000 names of this folder.</p>}
        </>
      )}
    </Loaded>
  );
}

function Download({ data, fileKey }: { data: LinkData; fileKey: string }) {
  const { act, busy } = useAction(async () => {});
  const start = () => act(async () => location.assign(await data.download(fileKey)));
  return <Button kind="small" label="Download" of={fileKey} {...busy} onClick={() => void start()} />;
}

const downloadSeconds = 300;

interface LinkData {
  list(prefix: string): ReturnType<Objects['list']>;
  download(key: string): Promise<string>;
}

/** Reads with the credentials of a link, and exchanges the link again before they expire. */
function openLink(first: Shared, renew: () => Promise<Shared>): LinkData {
  const path = { account_id: first.account_id, repository_id: first.repository_id };
  let shared: Shared | undefined = first;
  const credentials = new CredentialSource(async () => {
    const given = shared ?? (await renew());
    shared = undefined;
    return credentialsOf(given);
  });
  const { wait, onBusy } = createWaits();
  const dataUrl = configuration.data_url;
  const send = createSender({
    ...{ dataUrl, location: path, credentials, transport: xhrTransport, wait, onBusy },
    onConnection: () => {},
  });
  const objects = new Objects(send, path);
  return {
    list: (prefix) => objects.list({ prefix, delimiter: '/' }, new AbortController().signal),
    download: async (key) => {
      const signed = { dataUrl, location: path, key, seconds: downloadSeconds, isDownload: true };
      return (await signLink(signed, await credentials.current())).url;
    },
  };
}

function credentialsOf(shared: Shared): DataCredentials {
  const { access_key_id, secret_access_key, session_token, expires_at } = shared;
  return {
    accessKeyId: access_key_id,
    secretAccessKey: secret_access_key,
    sessionToken: session_token,
    endsAt: Date.parse(expires_at),
    clockAheadMs: 0,
  };
}
