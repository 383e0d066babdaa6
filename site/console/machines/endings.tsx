import { useState } from 'preact/hooks';
import { api, dataOf } from '../api/client.ts';
import { DestructiveDialog } from '../components/dialogs.tsx';
import { useDraft } from '../components/draft.ts';
import { Ending, Endings } from '../components/endings.tsx';
import { Field, Form } from '../components/form.tsx';
import { notify, notifyRefusal } from '../components/notices.tsx';
import { useChange } from '../components/stale.tsx';
import { goTo } from '../router.ts';
import { texts } from '../texts.ts';
import { loadMachine, type MachineScope, machineFields, machineVersion } from './scope.ts';

/** Shows a service account's description and its destructive actions. */
export function MachineEndings({ scope }: { scope: MachineScope }) {
  return (
    <>
      {scope.may('updateServiceAccount') && <Description scope={scope} />}
      <MachineEnding scope={scope} />
    </>
  );
}

function Description({ scope }: { scope: MachineScope }) {
  const { was, draft, setDraft, reload, times } = useDraft(machineVersion(scope), scope.reload);
  const { change, staleDialog } = useChange();
  const { id } = scope;
  const save = async ({ description }: typeof was.values, header: object) => {
    const params = { path: { service_account_id: id }, header };
    await dataOf(api.PATCH('/service-accounts/{service_account_id}', { params, body: { description } }));
    await reload();
    notify(texts.saved);
  };
  const submit = () =>
    change({ fields: machineFields, was, yours: draft, read: () => readMachine(scope), save, reload });
  return (
    <section class="block">
      <h3>What it is for</h3>
      <Form onSubmit={submit} submitLabel={texts.save} saved={times}>
        {(problem) => (
          <Field
            label="Description"
            name="description"
            value={draft.description}
            onChange={(description) => setDraft({ ...draft, description })}
            problem={problem}
            maxLength={256}
          />
        )}
      </Form>
      {staleDialog}
    </section>
  );
}

async function readMachine({ id, reload }: MachineScope) {
  return machineVersion(await loadMachine(id, reload));
}

/** Enables a service account and shows the result as a notice. */
export async function enableMachine({ id, reload }: MachineScope): Promise<void> {
  try {
    const params = { path: { service_account_id: id } };
    await dataOf(api.POST('/service-accounts/{service_account_id}/enable', { params }));
    await reload();
    notify('It is enabled. Software that held credentials signs in anew.');
  } catch (error) {
    notifyRefusal(error);
  }
}

function MachineEnding({ scope }: { scope: MachineScope }) {
  const [asked, setAsked] = useState<'disable' | 'delete'>();
  const { id, owner, account, may, reload } = scope;
  const params = { path: { service_account_id: id } };
  const close = () => setAsked(undefined);
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
  const canEnable = may('enableServiceAccount') && account.disabled;
  const canDisable = may('disableServiceAccount') && !account.disabled;
  const canDelete = may('deleteServiceAccount');
  if (!canEnable && !canDisable && !canDelete) return null;
  return (
    <Endings title="Disable or delete">
      {canEnable && (
        <Ending
          isMending
          sentence="Its software signs in again, with the keys and workflows that it had."
          label="Enable again"
          onPress={() => void enableMachine(scope)}
        />
      )}
      {canDisable && (
        <Ending
          sentence="Its software stops until it is enabled again. Its keys, workflows and grants are kept."
          label="Disable …"
          onPress={() => setAsked('disable')}
        />
      )}
      {canDelete && (
        <Ending
          sentence="It goes for good, with its keys, workflows and grants. The files that it wrote stay."
          label="Delete …"
          onPress={() => setAsked('delete')}
        />
      )}
      {asked === 'disable' && (
        <DestructiveDialog
          title={`Disable ${id}?`}
          action="Disable"
          onClose={close}
          onConfirm={disable}
          stops={[
            'Nothing signs in as it, and it writes nothing, within a minute.',
            'It reads nothing that is not open to everybody, within five minutes.',
            'The credentials that it holds are cut off for good: software signs in anew after you enable it.',
            'Its keys, trusted workflows and grants are kept.',
          ]}
        />
      )}
      {asked === 'delete' && (
        <DestructiveDialog
          title={`Delete ${id} for good?`}
          name={id}
          action="Delete for good"
          onClose={close}
          onConfirm={remove}
          stops={[
            'Its keys, trusted workflows and grants are gone. Nothing brings them back, nor does one of the same name.',
            'Whatever software uses it stops: new sign-ins and writes within a minute, reads within five.',
            'The files that it wrote stay where they are.',
          ]}
        />
      )}
      {staleDialog}
    </Endings>
  );
}
