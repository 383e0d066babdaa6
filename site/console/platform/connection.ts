import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { answerOf, api, dataOf, type Schemas } from '../api/client.ts';
import { DestructiveDialog } from '../components/dialogs.ts';
import { Loaded, useLoading } from '../components/loaded.ts';
import { notify } from '../components/notices.ts';
import { optionWords, useChange, type Version } from '../components/stale.ts';
import { Crumbs } from '../frame.ts';
import type { ViewProps } from '../routes.ts';
import { texts } from '../texts.ts';
import { modeNames } from '../views/data-modes.ts';
import { type Draft, draftOf, requestOf } from './connection-draft.ts';
import { ConnectionForm, connectionFields, flagOptions } from './connection-form.ts';
import { ConnectionTest } from './connection-test.ts';
import { loadPlatformPermissions, type May } from './permissions.ts';

type Connection = Schemas['DataConnection'];

interface Shown {
  connection: Connection;
  etag: string | undefined;
  may: May;
}

/** One data connection: what it is, what its storage answers, and its changes. */
export function View({ parameters: { data_connection_id = '' } }: ViewProps) {
  const loading = useLoading<Shown>(async () => {
    const [{ connection, etag }, may] = await Promise.all([load(data_connection_id), loadPlatformPermissions()]);
    return { connection, etag, may };
  }, [data_connection_id]);
  return html`<${Loaded} loading=${loading}>
    ${(shown: Shown) => html`<${Crumbs} parts=${[['Data connections', '/data-connections'], [shown.connection.name]]} />
      <${Facts} connection=${shown.connection} />
      ${shown.may('testDataConnection') && html`<${ConnectionTest} data_connection_id=${data_connection_id} isReadOnly=${shown.connection.read_only} />`}
      ${shown.may('updateDataConnection') && html`<${Editing} key=${shown.etag} ...${shown} reload=${loading.reload} />`}
      ${shown.may('disableDataConnection') && !shown.connection.read_only && html`<${End} ...${shown} reload=${loading.reload} />`}`}
  <//>`;
}

/** Without the credentials, which an administrator is sent with it and nobody looks at here. */
async function load(data_connection_id: string): Promise<Omit<Shown, 'may'>> {
  const { data, etag } = await answerOf(
    api.GET('/data-connections/{data_connection_id}', { params: { path: { data_connection_id } } }),
  );
  const { authentication: _, ...connection } = data;
  return { connection, etag };
}

function Facts({
  connection: { details, read_only, allowed_data_modes, required_flag, ...connection },
}: {
  connection: Connection;
}) {
  return html`<dl class="facts wide">
    <div><dt>Connection ID</dt><dd><code>${connection.data_connection_id}</code></dd></div>
    <div><dt>Storage</dt><dd>${details.endpoint ?? 'Amazon S3'}, ${details.region}</dd></div>
    <div><dt>Bucket and base prefix</dt><dd><code>${details.bucket}/${details.base_prefix}</code></dd></div>
    <div><dt>What for</dt><dd>${read_only ? 'Reading only' : 'Reading and writing'}: ${modeNames(allowed_data_modes) || 'no repositories'}</dd></div>
    <div><dt>Who places repositories on it</dt><dd>${optionWords(flagOptions)(required_flag ?? '')}</dd></div>
  </dl>`;
}

function Editing({ connection, etag, reload }: Shown & { reload: () => Promise<void> }) {
  const was = { values: draftOf(connection), etag };
  const [draft, setDraft] = useState(was.values);
  const { change, staleDialog } = useChange();
  const { data_connection_id } = connection;
  const save = async (values: Draft, header: object) => {
    const params = { path: { data_connection_id }, header };
    await dataOf(api.PUT('/data-connections/{data_connection_id}', { params, body: requestOf(values) }));
    await reload();
    notify(texts.saved);
  };
  const submit = () =>
    change({ fields: connectionFields, was, yours: draft, read: () => readVersion(data_connection_id), save, reload });
  return html`<section class="block"><h2>Change it</h2>
    <p class="soft">Once a repository is placed on it, its bucket, base prefix, endpoint and place of repositories stay as they are.</p>
    <${ConnectionForm} draft=${draft} onChange=${setDraft} submitLabel=${texts.save} onSubmit=${submit} isStored />
    ${staleDialog}
  </section>`;
}

async function readVersion(data_connection_id: string): Promise<Version<Draft>> {
  const { connection, etag } = await load(data_connection_id);
  return { values: draftOf(connection), etag };
}

function End({ connection, etag, reload }: Shown & { reload: () => Promise<void> }) {
  const [isAsked, setAsked] = useState(false);
  const { data_connection_id } = connection;
  const { change, staleDialog } = useChange();
  const was = { values: draftOf(connection), etag };
  const yours: Draft = { ...was.values, read_only: 'yes' };
  const save = async (_: Draft, header: object) => {
    const params = { path: { data_connection_id }, header };
    await dataOf(api.DELETE('/data-connections/{data_connection_id}', { params }));
    await reload();
    notify('It is for reading only now.');
  };
  const disable = () =>
    change({ fields: connectionFields, was, yours, read: () => readVersion(data_connection_id), save, reload });
  return html`<section class="block"><h2>End writing</h2>
    <p>Repositories that are placed on it stay where they are, so a connection is never deleted.</p>
    <p><button type="button" class="button danger" onClick=${() => setAsked(true)}>Make it read-only …</button></p>
    ${
      isAsked &&
      html`<${DestructiveDialog} title=${`Make ${connection.name} read-only?`} action="Make it read-only" onConfirm=${disable} onClose=${() => setAsked(false)}
        stops=${[
          'Nobody uploads, moves or deletes files in any repository on it, within a minute.',
          'Everything on it can be read as before.',
          'You can allow writing again by changing it.',
        ]} />`
    }
    ${staleDialog}
  </section>`;
}
