import { useEffect, useState } from 'preact/hooks';
import { counted, formatBytes } from '../../../lib/pages/site/format.ts';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { Dialog, useConfirm } from '../components/dialogs.tsx';
import { Lifecycle } from '../components/endings.tsx';
import { Form } from '../components/form.tsx';
import { notify } from '../components/notices.tsx';
import { localMinute } from '../components/time.tsx';
import { goTo, hrefOf } from '../router.ts';
import type { RepositoryViewProps } from '../routes.ts';
import type { RepositoryScope } from '../scopes.ts';
import { accountIdOf, refusedAccount } from './account-id.ts';
import { storedRepository } from './repository-version.ts';
import { NamedAccount } from './transfer-offer.tsx';

/** Shows the form that transfers a repository, and the destructive actions. */
export function View({ repository: scope }: RepositoryViewProps) {
  return (
    <>
      {scope.may('offerTransfer') && !scope.repository.disabled && <TransferForm scope={scope} />}
      <RepositoryEnding scope={scope} />
    </>
  );
}

function TransferForm({ scope: { account_id, account_name, repository_id } }: { scope: RepositoryScope }) {
  const [values, setValues] = useState({ to: '' });
  const { confirm, confirmDialog } = useConfirm();
  const send = async (to: string) => {
    const params = { path: { account_id, repository_id } };
    const call = dataOf(api.POST('/repositories/{account_id}/{repository_id}/transfers', { params, body: { to } }));
    await call.catch((error) => {
      throw refusedAccount(error, 'to', 'transfer');
    });
    notify(`The transfer request is sent to ${to}. It is valid for 14 days.`);
    setValues({ to: '' });
  };
  const ask = async () => {
    const to = accountIdOf(values.to, 'to', 'transfer');
    const params = { path: { account_id: to } };
    const { name } = await dataOf(api.GET('/accounts/{account_id}/profile', { params })).catch((error) => {
      throw refusedAccount(error, 'to', 'transfer');
    });
    confirm({
      title: `Transfer ${repository_id} to ${to}?`,
      action: 'Send transfer request',
      onConfirm: () => send(to),
      stops: [
        'Nothing changes until the other account accepts. You can withdraw the request until then.',
        'Then the roles, keys, grants and invitations of this repository end, and you lose access to it unless the new owner gives you a role.',
        'Its files, versions, metadata and visibility stay as they are.',
        `Its old URL leads to ${to}/${repository_id}.`,
      ],
      children: (
        <p>
          The new owner is <NamedAccount id={to} name={name} />. Check the account ID, because anyone can choose any
          display name.
        </p>
      ),
    });
    return false;
  };
  return (
    <section class="block">
      <h3>Transfer ownership</h3>
      <p class="soft">
        Gives this repository to another account, which must accept it. Open requests are listed under{' '}
        <a href={hrefOf(`/accounts/${account_id}/transfers`)}>Transfers of {account_name}</a>.
      </p>
      <Form
        onSubmit={ask}
        submitLabel="Transfer …"
        values={values}
        onChange={setValues}
        fields={[{ name: 'to', label: 'Account ID', isVerbatim: true, isRequired: true }]}
      />
      {confirmDialog}
    </section>
  );
}

function RepositoryEnding({ scope }: { scope: RepositoryScope }) {
  const [deleted, setDeleted] = useState<Schemas['DeletedRepository']>();
  const { account_id, repository_id, repository, may, reload } = scope;
  const path = { account_id, repository_id };
  const name = `${account_id}/${repository_id}`;
  const disable = async (header: object, reason: string) => {
    const body = reason === '' ? {} : { reason };
    await dataOf(api.POST('/repositories/{account_id}/{repository_id}/disable', { params: { path, header }, body }));
    await reload();
  };
  const enable = async () => {
    await dataOf(api.POST('/repositories/{account_id}/{repository_id}/enable', { params: { path } }));
    await reload();
  };
  const restore = async () => {
    await dataOf(api.POST('/repositories/{account_id}/{repository_id}/restore', { params: { path } }));
    await reload();
  };
  const mayRemove = may('deleteRepository') && repository.disabled && repository.delete_at === undefined;
  const inventory = useInventory(mayRemove ? path : undefined);
  const remove = async (chosen: ReadonlySet<string>) => {
    const body = {
      confirm: name,
      withdraw_versions: chosen.has('withdraw_versions'),
      delete_files: chosen.has('delete_files'),
    };
    const answer = await dataOf(
      api.POST('/repositories/{account_id}/{repository_id}/delete', { params: { path }, body }),
    );
    if (answer.delete_at === undefined) setDeleted(answer);
    else await reload();
  };
  if (deleted !== undefined) return <DeletedDialog deleted={deleted} isEmpty={isEmpty(inventory)} />;
  return (
    <Lifecycle
      name={name}
      enable={
        repository.delete_at !== undefined
          ? may('restoreRepository') && {
              sentence:
                'The repository will be deleted with its versions. After you take this back, it is disabled, and can be enabled again.',
              label: 'Take the deletion back',
              send: restore,
            }
          : may('enableRepository') &&
            repository.disabled && {
              sentence: 'The repository is disabled. After you enable it, access to its data is as before.',
              send: enable,
            }
      }
      disable={
        may('disableRepository') &&
        !repository.disabled && {
          sentence:
            'Nobody can read or write its data until it is enabled again. A disabled repository can be deleted.',
          stops: [
            'Nobody can read or write its data.',
            'Its keys and grants stop working.',
            'You can enable it again, or delete it.',
          ],
          stored: storedRepository(scope),
          asksReason: true,
          send: disable,
        }
      }
      remove={
        mayRemove && {
          sentence: isEmpty(inventory)
            ? 'The repository is empty. It is deleted for good, with its keys, grants and roles.'
            : 'The repository is deleted for good, with its keys, grants and roles. You choose whether its files are deleted too.',
          stops: [
            'The repository is deleted, with its keys, grants and roles. Nobody can restore it.',
            isEmpty(inventory)
              ? `The repository is empty, as of ${localMinute(Date.parse(inventory?.counted_at ?? ''))}.`
              : 'Files that you do not delete remain in the storage, but nobody can reach them through this site.',
          ],
          choices: [
            ...(isEmpty(inventory) ? [] : [{ name: 'delete_files', ...filesChoice(inventory) }]),
            {
              name: 'withdraw_versions',
              label: 'Also withdraw its versions',
              hint: 'Only needed if it has versions. The deletion then waits seven days, in which you can take it back. Stored versions remain in the storage, and cost money until a lifecycle rule removes them.',
            },
          ],
          send: remove,
        }
      }
    />
  );
}

type Inventory = Schemas['Inventory'];

/** Loads the inventory of a repository. Returns undefined until it has arrived, or if it cannot be read. */
function useInventory(path: { account_id: string; repository_id: string } | undefined): Inventory | undefined {
  const [inventory, setInventory] = useState<Inventory>();
  useEffect(() => {
    if (path === undefined) return;
    const call = api.GET('/repositories/{account_id}/{repository_id}/inventory', { params: { path } });
    void dataOf(call).then(setInventory, () => undefined);
  }, [path?.account_id, path?.repository_id]);
  return inventory;
}

/** Returns true if the last count of files was complete and found none. */
function isEmpty(inventory: Inventory | undefined): boolean {
  return inventory?.state === 'ready' && inventory.files === 0 && inventory.is_complete === true;
}

/** Returns the label and the hint of the checkbox that also deletes the files. */
function filesChoice({ files, bytes = 0, is_complete, counted_at }: Partial<Inventory> = {}) {
  const warning =
    'Nobody can restore them. The deletion starts after a minute. Versions that the bucket keeps remain in the storage.';
  if (files === undefined) return { label: 'Delete its files', hint: `They are not counted yet. ${warning}` };
  const more = is_complete ? '' : 'more than ';
  return {
    label: `Delete ${more}${counted(files, 'file')} (${formatBytes(bytes)})`,
    hint: `Counted ${localMinute(Date.parse(counted_at ?? ''))}. ${warning}`,
  };
}

interface DeletedDialogProps {
  deleted: Schemas['DeletedRepository'];
  isEmpty: boolean;
}

/**
 * Tells the user that the repository is deleted. The dialog covers the view, because no action in it works any more.
 */
function DeletedDialog({ deleted: { account_id, places, file_deletion }, isEmpty }: DeletedDialogProps) {
  return (
    <Dialog title="The repository is deleted" isFirm onClose={() => undefined}>
      {file_deletion !== undefined ? (
        <p>Its files are being deleted. The list of repositories shows the progress.</p>
      ) : isEmpty ? (
        <p>It was empty.</p>
      ) : (
        <>
          <p>Any files that it had are still in the storage. The storage's operator can delete them:</p>
          <ul class="stops">
            {places.map(({ bucket, prefix }) => (
              <li key={prefix}>
                <code>{`s3://${bucket}/${prefix}`}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      <p class="actions">
        <Button kind="button" label="Done" onClick={() => goTo(`/accounts/${account_id}`, { replace: true })} />
      </p>
    </Dialog>
  );
}
