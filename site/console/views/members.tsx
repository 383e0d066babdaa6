import { useEffect, useState } from 'preact/hooks';
import { formatDay } from '../../../lib/pages/site/format.ts';
import { type Answer, api, dataOf, type Schemas } from '../api/client.ts';
import { DestructiveDialog, Dialog } from '../components/dialogs.tsx';
import { Field, Form } from '../components/form.tsx';
import { List, useList } from '../components/list.tsx';
import { notify, notifyRefusal } from '../components/notices.tsx';
import { type ShownField, useChange } from '../components/stale.tsx';
import { KeysLeft } from '../machines/keys-left.tsx';
import { loadPerson, ownAccountId } from '../person.ts';
import { goTo, hrefOf } from '../router.ts';
import { texts } from '../texts.ts';
import { accountIdOf, refusedAccount } from './account-id.ts';
import { leavingStops, roleLabels, roleOptions } from './roles.ts';

type Membership = Schemas['ListedMembership'];
type Role = Schemas['MembershipRole'];

interface MembersProps {
  /** The name of the account or repository. */
  of: string;
  keys: readonly string[];
  mayInvite: boolean;
  /** The roles that the user may assign and remove. */
  roles: readonly Role[];
  /** The scope of an invitation: an account, or `account/repository`. */
  scope: string;
  load: (cursor: string | undefined) => Promise<Answer<readonly Membership[]>>;
  /** Returns the path of the keys that a member created. Undefined if the user may not see them. */
  keysOf?: ((account_id: string) => string) | undefined;
  /** Invites an account. Throws `Problem`. */
  invite: (account_id: string, role: Role) => Promise<unknown>;
}

/** Lists members and invitations, with actions to invite, change a role, and remove. */
export function Members({ of, keys, scope, mayInvite, roles, load, invite, keysOf }: MembersProps) {
  const list = useList(load, keys);
  const [leaving, setLeaving] = useState<Membership>();
  const me = ownAccountId();
  const isMe = (each: Membership) => each.account_id === me;

  /**
   * Returns true when the user is the only owner of the organization. Requires a complete list. Repositories need no
   * owner.
   */
  const isLastOwner = (each: Membership) => {
    const page = list.state.value;
    if (!isMe(each) || each.role !== 'owners' || each.state !== 'member' || each.repository_id !== undefined)
      return false;
    if (page.kind !== 'ready' || page.value.next !== undefined) return false;
    return page.value.items.filter(({ role, state }) => role === 'owners' && state === 'member').length === 1;
  };

  const { change, staleDialog } = useChange();
  const changeRole = async (each: Membership, role: Role) => {
    const isSame = ({ membership_id }: Membership) => membership_id === each.membership_id;
    const save = async ({ role }: Pick<Membership, 'role'>) => {
      const params = { path: { membership_id: each.membership_id } };
      await dataOf(api.POST('/memberships/{membership_id}/update-role', { params, body: role }));
      notify(`${each.account_id} is ${roleLabels[role].one} now.`);
      await list.reload();
    };
    try {
      const read = async () => ({ values: await list.reread(each, isSame) });
      const yours = { ...each, role };
      await change({ fields: membershipFields, was: { values: each }, yours, read, save, reload: list.reload });
    } catch (error) {
      notifyRefusal(error);
      await list.reload();
    }
  };
  const revoke = async (each: Membership) => {
    const params = { path: { membership_id: each.membership_id } };
    await dataOf(api.POST('/memberships/{membership_id}/revoke', { params }));
    if (!isMe(each)) return list.reload();
    await loadPerson();
    goTo('/');
  };
  const row = (each: Membership) => (
    <>
      <td>
        {each.account_name || each.account_id}
        <br />
        <span class="soft">{each.account_id}</span>
      </td>
      <td data-label="Role">
        {each.state === 'revoked' || !roles.includes(each.role) ? (
          roleLabels[each.role].name
        ) : (
          <select
            aria-label={`Role of ${each.account_id}`}
            value={each.role}
            onChange={({ currentTarget }) => void changeRole(each, currentTarget.value as Role)}
          >
            {roleOptions(roles).map(([role]) => (
              <option key={role} value={role} selected={role === each.role}>
                {roleLabels[role].name}
              </option>
            ))}
          </select>
        )}
      </td>
      <td data-label="State">
        {stateLabels[each.state]} <span class="soft">{formatDay(each.state_changed)}</span>
      </td>
      <td>
        {each.state !== 'revoked' && (isMe(each) || roles.includes(each.role)) && (
          <button
            type="button"
            class="small"
            aria-label={`${isMe(each) ? 'Leave' : endWords[each.state]} ${each.account_id}`}
            onClick={() => setLeaving(each)}
          >
            {isMe(each) ? 'Leave' : endWords[each.state]}
          </button>
        )}
        {each.state !== 'invited' && keysOf && (
          <>
            {' '}
            <a href={hrefOf(keysOf(each.account_id))} aria-label={`Keys that ${each.account_id} made`}>
              Keys
            </a>
          </>
        )}
      </td>
    </>
  );

  return (
    <>
      {mayInvite && <Invite scope={scope} roles={roles} invite={invite} onInvited={list.reload} />}
      <List
        list={list}
        label={`People of ${of}`}
        columns={['Person', 'Role', 'State', 'More']}
        row={row}
        empty={<p>Nobody has a role here yet. Invite somebody by the ID of their account.</p>}
      />
      {leaving !== undefined && isLastOwner(leaving) && (
        <Dialog title={`Leave ${of}?`} onClose={() => setLeaving(undefined)}>
          <p>You are its only owner, and an organization keeps at least one. Make somebody else an owner first.</p>
          <p class="actions">
            <button type="button" class="button" onClick={() => setLeaving(undefined)}>
              {texts.close}
            </button>
          </p>
        </Dialog>
      )}
      {leaving !== undefined && !isLastOwner(leaving) && (
        <DestructiveDialog
          title={
            isMe(leaving)
              ? `Leave ${of}?`
              : leaving.state === 'invited'
                ? `Cancel the invitation of ${leaving.account_id}?`
                : `Remove ${leaving.account_id} from ${of}?`
          }
          stops={stopsOf(leaving, isMe(leaving), of)}
          action={isMe(leaving) ? 'Leave' : endWords[leaving.state]}
          onConfirm={() => revoke(leaving)}
          onClose={() => setLeaving(undefined)}
        >
          {leaving.state === 'member' && (
            <KeysLeft
              account_id={leaving.membership_account_id}
              repository_id={leaving.repository_id}
              maker={leaving.account_id}
              isMe={isMe(leaving)}
            />
          )}
        </DestructiveDialog>
      )}
      {staleDialog}
    </>
  );
}

const stateLabels: Readonly<Record<Membership['state'], string>> = {
  invited: 'Invited',
  member: 'Member since',
  revoked: 'Ended',
};
const endWords: Readonly<Record<Membership['state'], string>> = {
  invited: 'Cancel invitation',
  member: 'Remove',
  revoked: '',
};

const membershipFields: readonly ShownField[] = [
  { name: 'role', label: 'Role', words: (role: Role) => roleLabels[role].name },
  { name: 'state', label: 'State', words: (state: Membership['state']) => stateNames[state] },
];
const stateNames: Readonly<Record<Membership['state'], string>> = {
  invited: 'Invited',
  member: 'Member',
  revoked: 'Ended',
};

function stopsOf({ state, account_id }: Membership, isMe: boolean, of: string): string[] {
  if (state === 'invited' && !isMe) return [`${account_id} can no longer accept.`];
  return leavingStops(isMe ? 'You' : account_id, of);
}

function Invite({
  scope,
  roles,
  invite,
  onInvited,
}: Pick<MembersProps, 'invite' | 'scope' | 'roles'> & { onInvited: () => Promise<void> }) {
  const [accountId, setAccountId] = useState('');
  const [role, setRole] = useState<Role>('read_data');
  const found = useFoundAccounts(accountId, scope);
  const send = async () => {
    const invited = accountIdOf(accountId, 'account_id', 'invite');
    await invite(invited, role).catch((error) => {
      throw refusedAccount(error, 'account_id', 'invite');
    });
    notify(`${invited} is invited. The invitation waits on their Start page; no message is sent.`);
    setAccountId('');
    await onInvited();
  };
  return (
    <details class="create">
      <summary>Invite somebody</summary>
      <Form onSubmit={send} submitLabel="Invite">
        {(problem) => (
          <>
            <Field
              label="Account ID"
              name="account_id"
              value={accountId}
              onChange={setAccountId}
              problem={problem}
              isRequired
              isVerbatim
              suggestions={found}
              hint="Begin to type the ID or the name, and choose."
            />
            <Field
              label="Role"
              name="role"
              value={role}
              onChange={setRole}
              problem={problem}
              kind="select"
              options={roleOptions(roles)}
            />
          </>
        )}
      </Form>
    </details>
  );
}

const typedMin = 3;
const pauseMs = 300;

/**
 * Searches accounts by a prefix of their ID or name, after a pause in typing. On errors, the user types the whole ID.
 */
function useFoundAccounts(typed: string, scope: string): readonly (readonly [string, string])[] {
  const [found, setFound] = useState<readonly (readonly [string, string])[]>([]);
  useEffect(() => {
    const prefix = typed.trim();
    if (prefix.length < typedMin || found.some(([id]) => id === prefix)) return;
    let isLate = false;
    const timer = setTimeout(async () => {
      try {
        const accounts = await dataOf(api.GET('/accounts', { params: { query: { prefix, scope } } }));
        if (!isLate) setFound(accounts.map(({ account_id, profile }) => [account_id, profile.name || account_id]));
      } catch {
        // The search is optional.
      }
    }, pauseMs);
    return () => {
      isLate = true;
      clearTimeout(timer);
    };
  }, [typed, scope]);
  return found;
}
