import { useState } from 'preact/hooks';
import { formatDay } from '../../../lib/pages/site/format.ts';
import { webUrlOf } from '../../../lib/pages/site/typed-fields.ts';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { useVersionedForm } from '../components/draft.ts';
import { Lifecycle } from '../components/endings.tsx';
import { Form } from '../components/form.tsx';
import { Lines, List, useList } from '../components/list.tsx';
import { useAction } from '../components/once.ts';
import { goTo } from '../router.ts';
import type { AccountViewProps } from '../routes.ts';
import type { AccountScope } from '../scopes.ts';
import { loadUser } from '../signed-in-user.ts';
import { accountIdOf } from './account-id.ts';
import { accountVersion, profileFields, storedAccount } from './account-version.ts';

/** Edits the public profile of an account. */
export function Profile({ account: scope }: AccountViewProps) {
  const { account } = scope;
  if (account === undefined || account.account_type === 'service') return <p>This account has no public profile.</p>;
  return <ProfileForm scope={scope} account={account} />;
}

function ProfileForm({ scope, account }: { scope: AccountScope; account: Schemas['Account'] }) {
  const { account_id } = scope;
  const { draft, form, bar, staleDialog } = useVersionedForm({
    ...storedAccount(account_id, accountVersion(account, scope.etag), () => reloadAll(scope)),
    normalize: (typed) => ({ ...typed, url: webUrlOf(typed.url) }),
    save(values, header) {
      const body = Object.fromEntries(profileFields.map(({ name }) => [name, values[name] || null]));
      return dataOf(api.PUT('/accounts/{account_id}/profile', { params: { path: { account_id }, header }, body }));
    },
  });
  return (
    <>
      <p class="soft">Visible to everyone.</p>
      <Form
        {...form}
        bar={bar}
        fields={profileFields.map((field) => ({
          ...field,
          taken: field.name === 'url' ? webUrlOf(draft.url) : undefined,
        }))}
      />
      {staleDialog}
    </>
  );
}

/** Lists the blocked accounts, and blocks another one. */
export function BlockedAccounts({ account: { account_id, may } }: AccountViewProps) {
  const [values, setValues] = useState({ blocked_account_id: '' });
  const path = { account_id };
  const list = useList(
    (query) => api.GET('/accounts/{account_id}/blocked-accounts', { params: { path, query } }),
    [account_id],
  );
  const { act } = useAction(list.reload);
  const block = async () => {
    const blocked_account_id = accountIdOf(values.blocked_account_id, 'blocked_account_id', 'block');
    const params = { path: { ...path, blocked_account_id } };
    await dataOf(api.PUT('/accounts/{account_id}/blocked-accounts/{blocked_account_id}', { params }));
    setValues({ blocked_account_id: '' });
    await list.reload();
  };
  const unblock = (blocked_account_id: string) => {
    const params = { path: { ...path, blocked_account_id } };
    return dataOf(api.DELETE('/accounts/{account_id}/blocked-accounts/{blocked_account_id}', { params }));
  };
  return (
    <>
      <p class="soft">They cannot invite you or send you transfer requests. They are not notified.</p>
      <List
        list={list}
        label="Blocked accounts"
        columns={[
          { title: 'Account', cell: (each) => <Lines of={[each.account_name || each.account_id, each.account_id]} /> },
          { title: 'Since', class: 'day', isLabeled: true, cell: (each) => formatDay(each.blocked_at) },
          {
            title: 'Actions',
            cell: ({ account_id: id }) => (
              <Button kind="small" label="Unblock" of={id} onClick={() => void act(() => unblock(id))} />
            ),
          },
        ]}
        empty="No account is blocked."
      />
      {may('blockAccount') && (
        <Form
          summary="Block an account"
          onSubmit={block}
          submitLabel="Block"
          values={values}
          onChange={setValues}
          fields={[{ name: 'blocked_account_id', label: 'Account ID', isVerbatim: true, isRequired: true }]}
        />
      )}
    </>
  );
}

const reloadAll = (scope: AccountScope) => Promise.all([scope.reload(), loadUser()]);

/** Shows the destructive actions of an account. */
export function DangerZone({ account: scope }: AccountViewProps) {
  const { account_id, may, etag, account } = scope;
  const path = { account_id };
  const disable = async (header: object, reason: string) => {
    const body = reason === '' ? {} : { reason };
    await dataOf(api.POST('/accounts/{account_id}/disable', { params: { path, header }, body }));
    await reloadAll(scope);
  };
  const enable = async () => {
    await dataOf(api.POST('/accounts/{account_id}/enable', { params: { path } }));
    await reloadAll(scope);
  };
  const remove = async () => {
    await dataOf(api.POST('/accounts/{account_id}/delete', { params: { path }, body: { confirm: account_id } }));
    await loadUser();
    goTo('/', { replace: true });
  };
  return (
    <Lifecycle
      title={may('deleteAccount') ? 'Disable or delete' : 'Disable'}
      name={account_id}
      enable={
        may('enableAccount') &&
        account?.disabled === true && {
          sentence:
            'The account is disabled. After you enable it, access to the data of its repositories is as before.',
          send: enable,
        }
      }
      disable={
        may('disableAccount') &&
        account?.disabled === false && {
          sentence: 'Nobody can read or write the data of its repositories until it is enabled again.',
          stops: [
            'Nobody can read or write the data of its repositories.',
            'Its keys and service accounts stop working.',
            'You can enable it again.',
          ],
          stored: storedAccount(account_id, accountVersion(account, etag), scope.reload),
          asksReason: true,
          send: disable,
        }
      }
      remove={
        may('deleteAccount') && {
          sentence: 'Only an empty account can be deleted. Its ID cannot be used again.',
          stops: [
            'The account is deleted, and its ID cannot be used again.',
            'It must be empty: no repositories, no service accounts.',
          ],
          send: remove,
        }
      }
    />
  );
}
