import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { answerOf, api, dataOf, ifUnchanged } from '../api/client.ts';
import { type Problem, problemOf } from '../api/problem.ts';
import { DestructiveDialog, StaleDialog } from '../components/dialogs.ts';
import { Field, Form } from '../components/form.ts';
import { notify } from '../components/notices.ts';
import { goTo } from '../router.ts';
import { texts } from '../texts.ts';
import type { MachineScope } from './scope.ts';

/** What a service account is for, and what stops it. */
export function MachineEndings({ scope }: { scope: MachineScope }) {
  return html`${scope.may('updateServiceAccount') && html`<${Description} key=${scope.etag} scope=${scope} />`}
    <${Ending} scope=${scope} />`;
}

function Description({ scope }: { scope: MachineScope }) {
  const [description, setDescription] = useState(scope.account.description);
  const [theirs, setTheirs] = useState<{ description: string; etag: string | undefined }>();
  const path = { service_account_id: scope.id };
  const save = async (etag: string | undefined) => {
    const params = { path, header: ifUnchanged(etag) };
    await dataOf(api.PATCH('/service-accounts/{service_account_id}', { params, body: { description } }));
    setTheirs(undefined);
    await scope.reload();
    notify(texts.saved);
  };
  const onProblem = (problem: Problem) => {
    if (problem.code !== 'stale') return false;
    void answerOf(api.GET('/service-accounts/{service_account_id}', { params: { path } })).then(
      ({ data, etag }) => setTheirs({ description: data.description, etag }),
      (error) => notify(problemOf(error).message, 'problem'),
    );
    return true;
  };
  return html`<section class="block"><h3>What it is for</h3>
    <${Form} onSubmit=${() => save(scope.etag)} submitLabel=${texts.save} onProblem=${onProblem}>
      ${(problem: Problem | undefined) => html`<${Field} label="Description" name="description" value=${description} onChange=${setDescription} problem=${problem} maxLength=${256} />`}
    <//>
    ${
      theirs !== undefined &&
      html`<${StaleDialog} fields=${[{ label: 'Description', theirs: theirs.description, yours: description }]}
        onTakeTheirs=${() => void scope.reload()} onKeepMine=${() => save(theirs.etag)} onClose=${() => setTheirs(undefined)} />`
    }
  </section>`;
}

/** Says what came of it. */
export async function enableMachine({ id, reload }: MachineScope): Promise<void> {
  try {
    const params = { path: { service_account_id: id } };
    await dataOf(api.POST('/service-accounts/{service_account_id}/enable', { params }));
    await reload();
    notify('It is enabled. Software that held credentials signs in anew.');
  } catch (error) {
    notify(problemOf(error).message, 'problem');
  }
}

function Ending({ scope }: { scope: MachineScope }) {
  const [asked, setAsked] = useState<'disable' | 'delete'>();
  const { id, owner, account, may, reload } = scope;
  const params = { path: { service_account_id: id } };
  const close = () => setAsked(undefined);
  const disable = async () => {
    await dataOf(api.POST('/service-accounts/{service_account_id}/disable', { params }));
    await reload();
  };
  const remove = async () => {
    await dataOf(api.DELETE('/service-accounts/{service_account_id}', { params }));
    goTo(`/accounts/${owner}/service-accounts`, { replace: true });
  };
  const canEnable = may('enableServiceAccount') && account.disabled;
  const canDisable = may('disableServiceAccount') && !account.disabled;
  const canDelete = may('deleteServiceAccount');
  if (!canEnable && !canDisable && !canDelete) return null;
  return html`<section class="block"><h3>End</h3><p class="actions">
      ${canEnable && html`<button type="button" class="button second" onClick=${() => void enableMachine(scope)}>Enable again</button>`}
      ${canDisable && html`<button type="button" class="button second" onClick=${() => setAsked('disable')}>Disable …</button>`}
      ${canDelete && html`<button type="button" class="button danger" onClick=${() => setAsked('delete')}>Delete …</button>`}
    </p>
    ${
      asked === 'disable' &&
      html`<${DestructiveDialog} title=${`Disable ${id}?`} action="Disable" onClose=${close} onConfirm=${disable}
        stops=${[
          'Nothing signs in as it, and it writes nothing, within a minute.',
          'It reads nothing that is not open to everybody, within five minutes.',
          'The credentials that it holds are cut off for good: software signs in anew after you enable it.',
          'Its keys, trusted workflows and grants are kept.',
        ]} />`
    }
    ${
      asked === 'delete' &&
      html`<${DestructiveDialog} title=${`Delete ${id} for good?`} name=${id} action="Delete for good" onClose=${close} onConfirm=${remove}
        stops=${[
          'Its keys, trusted workflows and grants are gone. Nothing brings them back, nor does one of the same name.',
          'Whatever software uses it stops: new sign-ins and writes within a minute, reads within five.',
          'The files that it wrote stay where they are.',
        ]} />`
    }
  </section>`;
}
