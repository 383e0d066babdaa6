import { useState } from 'preact/hooks';
import { formatDay } from '../../../lib/pages/site/format.ts';
import { answerOf, api, dataOf, pageQuery, type Schemas } from '../api/client.ts';
import { DestructiveDialog, Dialog } from '../components/dialogs.tsx';
import { Field, Form } from '../components/form.tsx';
import { List, useList } from '../components/list.tsx';
import type { Loading } from '../components/loaded.tsx';
import { notify } from '../components/notices.tsx';
import type { Settings } from './client-settings.tsx';
import { Creator } from './creator.tsx';
import { endOf, expiryOptions, lastUse, stateLabels } from './key-texts.ts';
import { NewKeyForm } from './new-key.tsx';
import { Replacing } from './replacing.tsx';
import type { MachineScope } from './scope.ts';

type Key = Schemas['ServiceAccountKey'];

interface KeysProps {
  scope: MachineScope;
  settings: Loading<Settings>;
  s3Uri: string;
}

/** Lists the keys of a service account, with actions to create, replace, and revoke them. */
export function Keys({ scope, settings, s3Uri }: KeysProps) {
  const { id, account, may } = scope;
  const [ending, setEnding] = useState<Key>();
  const [extending, setExtending] = useState<Key>();
  const [replaced, setReplaced] = useState<string>();
  const list = useList(
    (cursor) =>
      answerOf(
        api.GET('/service-accounts/{service_account_id}/keys', {
          params: { path: { service_account_id: id }, query: pageQuery(cursor, 500) },
        }),
      ),
    [id],
  );
  const pathOf = ({ key_id }: Key) => ({ path: { service_account_id: id, key_id } });
  const end = async (key: Key) => {
    await dataOf(api.DELETE('/service-accounts/{service_account_id}/keys/{key_id}', { params: pathOf(key) }));
    notify(`The key “${key.label}” is ended.`);
    await list.reload();
  };
  const mayIssue = may('issueServiceAccountKey') && !account.disabled;
  const state = list.state.value;
  const keys = state.kind === 'ready' ? state.value.items : [];
  const old = keys.find(({ key_id }) => key_id === replaced);
  const row = (key: Key) => (
    <>
      <td>
        {key.label}
        <br />
        <span class="soft">made {formatDay(key.created_at)}</span>
      </td>
      <td>
        <span class={`badge ${key.state === 'active' ? 'live' : 'over'}`}>{stateLabels[key.state]}</span>
        <br />
        <span class="soft">{endOf(key)}</span>
      </td>
      <td data-label="Last used">
        {lastUse(key)}
        {key.state === 'active' && key.newer_key_in_use && (
          <>
            <br />
            <span class="soft">a newer key is in use</span>
          </>
        )}
      </td>
      <td data-label="Made by">
        <Creator {...key} />
      </td>
      <td>
        <div class="row-actions">
          {key.state === 'active' && mayIssue && (
            <button
              type="button"
              class="small"
              aria-label={`Replace ${key.label}`}
              onClick={() => setReplaced(key.key_id)}
            >
              Replace …
            </button>
          )}
          {key.state !== 'revoked' && may('changeServiceAccountKeyExpiry') && (
            <button
              type="button"
              class="small"
              aria-label={`Change the expiry of ${key.label}`}
              onClick={() => setExtending(key)}
            >
              Expiry …
            </button>
          )}
          {key.state !== 'revoked' && may('revokeServiceAccountKey') && (
            <button type="button" class="small" aria-label={`End ${key.label}`} onClick={() => setEnding(key)}>
              End …
            </button>
          )}
        </div>
      </td>
    </>
  );
  return (
    <section class="block">
      <h3>Keys</h3>
      <p class="soft">
        For software outside of a CI system. A key lies in a file beside the software; it is shown once, and only its
        hash is kept here.
      </p>
      {account.disabled && <p class="soft">A disabled service account gets no new keys: enable it first.</p>}
      {mayIssue && <NewKeyForm summary="Make a key" id={id} settings={settings} s3Uri={s3Uri} onDone={list.reload} />}
      {old !== undefined && (
        <Replacing
          key={old.key_id}
          old={old}
          keys={keys}
          id={id}
          settings={settings}
          s3Uri={s3Uri}
          onLook={list.reload}
          onEnd={() => setEnding(old)}
          onClose={() => setReplaced(undefined)}
        />
      )}
      <List
        list={list}
        label="Keys"
        columns={['Key', 'State', 'Last used', 'Created by', 'Change']}
        row={row}
        empty={
          <p>There is no key. A job of a CI system needs none: trust its workflow. For anything else, make one.</p>
        }
      />
      {ending !== undefined && (
        <DestructiveDialog
          title={`Revoke the key “${ending.label}”?`}
          action="Revoke key"
          name={ending.label}
          onClose={() => setEnding(undefined)}
          onConfirm={() => end(ending)}
          stops={[
            'Whatever software has it cannot sign in any more within a minute. Nothing brings it back.',
            'Credentials that software already has from it go on until they expire, an hour as a rule.',
            ending.last_used_at === null ? 'It was never used.' : `It was last used ${lastUse(ending)}.`,
          ]}
        />
      )}
      {extending !== undefined && (
        <ExpiryDialog keyOf={extending} pathOf={pathOf} onDone={list.reload} onClose={() => setExtending(undefined)} />
      )}
    </section>
  );
}

interface ExpiryDialogProps {
  keyOf: Key;
  pathOf: (key: Key) => { path: { service_account_id: string; key_id: string } };
  onDone: () => Promise<void>;
  onClose: () => void;
}

function ExpiryDialog({ keyOf: key, pathOf, onDone, onClose }: ExpiryDialogProps) {
  const [expiry, setExpiry] = useState<Schemas['KeyExpiry']>('90d');
  const change = async () => {
    const params = pathOf(key);
    await dataOf(api.PUT('/service-accounts/{service_account_id}/keys/{key_id}/expiry', { params, body: { expiry } }));
    onClose();
    await onDone();
  };
  return (
    <Dialog title={`When does “${key.label}” expire?`} onClose={onClose}>
      <p>{`Now: ${stateLabels[key.state]}, ${endOf(key)}.`}</p>
      <Form onSubmit={change} submitLabel="Change" onCancel={onClose}>
        {(problem) => (
          <Field
            label="It expires"
            name="expiry"
            value={expiry}
            onChange={setExpiry}
            problem={problem}
            kind="select"
            options={expiryOptions}
            hint={
              key.state === 'expired'
                ? 'Counted from today. The key works again until then.'
                : 'Counted from today, sooner or later than now.'
            }
          />
        )}
      </Form>
    </Dialog>
  );
}
