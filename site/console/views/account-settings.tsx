import { useState } from 'preact/hooks';
import { formatDay } from '../../../lib/pages/site/format.ts';
import { webUrlOf } from '../../../lib/pages/site/typed-fields.ts';
import { answerOf, api, dataOf, pageQuery, type Schemas } from '../api/client.ts';
import { DestructiveDialog } from '../components/dialogs.tsx';
import { useDraft } from '../components/draft.ts';
import { Ending, Endings } from '../components/endings.tsx';
import { Field, Form } from '../components/form.tsx';
import { List, useList } from '../components/list.tsx';
import { notify, notifyRefusal } from '../components/notices.tsx';
import { useChange } from '../components/stale.tsx';
import { loadPerson } from '../person.ts';
import { goTo } from '../router.ts';
import type { AccountViewProps } from '../routes.ts';
import type { AccountScope } from '../scopes.ts';
import { texts } from '../texts.ts';
import { accountIdOf } from './account-id.ts';
import { type AccountValues, accountFields, accountVersion, profileFields, readAccount } from './account-version.ts';

/** Shows an account's profile form, its blocked accounts, and its destructive actions. */
export function View({ account }: AccountViewProps) {
  return (
    <>
      {account.account && account.account.account_type !== 'service' && account.may('updateProfile') && (
        <ProfileForm scope={account} account={account.account} />
      )}
      {account.may('listBlockedAccounts') && <Blocked scope={account} />}
      <AccountEndings scope={account} />
    </>
  );
}

function ProfileForm({ scope, account }: { scope: AccountScope; account: Schemas['Account'] }) {
  const { was, draft, setDraft, reload, times } = useDraft(accountVersion(account, scope.etag), scope.reload);
  const { change, staleDialog } = useChange();
  const { account_id } = scope;
  const save = async (values: AccountValues, header: object) => {
    const body = Object.fromEntries(profileFields.map(({ name }) => [name, values[name] === '' ? null : values[name]]));
    await dataOf(api.PUT('/accounts/{account_id}/profile', { params: { path: { account_id }, header }, body }));
    await Promise.all([reload(), loadPerson()]);
    notify(texts.saved);
  };
  const submit = () =>
    change({
      fields: accountFields,
      was,
      yours: { ...draft, url: webUrlOf(draft.url) },
      read: () => readAccount(account_id),
      save,
      reload,
    });
  return (
    <section class="block">
      <h3>Profile</h3>
      <p class="soft">Everybody sees it.</p>
      <Form onSubmit={submit} submitLabel={texts.save} saved={times}>
        {(problem) =>
          profileFields.map(({ name, label, maxLength }) => (
            <Field
              key={name}
              label={label}
              name={name}
              value={draft[name]}
              maxLength={maxLength}
              problem={problem}
              taken={name === 'url' ? webUrlOf(draft.url) : undefined}
              kind={name === 'bio' ? 'long' : name === 'url' ? 'url' : 'text'}
              onChange={(value) => setDraft({ ...draft, [name]: value })}
            />
          ))
        }
      </Form>
      {staleDialog}
    </section>
  );
}

function Blocked({ scope: { account_id, may } }: { scope: AccountScope }) {
  const [blockedId, setBlockedId] = useState('');
  const list = useList(
    (cursor) =>
      answerOf(
        api.GET('/accounts/{account_id}/blocked-accounts', {
          params: { path: { account_id }, query: pageQuery(cursor) },
        }),
      ),
    [account_id],
  );
  const pathOf = (blocked_account_id: string) => ({ path: { account_id, blocked_account_id } });
  const block = async () => {
    const params = pathOf(accountIdOf(blockedId, 'blocked_account_id', 'block'));
    await dataOf(api.PUT('/accounts/{account_id}/blocked-accounts/{blocked_account_id}', { params }));
    setBlockedId('');
    await list.reload();
  };
  const unblock = async (blocked_account_id: string) => {
    try {
      await dataOf(
        api.DELETE('/accounts/{account_id}/blocked-accounts/{blocked_account_id}', {
          params: pathOf(blocked_account_id),
        }),
      );
    } catch (error) {
      notifyRefusal(error);
    }
    await list.reload();
  };
  const row = (each: Schemas['ListedBlockedAccount']) => (
    <>
      <td>
        {each.account_name || each.account_id}
        <br />
        <span class="soft">{each.account_id}</span>
      </td>
      <td class="day" data-label="Since">
        {formatDay(each.blocked_at)}
      </td>
      <td>
        <button
          type="button"
          class="small"
          aria-label={`Unblock ${each.account_id}`}
          onClick={() => void unblock(each.account_id)}
        >
          Unblock
        </button>
      </td>
    </>
  );
  return (
    <section class="block">
      <h3>Blocked accounts</h3>
      <p class="soft">They can neither invite you nor offer you repositories, and are not told.</p>
      <List
        list={list}
        label="Blocked accounts"
        columns={['Account', 'Since', 'End']}
        row={row}
        empty={<p>You block nobody.</p>}
      />
      {may('blockAccount') && (
        <details class="create">
          <summary>Block an account</summary>
          <Form onSubmit={block} submitLabel="Block">
            {(problem) => (
              <Field
                label="Account ID"
                name="blocked_account_id"
                value={blockedId}
                onChange={setBlockedId}
                problem={problem}
                isVerbatim
                isRequired
              />
            )}
          </Form>
        </details>
      )}
    </section>
  );
}

function AccountEndings({ scope }: { scope: AccountScope }) {
  const [asked, setAsked] = useState<'disable' | 'delete'>();
  const { account_id, may, etag, account } = scope;
  const path = { account_id };
  const close = () => setAsked(undefined);
  const change = async (call: Promise<unknown>) => {
    await call;
    await Promise.all([scope.reload(), loadPerson()]);
  };
  const changing = useChange();
  const disable = async () => {
    if (account === undefined) return;
    const was = accountVersion(account, etag);
    await changing.change({
      fields: accountFields,
      was,
      yours: { ...was.values, disabled: true },
      read: () => readAccount(account_id),
      save: (_, header) => change(dataOf(api.DELETE('/accounts/{account_id}', { params: { path, header } }))),
      reload: scope.reload,
    });
  };
  const enable = () =>
    change(dataOf(api.POST('/accounts/{account_id}/enable', { params: { path } }))).catch(notifyRefusal);
  const remove = async () => {
    await dataOf(api.POST('/accounts/{account_id}/delete', { params: { path }, body: { confirm: account_id } }));
    await loadPerson();
    goTo('/', { replace: true });
  };
  const canDisable = may('disableAccount') && account?.disabled === false;
  const canEnable = may('enableAccount') && account?.disabled === true;
  const canDelete = may('deleteAccount');
  if (!canDisable && !canEnable && !canDelete) return null;
  return (
    <Endings title={canDelete ? 'Disable or delete' : 'Disable'}>
      {canEnable && (
        <Ending
          isMending
          sentence="It is disabled. Once it is enabled again, those who read and wrote the data of its repositories before can do so."
          label="Enable again"
          onPress={() => void enable()}
        />
      )}
      {canDisable && (
        <Ending
          sentence="Nobody reads or writes the data of its repositories until it is enabled again."
          label="Disable …"
          onPress={() => setAsked('disable')}
        />
      )}
      {canDelete && (
        <Ending
          sentence="An account in which nothing is left can be deleted. Its ID is never given out again."
          label="Delete …"
          onPress={() => setAsked('delete')}
        />
      )}
      {asked === 'disable' && (
        <DestructiveDialog
          title={`Disable ${account_id}?`}
          action="Disable"
          onClose={close}
          stops={[
            'Nobody reads or writes the data of its repositories.',
            'Its keys and service accounts open nothing.',
            'It can be enabled again.',
          ]}
          onConfirm={disable}
        />
      )}
      {asked === 'delete' && (
        <DestructiveDialog
          title={`Delete ${account_id} for good?`}
          name={account_id}
          action="Delete for good"
          onClose={close}
          stops={[
            'The account is gone, and its ID is never given out again.',
            'It must be empty first: no repositories, no service accounts.',
          ]}
          onConfirm={remove}
        />
      )}
      {changing.staleDialog}
    </Endings>
  );
}
