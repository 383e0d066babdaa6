import { useState } from 'preact/hooks';
import { formatDay } from '../../../lib/pages/site/format.ts';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { Dialog, useConfirm } from '../components/dialogs.tsx';
import { Form } from '../components/form.tsx';
import { useFoundAccounts } from '../components/found-accounts.ts';
import { Lines, List, type LoadPage, RowSelect, useList } from '../components/list.tsx';
import { notify } from '../components/notices.tsx';
import { type ShownField, useRowChange } from '../components/stale.tsx';
import { KeysLeft } from '../machines/keys-left.tsx';
import { goTo, hrefOf } from '../router.ts';
import { loadUser, ownAccountId } from '../signed-in-user.ts';
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
  /** The scope in which to search accounts to invite: an account ID, or `account/repository`. */
  scope: string;
  load: LoadPage<Membership>;
  /**
   * Returns the path of the view that lists the keys of a member. Returns undefined if the user may not see these keys.
   */
  keysOf?: ((account_id: string) => string) | undefined;
  /** Invites an account. Throws `Problem`. */
  invite: (body: { account_id: string; role: Role }) => Promise<unknown>;
}

/** Lists members and invitations. Users with the permission can invite, change a role, and remove members. */
export function Members({ of, keys, scope, mayInvite, roles, load, invite, keysOf }: MembersProps) {
  const list = useList(load, keys);
  const { end, endDialogs } = useMembershipEnd(of, list);
  const { changeRow, staleDialog } = useRowChange(list, membershipFields, 'membership_id');

  const changeRole = (each: Membership, role: Role) =>
    changeRow(each, { role }, async ({ membership_id, account_id, role }) => {
      const params = { path: { membership_id } };
      await dataOf(api.POST('/memberships/{membership_id}/update-role', { params, body: role }));
      notify(`${account_id} is ${roleLabels[role].one} now.`);
      await list.reload();
    });
  return (
    <>
      {mayInvite && <Invite scope={scope} roles={roles} invite={invite} onInvited={list.reload} />}
      <List
        list={list}
        label={`People of ${of}`}
        columns={[
          { title: 'User', cell: (each) => <Lines of={[each.account_name || each.account_id, each.account_id]} /> },
          {
            title: 'Role',
            isLabeled: true,
            cell: (each) =>
              each.state === 'revoked' || !roles.includes(each.role) ? (
                roleLabels[each.role].name
              ) : (
                <RowSelect
                  label={`Role of ${each.account_id}`}
                  value={each.role}
                  options={roleOptions(roles).map(([role]) => [role, roleLabels[role].name] as const)}
                  onChange={(role) => void changeRole(each, role)}
                />
              ),
          },
          {
            title: 'State',
            isLabeled: true,
            cell: ({ state, state_changed }) => (
              <>
                {state === 'member' ? 'Member since' : stateLabels[state]}{' '}
                <span class="soft">{formatDay(state_changed)}</span>
              </>
            ),
          },
          { title: 'Actions', cell: (each) => <Actions membership={each} roles={roles} keysOf={keysOf} onEnd={end} /> },
        ]}
        empty="There is no member yet. Invite a user by the ID of their account."
      />
      {endDialogs}
      {staleDialog}
    </>
  );
}

type ActionsProps = Pick<MembersProps, 'roles' | 'keysOf'> & {
  membership: Membership;
  onEnd: (membership: Membership) => void;
};

function Actions({ membership, roles, keysOf, onEnd }: ActionsProps) {
  const { account_id, role, state } = membership;
  return (
    <>
      {state !== 'revoked' && (isMe(membership) || roles.includes(role)) && (
        <Button kind="small" label={endLabel(membership)} of={account_id} onClick={() => onEnd(membership)} />
      )}
      {state !== 'invited' && keysOf && (
        <>
          {' '}
          <a href={hrefOf(keysOf(account_id))} aria-label={`Keys that ${account_id} created`}>
            Keys
          </a>
        </>
      )}
    </>
  );
}

/** Ends a membership after the user has confirmed. The only owner of an organization cannot leave it. */
function useMembershipEnd(of: string, list: ReturnType<typeof useList<Membership>>) {
  const { confirm, confirmDialog } = useConfirm();
  const [isLastOwnerLeaving, setLastOwnerLeaving] = useState(false);
  const page = list.state.value;
  const members = page.kind === 'ready' && page.value.next === undefined ? page.value.items : undefined;

  const end = (each: Membership) => {
    const { account_id, membership_id, membership_account_id, repository_id, state } = each;
    if (isMe(each) && isLastOwner(each, members)) return setLastOwnerLeaving(true);
    const isInvitation = state === 'invited' && !isMe(each);
    confirm({
      title: isMe(each)
        ? `Leave ${of}?`
        : isInvitation
          ? `Cancel the invitation of ${account_id}?`
          : `Remove ${account_id} from ${of}?`,
      stops: isInvitation ? [`${account_id} can no longer accept.`] : leavingStops(isMe(each) ? 'You' : account_id, of),
      action: endLabel(each),
      onConfirm: async () => {
        await dataOf(api.POST('/memberships/{membership_id}/revoke', { params: { path: { membership_id } } }));
        if (!isMe(each)) return list.reload();
        await loadUser();
        goTo('/');
      },
      children: state === 'member' && (
        <KeysLeft
          account_id={membership_account_id}
          repository_id={repository_id}
          creator={account_id}
          isMe={isMe(each)}
        />
      ),
    });
  };
  const endDialogs = (
    <>
      {isLastOwnerLeaving && <LastOwnerDialog of={of} onClose={() => setLastOwnerLeaving(false)} />}
      {confirmDialog}
    </>
  );
  return { end, endDialogs };
}

function LastOwnerDialog({ of, onClose }: { of: string; onClose: () => void }) {
  return (
    <Dialog title={`Leave ${of}?`} onClose={onClose}>
      <p>You are the only owner, and an organization needs at least one. Make another member an owner first.</p>
      <p class="actions">
        <Button kind="button" label={texts.close} onClick={onClose} />
      </p>
    </Dialog>
  );
}

function isMe({ account_id }: Membership): boolean {
  return account_id === ownAccountId();
}

/**
 * Returns true when this member is the only owner of the organization. If not all members are loaded, returns false,
 * and the API checks.
 */
function isLastOwner({ role, state, repository_id }: Membership, members: readonly Membership[] | undefined): boolean {
  if (role !== 'owners' || state !== 'member' || repository_id !== undefined) return false;
  return members?.filter((each) => each.role === 'owners' && each.state === 'member').length === 1;
}

const stateLabels: Readonly<Record<Membership['state'], string>> = {
  invited: 'Invited',
  member: 'Member',
  revoked: 'Ended',
};

const membershipFields: readonly ShownField[] = [
  { name: 'role', label: 'Role', words: (role: Role) => roleLabels[role].name },
  { name: 'state', label: 'State', words: (state: Membership['state']) => stateLabels[state] },
];

function endLabel(membership: Membership): string {
  return isMe(membership) ? 'Leave' : membership.state === 'invited' ? 'Cancel invitation' : 'Remove';
}

type InviteProps = Pick<MembersProps, 'invite' | 'scope' | 'roles'> & { onInvited: () => Promise<void> };

function Invite({ scope, roles, invite, onInvited }: InviteProps) {
  const [values, setValues] = useState({ account_id: '', role: 'read_data' as Role });
  const suggestions = useFoundAccounts(
    values.account_id,
    (prefix) => dataOf(api.GET('/accounts', { params: { query: { prefix, scope } } })),
    scope,
  );
  const send = async () => {
    const account_id = accountIdOf(values.account_id, 'account_id', 'invite');
    await invite({ ...values, account_id }).catch((error) => {
      throw refusedAccount(error, 'account_id', 'invite');
    });
    notify(`${account_id} is invited. The invitation is on their Start page. No message is sent.`);
    setValues({ ...values, account_id: '' });
    await onInvited();
  };
  return (
    <Form
      summary="Invite a member"
      onSubmit={send}
      submitLabel="Invite"
      values={values}
      onChange={setValues}
      fields={[
        {
          name: 'account_id',
          label: 'Account ID',
          isRequired: true,
          isVerbatim: true,
          suggestions,
          hint: 'Type the start of the ID or name, then choose the account.',
        },
        { name: 'role', label: 'Role', options: roleOptions(roles) },
      ]}
    />
  );
}
