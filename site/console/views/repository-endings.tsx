import { useState } from 'preact/hooks';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { DestructiveDialog, Dialog } from '../components/dialogs.tsx';
import { useDraft } from '../components/draft.ts';
import { Ending, Endings } from '../components/endings.tsx';
import { Field, Form } from '../components/form.tsx';
import { notify, notifyRefusal } from '../components/notices.tsx';
import { useChange } from '../components/stale.tsx';
import { goTo, hrefOf } from '../router.ts';
import type { RepositoryScope } from '../scopes.ts';
import { accountIdOf, refusedAccount } from './account-id.ts';
import { dataModes, modeHint, modeOptions, modeTerm } from './data-modes.ts';
import { type RepositoryValues, readRepository, repositoryFields, repositoryVersion } from './repository-version.ts';

/** Shows the forms for the data mode, a transfer, and the destructive actions. */
export function RepositoryEndings({ scope }: { scope: RepositoryScope }) {
  const { may, repository } = scope;
  return (
    <>
      {may('changeDataMode') && <ModeForm scope={scope} />}
      {may('offerTransfer') && !repository.disabled && <OfferForm scope={scope} />}
      <RepositoryEnding scope={scope} />
    </>
  );
}

function ModeForm({ scope }: { scope: RepositoryScope }) {
  const { account_id, repository_id, repository, etag } = scope;
  const { was, draft, setDraft, reload, times } = useDraft(repositoryVersion(repository, etag), scope.reload);
  const [isAsked, setAsked] = useState(false);
  const isPrivate = draft.data_mode === 'private';
  const { change, staleDialog } = useChange();
  const path = { account_id, repository_id };
  const save = async ({ data_mode }: RepositoryValues, header: object) => {
    const params = { path, header };
    await dataOf(api.PUT('/repositories/{account_id}/{repository_id}/data-mode', { params, body: { data_mode } }));
    await reload();
    notify('Changed.');
  };
  const submitted = () =>
    change({ fields: repositoryFields, was, yours: draft, read: () => readRepository(path), save, reload });
  const submit = async () => {
    if (draft.data_mode === was.values.data_mode) return true;
    if (was.values.data_mode !== 'open') return submitted();
    setAsked(true);
    return false;
  };
  return (
    <section class="block">
      <h3>{modeTerm}</h3>
      <Form onSubmit={submit} submitLabel="Change" saved={times}>
        {(problem) => (
          <Field
            label={modeTerm}
            name="data_mode"
            value={draft.data_mode}
            onChange={(data_mode) => setDraft({ ...draft, data_mode })}
            problem={problem}
            kind="select"
            options={modeOptions(dataModes)}
            hint={modeHint}
          />
        )}
      </Form>
      {isAsked && (
        <DestructiveDialog
          title={isPrivate ? `Make ${scope.title} private?` : `Restrict ${scope.title}?`}
          action={isPrivate ? 'Make private' : 'Restrict'}
          onConfirm={submitted}
          onClose={() => setAsked(false)}
          stops={[
            'Users without a role here can no longer read it, within a minute.',
            'Links to its page and to its files stop working.',
          ]}
        />
      )}
      {staleDialog}
    </section>
  );
}

function OfferForm({ scope: { account_id, account_name, repository_id } }: { scope: RepositoryScope }) {
  const [to, setTo] = useState('');
  const offer = async () => {
    const params = { path: { account_id, repository_id } };
    const body = { to: accountIdOf(to, 'to', 'offer') };
    const call = dataOf(api.POST('/repositories/{account_id}/{repository_id}/transfers', { params, body }));
    await call.catch((error) => {
      throw refusedAccount(error, 'to', 'offer');
    });
    notify(`It is offered to ${body.to}, who has 14 days to accept.`);
    setTo('');
  };
  return (
    <section class="block">
      <h3>Transfer ownership</h3>
      <p class="soft">
        Its files stay where they are. When the other accepts, roles, keys and grants of this repository end, and its
        old address leads to the new one. Until then the offer stands under{' '}
        <a href={hrefOf(`/accounts/${account_id}/transfers`)}>Transfers of {account_name}</a>, where you can withdraw
        it.
      </p>
      <Form onSubmit={offer} submitLabel="Send transfer request">
        {(problem) => (
          <Field label="Account ID" name="to" value={to} onChange={setTo} problem={problem} isVerbatim isRequired />
        )}
      </Form>
    </section>
  );
}

function RepositoryEnding({ scope }: { scope: RepositoryScope }) {
  const [asked, setAsked] = useState<'disable' | 'delete'>();
  const [left, setLeft] = useState<Schemas['DeletedRepository']['places']>();
  const { account_id, repository_id, repository, may, etag, reload } = scope;
  const { change, staleDialog } = useChange();
  const path = { account_id, repository_id };
  const was = repositoryVersion(repository, etag);
  const name = `${account_id}/${repository_id}`;
  const close = () => setAsked(undefined);
  const save = async (_: RepositoryValues, header: object) => {
    await dataOf(api.DELETE('/repositories/{account_id}/{repository_id}', { params: { path, header } }));
    await reload();
  };
  const yours = { ...was.values, disabled: true };
  const disable = () =>
    change({ fields: repositoryFields, was, yours, read: () => readRepository(path), save, reload });
  const enable = async () => {
    try {
      await dataOf(api.POST('/repositories/{account_id}/{repository_id}/enable', { params: { path } }));
      await reload();
    } catch (error) {
      notifyRefusal(error);
    }
  };
  const remove = async () => {
    const body = { confirm: name };
    const { places } = await dataOf(
      api.POST('/repositories/{account_id}/{repository_id}/delete', { params: { path }, body }),
    );
    setLeft(places);
  };
  if (left !== undefined) {
    // The dialog covers the view, because no action works on a deleted repository.
    return (
      <Dialog title="The repository is deleted" isFirm onClose={() => undefined}>
        <p>Its files are still here, for whoever runs this storage to keep or delete:</p>
        <ul class="stops">
          {left.map((place) => (
            <li key={place.prefix}>
              <code>
                s3://{place.bucket}/{place.prefix}
              </code>
            </li>
          ))}
        </ul>
        <p class="actions">
          <button type="button" class="button" onClick={() => goTo(`/accounts/${account_id}`, { replace: true })}>
            Done
          </button>
        </p>
      </Dialog>
    );
  }
  const canDisable = may('disableRepository') && !repository.disabled;
  const canEnable = may('enableRepository') && repository.disabled;
  const canDelete = may('deleteRepository') && repository.disabled;
  if (!canDisable && !canEnable && !canDelete) return null;
  return (
    <Endings title="Disable or delete">
      {canEnable && (
        <Ending
          isMending
          sentence="It is disabled. Once it is enabled again, those who read and wrote its data before can do so."
          label="Enable again"
          onPress={() => void enable()}
        />
      )}
      {canDisable && (
        <Ending
          sentence="Nobody reads or writes its data until it is enabled again. What is disabled can be deleted."
          label="Disable …"
          onPress={() => setAsked('disable')}
        />
      )}
      {canDelete && (
        <Ending
          sentence="Its record goes for good, with its keys, grants and roles. Its files stay in the storage: to delete them too, enable it again and delete them under Files first."
          label="Delete …"
          onPress={() => setAsked('delete')}
        />
      )}
      {asked === 'disable' && (
        <DestructiveDialog
          title={`Disable ${name}?`}
          action="Disable"
          onConfirm={disable}
          onClose={close}
          stops={[
            'Nobody reads or writes its data, by page or by tool.',
            'Its keys open nothing, and grants to it count for nothing.',
            'It can be enabled again, or then be deleted.',
          ]}
        />
      )}
      {asked === 'delete' && (
        <DestructiveDialog
          title={`Delete ${name} for good?`}
          name={name}
          action="Delete for good"
          onConfirm={remove}
          onClose={close}
          stops={[
            'Its record is gone, with its keys, grants and roles. Nobody can bring it back.',
            'Its files stay in the storage, and nobody reaches them through this site any more. If they should go too: cancel, enable it again, and delete them under Files first.',
          ]}
        />
      )}
      {staleDialog}
    </Endings>
  );
}
