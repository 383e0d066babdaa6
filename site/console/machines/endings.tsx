import { api, dataOf } from '../api/client.ts';
import { useVersionedForm } from '../components/draft.ts';
import { Lifecycle } from '../components/endings.tsx';
import { Form } from '../components/form.tsx';
import { notify } from '../components/notices.tsx';
import { goTo } from '../router.ts';
import { type MachineScope, storedMachine } from './scope.ts';

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
