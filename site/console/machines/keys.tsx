import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { formatDay } from '../../../lib/pages/site/format.ts';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { Dialog, useConfirm } from '../components/dialogs.tsx';
import { Form } from '../components/form.tsx';
import { type Column, Lines, List, useList } from '../components/list.tsx';
import { Minute } from '../components/time.tsx';
import { hrefOf } from '../router.ts';
import { endingQuery, isEndingIn, mayHaveSessions, notifyEnding, sessionsQuestion } from './end-sessions.ts';
import { Creator, describeExpiry, expiryOptions, KeyState, lastUse } from './key-parts.tsx';
import { type ClientProps, NewKeyForm } from './new-key.tsx';
import { Replacement } from './replacement.tsx';
import type { MachineScope } from './scope.ts';

type Key = Schemas['ServiceAccountKey'];

/** Lists the keys of a service account, with actions to create, replace, and revoke them. */
export function Keys({ scope, ...client }: Omit<ClientProps, 'id'> & { scope: MachineScope }) {
  const { id, account, may } = scope;
  const [extended, setExtended] = useState<Key>();
  const [replaced, setReplaced] = useState<string>();
  const list = useList(
    (query) =>
      api.GET('/service-accounts/{service_account_id}/keys', {
        params: { path: { service_account_id: id }, query: { ...query, limit: 500 } },
      }),
    [id],
  );
  const { confirmRevocation, confirmEnding, confirmDialog } = useRevocation(scope, list.reload);
  const mayIssue = may('issueServiceAccountKey') && !account.disabled;
  const keys = list.state.value.kind === 'ready' ? list.state.value.value.items : [];
  const old = keys.find(({ key_id }) => key_id === replaced);
  const actions = (key: Key) => (
    <KeyActions
      of={key}
      may={may}
      mayIssue={mayIssue}
      onReplace={() => setReplaced(key.key_id)}
      onExtend={() => setExtended(key)}
      onRevoke={() => confirmRevocation(key)}
      onEnd={() => confirmEnding(key)}
    />
  );
  return (
    <section class="block">
      <h3>Keys</h3>
      <p class="soft">
        For software outside of a CI system. The software reads its key from a file. A key is shown once, and only its
        hash is stored here.
      </p>
      {account.disabled && <p class="soft">A disabled service account gets no new keys: enable it first.</p>}
      {mayIssue && <NewKeyForm summary="New key" id={id} {...client} onDone={list.reload} />}
      {old !== undefined && (
        <Replacement
          key={old.key_id}
          old={old}
          keys={keys}
          id={id}
          {...client}
          reload={list.reload}
          onRevoke={() => confirmRevocation(old)}
          onClose={() => setReplaced(undefined)}
        />
      )}
      <List
        list={list}
        label="Keys"
        columns={keyColumns(scope.owner, actions)}
        empty="There is no key. A CI job needs none: trust its workflow. Create a key for other software."
      />
      {confirmDialog}
      {extended !== undefined && (
        <ExpiryDialog of={extended} id={id} onDone={list.reload} onClose={() => setExtended(undefined)} />
      )}
    </section>
  );
}

/** Returns the two actions that end the use of a key. Each has a dialog that explains what stops working. */
function useRevocation(scope: MachineScope, reload: () => Promise<void>) {
  const { confirm, confirmDialog } = useConfirm();
  const sessions = sessionsQuestion(scope, 'key');
  const revoke = async ({ key_id, label }: Key, isEnding: boolean) => {
    const params = { path: { service_account_id: scope.id, key_id }, query: endingQuery(isEnding) };
    const ending = await dataOf(api.DELETE('/service-accounts/{service_account_id}/keys/{key_id}', { params }));
    notifyEnding(`The key “${label}” is revoked.`, ending);
    await reload();
  };
  const confirmRevocation = (key: Key) =>
    confirm({
      title: `Revoke the key “${key.label}”?`,
      action: 'Revoke key',
      name: key.label,
      choices: sessions.choices,
      onConfirm: (chosen) => revoke(key, isEndingIn(chosen)),
      stops: [
        'Software with this key can no longer sign in within one minute. A revoked key cannot be restored.',
        sessions.sentence,
        key.last_used_at === null ? 'It was never used.' : `It was last used ${lastUse(key)}.`,
      ],
    });
  const confirmEnding = (key: Key) =>
    confirm({
      title: `End the sessions of “${key.label}”?`,
      action: 'End sessions',
      onConfirm: () => revoke(key, true),
      stops: [
        'Credentials that this key issued are refused: writes within one minute, reads within five.',
        'Sessions of other keys and workflows continue.',
      ],
    });
  return { confirmRevocation, confirmEnding, confirmDialog };
}

interface KeyActionsProps {
  of: Key;
  may: MachineScope['may'];
  mayIssue: boolean;
  onReplace: () => void;
  onExtend: () => void;
  onRevoke: () => void;
  onEnd: () => void;
}

function KeyActions({ of: key, may, mayIssue, onReplace, onExtend, onRevoke, onEnd }: KeyActionsProps) {
  return (
    <div class="row-actions">
      {key.state === 'active' && mayIssue && (
        <Button kind="small" label="Replace …" of={key.label} onClick={onReplace} />
      )}
      {key.state !== 'revoked' && may('changeServiceAccountKeyExpiry') && (
        <Button kind="small" label="Expiry …" of={`of ${key.label}`} onClick={onExtend} />
      )}
      {key.state !== 'revoked' && may('revokeServiceAccountKey') && (
        <Button kind="small" label="Revoke …" of={key.label} onClick={onRevoke} />
      )}
      {key.state === 'revoked' && mayHaveSessions(key) && may('revokeServiceAccountKey') && (
        <Button kind="small" label="End sessions …" of={`of ${key.label}`} onClick={onEnd} />
      )}
    </div>
  );
}

function keyColumns(owner: string, actions: (key: Key) => ComponentChildren): readonly Column<Key>[] {
  return [
    { title: 'Key', cell: (key) => <Lines of={[key.label, `created ${formatDay(key.created_at)}`]} /> },
    { title: 'State', class: 'lines', cell: StateOrLeak },
    {
      title: 'Last used',
      isLabeled: true,
      cell: (key) => (
        <Lines
          of={[
            lastUse(key),
            key.state === 'active' && key.newer_key_in_use && 'a newer key is in use',
            key.leak && <WritableRepositories owner={owner} leak={key.leak} />,
          ]}
        />
      ),
    },
    { title: 'Created by', isLabeled: true, cell: Creator },
    { title: 'Actions', cell: actions },
  ];
}

type Leak = NonNullable<Key['leak']>;

/**
 * Shows the state of a key, or the report that it leaked. The URL in the report is shown as text and not as a link,
 * because an unknown reporter chose it.
 */
function StateOrLeak(key: Key) {
  if (key.leak === undefined) return <KeyState {...key} />;
  const { reported_at, url } = key.leak;
  return (
    <Lines
      of={[
        <span class="badge over">leaked</span>,
        <>
          revoked <Minute time={Date.parse(reported_at)} />
        </>,
        url !== null && <>found at {url}</>,
      ]}
    />
  );
}

/** Shows the repositories to which sessions of a leaked key could write. A long list is collapsed. */
function WritableRepositories({ owner, leak }: { owner: string; leak: Leak }) {
  const { writable_repositories: names, has_more } = leak;
  if (names.length === 0) return <>Its sessions could write nowhere.</>;
  const links = names.map((name, index) => (
    <>
      {index > 0 && ', '}
      <a href={hrefOf(`/repositories/${owner}/${name}`)}>{name}</a>
    </>
  ));
  if (names.length <= 3) return <>Its sessions could write to {links}</>;
  return (
    <details>
      <summary>{`Its sessions could write to ${has_more ? 'more than ' : ''}${names.length} repositories`}</summary>
      {links}
    </details>
  );
}

interface ExpiryDialogProps {
  of: Key;
  id: string;
  onDone: () => Promise<void>;
  onClose: () => void;
}

function ExpiryDialog({ of: key, id, onDone, onClose }: ExpiryDialogProps) {
  const [values, setValues] = useState({ expiry: '90d' as Schemas['KeyExpiry'] });
  const change = async () => {
    const params = { path: { service_account_id: id, key_id: key.key_id } };
    await dataOf(api.PUT('/service-accounts/{service_account_id}/keys/{key_id}/expiry', { params, body: values }));
    onClose();
    await onDone();
  };
  const hint = `Counted from today.${key.state === 'expired' ? ' The key works again until then.' : ''}`;
  return (
    <Dialog title={`Change the expiry of “${key.label}”`} onClose={onClose}>
      <p>{`Now: ${key.state}, ${describeExpiry(key)}.`}</p>
      <Form
        onSubmit={change}
        submitLabel="Change"
        onCancel={onClose}
        values={values}
        onChange={setValues}
        fields={[{ name: 'expiry', label: 'Expires', options: expiryOptions, hint }]}
      />
    </Dialog>
  );
}
