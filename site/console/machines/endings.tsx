import { answerOf, api, dataOf } from '../api/client.ts';
import { useConfirm } from '../components/dialogs.tsx';
import { useVersionedForm } from '../components/draft.ts';
import { Lifecycle } from '../components/endings.tsx';
import { Check, Form } from '../components/form.tsx';
import { Properties } from '../components/list.tsx';
import { notify } from '../components/notices.tsx';
import { goTo } from '../router.ts';
import { type MachineScope, settingLabels, storedMachine } from './scope.ts';
import { KeysThatStop } from './writing-keys.tsx';

/** Edits a service account's description. */
export function Description({ scope }: { scope: MachineScope }) {
  const { form, staleDialog } = useVersionedForm({
    ...storedMachine(scope),
    save({ description }, header) {
      const params = { path: { service_account_id: scope.id }, header };
      return dataOf(api.PATCH('/service-accounts/{service_account_id}', { params, body: { description } }));
    },
  });
  return (
    <section class="block">
      <h3>Purpose</h3>
      <Form {...form} fields={[{ name: 'description', label: 'Description', maxLength: 256 }]} />
      {staleDialog}
    </section>
  );
}

/**
 * Edits the settings that restrict what the keys of a service account may do. Users without the permission see them
 * without controls.
 */
export function Settings({ scope }: { scope: MachineScope }) {
  const { id, account, may } = scope;
  if (may('updateServiceAccountSettings')) return <SettingsForm scope={scope} />;
  const names = Object.keys(settingLabels) as (keyof typeof settingLabels)[];
  return (
    <section class="block">
      <h3>Security settings</h3>
      <p class="soft">Owners of the account can change them.</p>
      <Properties key={id} rows={names.map((name) => [settingLabels[name], account[name] ? 'On' : 'Off'])} />
    </section>
  );
}

function SettingsForm({ scope }: { scope: MachineScope }) {
  const { confirm, confirmDialog } = useConfirm();
  const params = { path: { service_account_id: scope.id } };
  const { was, draft, setDraft, form, staleDialog } = useVersionedForm({
    ...storedMachine(scope),
    save({ end_sessions_on_revocation, federated_only }, header) {
      const body = { end_sessions_on_revocation, federated_only };
      return dataOf(
        api.PATCH('/service-accounts/{service_account_id}/settings', { params: { ...params, header }, body }),
      );
    },
  });
  const load = async () => {
    const query = { limit: 500 };
    const { data, next } = await answerOf(
      api.GET('/service-accounts/{service_account_id}/keys', { params: { ...params, query } }),
    );
    const active = data.filter(({ state }) => state === 'active');
    const keys = active.map(({ label, last_used_at }) => ({ name: label, of: scope.id, last_used_at }));
    return { keys, hasMore: next !== undefined };
  };
  const submit = async () => {
    if (!draft.federated_only || was.values.federated_only) return form.onSubmit();
    confirm({
      title: 'Let only workflows write?',
      action: 'Turn on',
      onConfirm: form.onSubmit,
      stops: [
        'Within one minute, software that signed in with one of these keys can no longer write.',
        'It can still read. Workflows can still write.',
      ],
      children: <KeysThatStop load={load} />,
    });
    return false;
  };
  return (
    <section class="block">
      <h3>Security settings</h3>
      <Form {...form} onSubmit={submit} submitLabel="Apply">
        <Check
          name="end_sessions_on_revocation"
          label={`${settingLabels.end_sessions_on_revocation} (recommended)`}
          hint="Revoking a key or removing a workflow also ends its sessions. The report of a leaked key does so, too."
          isChecked={draft.end_sessions_on_revocation}
          onChange={(end_sessions_on_revocation) => setDraft({ ...draft, end_sessions_on_revocation })}
        />
        <Check
          name="federated_only"
          label={settingLabels.federated_only}
          hint="Software that signed in with a key can only read. Workflows can write."
          isChecked={draft.federated_only}
          onChange={(federated_only) => setDraft({ ...draft, federated_only })}
        />
      </Form>
      {confirmDialog}
      {staleDialog}
    </section>
  );
}

/** Enables a service account and shows the result as a notice. Throws `Problem`. */
export async function enableMachine({ id, reload }: MachineScope): Promise<void> {
  const params = { path: { service_account_id: id } };
  await dataOf(api.POST('/service-accounts/{service_account_id}/enable', { params }));
  await reload();
  notify('The service account is enabled. Software with earlier credentials must sign in again.');
}

/** Shows a service account's destructive actions. */
export function MachineEndings({ scope }: { scope: MachineScope }) {
  const { id, owner, account, may, reload } = scope;
  const path = { service_account_id: id };
  const disable = async (header: object) => {
    await dataOf(api.POST('/service-accounts/{service_account_id}/disable', { params: { path, header } }));
    await reload();
  };
  const remove = async () => {
    await dataOf(api.DELETE('/service-accounts/{service_account_id}', { params: { path } }));
    goTo(`/accounts/${owner}/service-accounts`, { replace: true });
  };
  return (
    <Lifecycle
      name={id}
      enable={
        may('enableServiceAccount') &&
        account.disabled && {
          sentence: 'Its software can sign in again, with the same keys and workflows.',
          send: () => enableMachine(scope),
        }
      }
      disable={
        may('disableServiceAccount') &&
        !account.disabled && {
          sentence: 'Its software stops until it is enabled again. Its keys, workflows and grants remain.',
          stops: [
            'Within one minute, no software can sign in with it or write.',
            'Within five minutes, its software can read only open data.',
            'Its current credentials stop working for good. Software must sign in again after you enable it.',
            'Its keys, trusted workflows and grants remain.',
          ],
          stored: storedMachine(scope),
          send: disable,
        }
      }
      remove={
        may('deleteServiceAccount') && {
          sentence: 'It is deleted for good, with its keys, workflows and grants. The files that it wrote remain.',
          stops: [
            'Its keys, trusted workflows and grants are deleted. A new service account of the same name does not restore them.',
            'Its software stops: new sign-ins and writes within one minute, reads within five.',
            'The files that it wrote remain.',
          ],
          send: remove,
        }
      }
    />
  );
}
