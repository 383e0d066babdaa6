import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { answerOf, api, dataOf, ifUnchanged, type Schemas } from '../api/client.ts';
import { type Problem, problemOf } from '../api/problem.ts';
import { DestructiveDialog, StaleDialog } from '../components/dialogs.ts';
import { Loaded, useLoading } from '../components/loaded.ts';
import { notify } from '../components/notices.ts';
import { Crumbs } from '../frame.ts';
import type { ViewProps } from '../routes.ts';
import { texts } from '../texts.ts';
import { modeWords } from '../views/data-modes.ts';
import { type Draft, draftOf, requestOf } from './connection-draft.ts';
import { accessOptions, ConnectionForm, flagOptions } from './connection-form.ts';
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
    <div><dt>What for</dt><dd>${read_only ? 'Reading only' : 'Reading and writing'}: ${allowed_data_modes.map((mode) => modeWords[mode].name).join(', ') || 'no repositories'}</dd></div>
    <div><dt>Who places repositories on it</dt><dd>${wordsOf(flagOptions, required_flag ?? '')}</dd></div>
  </dl>`;
}

function wordsOf(options: readonly (readonly [string, string])[], value: string): string {
  return options.find(([each]) => each === value)?.[1] ?? value;
}

const labels: readonly (readonly [keyof Draft, string])[] = [
  ['name', 'Name'],
  ['endpoint', 'Endpoint'],
  ['region', 'Region'],
  ['bucket', 'Bucket'],
  ['base_prefix', 'Base prefix'],
  ['prefix_template', 'Place of a repository'],
  ['read_only', 'What for'],
  ['allowed_data_modes', 'Repositories on it may be'],
  ['required_flag', 'Who places repositories on it'],
];

function shownValue(draft: Draft, name: keyof Draft): string {
  const value = draft[name];
  if (name === 'read_only') return wordsOf(accessOptions, String(value));
  return typeof value === 'string' ? value : value.join(', ');
}

function Editing({ connection, etag, reload }: Shown & { reload: () => Promise<void> }) {
  const [draft, setDraft] = useState(() => draftOf(connection));
  const [theirs, setTheirs] = useState<{ draft: Draft; etag: string | undefined }>();
  const path = { data_connection_id: connection.data_connection_id };
  const save = async (match: string | undefined) => {
    const params = { path, header: ifUnchanged(match) };
    await dataOf(api.PUT('/data-connections/{data_connection_id}', { params, body: requestOf(draft) }));
    setTheirs(undefined);
    await reload();
    notify(texts.saved);
  };
  const onProblem = (problem: Problem) => {
    if (problem.code !== 'stale') return false;
    void load(path.data_connection_id).then(
      (found) => setTheirs({ draft: draftOf(found.connection), etag: found.etag }),
      (error) => notify(problemOf(error).message, 'problem'),
    );
    return true;
  };
  return html`<section class="block"><h2>Change it</h2>
    <p class="soft">Once a repository is placed on it, its bucket, base prefix, endpoint and place of repositories stay as they are.</p>
    <${ConnectionForm} draft=${draft} onChange=${setDraft} submitLabel=${texts.save} onSubmit=${() => save(etag)} onProblem=${onProblem} isStored />
    ${
      theirs !== undefined &&
      html`<${StaleDialog} fields=${labels.map(([name, label]) => ({ label, theirs: shownValue(theirs.draft, name), yours: shownValue(draft, name) }))}
        onTakeTheirs=${() => void reload()} onKeepMine=${() => save(theirs.etag)} onClose=${() => setTheirs(undefined)} />`
    }
  </section>`;
}

function End({ connection, etag, reload }: Shown & { reload: () => Promise<void> }) {
  const [isAsked, setAsked] = useState(false);
  const path = { data_connection_id: connection.data_connection_id };
  const disable = async () => {
    const params = { path, header: ifUnchanged(etag) };
    await dataOf(api.DELETE('/data-connections/{data_connection_id}', { params }));
    await reload();
    notify('It is for reading only now.');
  };
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
  </section>`;
}
