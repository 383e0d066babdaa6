import { api, dataOf } from '../api/client.ts';
import { useVersionedForm } from '../components/draft.ts';
import { Endings } from '../components/endings.tsx';
import { Form } from '../components/form.tsx';
import { notify } from '../components/notices.tsx';
import { useChange } from '../components/stale.tsx';
import { goTo } from '../router.ts';
import { loadMachine, type MachineScope, machineFields, machineVersion } from './scope.ts';

/** Edits a service account's description. */
export function Description({ scope }: { scope: MachineScope }) {
  const { id } = scope;
  const { form, staleDialog } = useVersionedForm({
    now: machineVersion(scope),
    load: scope.reload,
    fields: machineFields,
    read: () => readMachine(scope),
    async save({ description }, header) {
      const params = { path: { service_account_id: id }, header };
      await dataOf(api.PATCH('/service-accounts/{service_account_id}', { params, body: { description } }));
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

async function readMachine({ id, reload }: MachineScope) {
  return machineVersion(await loadMachine(id, reload));
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
  const params = { path: { service_account_id: id } };
  const { change, staleDialog } = useChange();
  const was = machineVersion(scope);
  const save = async (_: object, header: object) => {
    await dataOf(api.POST('/service-accounts/{service_account_id}/disable', { params: { ...params, header } }));
    await reload();
  };
  const yours = { ...was.values, disabled: true };
  const disable = () => change({ fields: machineFields, was, yours, read: () => readMachine(scope), save, reload });
  const remove = async () => {
    await dataOf(api.DELETE('/service-accounts/{service_account_id}', { params }));
    goTo(`/accounts/${owner}/service-accounts`, { replace: true });
  };
  return (
    <>
      <Endings
        title="Disable or delete"
        actions={[
          may('enableServiceAccount') &&
            account.disabled && {
              sentence: 'Its software can sign in again, with the same keys and workflows.',
              label: 'Enable again',
              restore: () => enableMachine(scope),
            },
          may('disableServiceAccount') &&
            !account.disabled && {
              sentence: 'Its software stops until it is enabled again. Its keys, workflows and grants remain.',
              label: 'Disable …',
              confirmation: {
                title: `Disable ${id}?`,
                action: 'Disable',
                onConfirm: disable,
                stops: [
                  'Within one minute, no software can sign in with it or write.',
                  'Within five minutes, its software can read only open data.',
                  'Its current credentials stop working for good. Software must sign in again after you enable it.',
                  'Its keys, trusted workflows and grants remain.',
                ],
              },
            },
          may('deleteServiceAccount') && {
            sentence: 'It is deleted for good, with its keys, workflows and grants. The files that it wrote remain.',
            label: 'Delete …',
            confirmation: {
              title: `Delete ${id} for good?`,
              name: id,
              action: 'Delete for good',
              onConfirm: remove,
              stops: [
                'Its keys, trusted workflows and grants are deleted. A new service account of the same name does not restore them.',
                'Its software stops: new sign-ins and writes within one minute, reads within five.',
                'The files that it wrote remain.',
              ],
            },
          },
        ]}
      />
      {staleDialog}
    </>
  );
}
