import { api, dataOf, type Schemas } from '../api/client.ts';
import { Bounded } from '../components/bounded.tsx';
import { Button } from '../components/button.tsx';
import { useConfirm } from '../components/dialogs.tsx';
import type { LoadState } from '../components/loaded.tsx';
import { notify } from '../components/notices.tsx';
import { KeysLeft } from '../machines/keys-left.tsx';
import type { May } from '../platform/permissions.ts';
import { hrefOf } from '../router.ts';
import { loadUser } from '../signed-in-user.ts';
import { OrganizationRequest } from '../views/new-organization.tsx';
import { leavingStops, roleLabels } from '../views/roles.ts';
import { type Membership, nameOf } from './scope.ts';

const shownAtFirst = 6;

interface AccountsProps {
  own: Schemas['Account'];
  organizations: readonly Membership[];
  shared: readonly Membership[];
  platform: LoadState<May>;
}

/**
 * Lists the user's own account and organizations, and the repositories that other accounts share with the user. Once
 * the permissions are loaded, the list also offers to create an organization.
 */
export function Accounts({ own, organizations, shared, platform }: AccountsProps) {
  const { confirm, confirmDialog } = useConfirm();
  const leave = (each: Membership) => confirm(leavingOf(each));
  return (
    <>
      <section class="block">
        <h2>Accounts</h2>
        <Bounded items={[undefined, ...organizations]} max={shownAtFirst} of="accounts">
          {(shown) => (
            <ul class="people">
              {shown.map((each) =>
                each === undefined ? (
                  <Row
                    key={own.account_id}
                    href={`/accounts/${own.account_id}`}
                    title={own.profile.name || own.account_id}
                    note={`${own.account_id}, your own account`}
                  />
                ) : (
                  <Row
                    key={each.membership_id}
                    href={`/accounts/${each.membership_account_id}`}
                    title={nameOf(each)}
                    note={`${each.membership_account_id}, you are ${roleLabels[each.role].one}`}
                    onLeave={() => leave(each)}
                  />
                ),
              )}
            </ul>
          )}
        </Bounded>
        {platform.kind === 'ready' && platform.value('createAccount') && (
          <p>
            <a class="button second" href={hrefOf('/new-organization')}>
              New organization
            </a>
          </p>
        )}
        {platform.kind === 'ready' && !platform.value('createAccount') && (
          <p class="soft">
            <OrganizationRequest />
          </p>
        )}
      </section>
      {shared.length > 0 && (
        <section class="block">
          <h2>Shared repositories</h2>
          <Bounded items={shared} max={shownAtFirst} of="shared repositories">
            {(shown) => (
              <ul class="people">
                {shown.map((each) => (
                  <Row
                    key={each.membership_id}
                    href={`/repositories/${each.membership_account_id}/${each.repository_id}`}
                    title={each.repository_id ?? ''}
                    note={`of ${nameOf(each)}, you are ${roleLabels[each.role].one}`}
                    onLeave={() => leave(each)}
                  />
                ))}
              </ul>
            )}
          </Bounded>
        </section>
      )}
      {confirmDialog}
    </>
  );
}

interface RowProps {
  href: string;
  title: string;
  note: string;
  /** Asks for confirmation and leaves the organization or repository. Undefined for the user's own account. */
  onLeave?: () => void;
}

function Row({ href, title, note, onLeave }: RowProps) {
  return (
    <li>
      <a href={hrefOf(href)}>{title}</a>{' '}
      {onLeave && <Button kind="small" label="Leave …" of={title} onClick={onLeave} />}
      <br />
      <span class="soft">{note}</span>
    </li>
  );
}

/** Returns the question that the user must answer before leaving an organization or repository. */
function leavingOf(membership: Membership) {
  const { account_id, membership_id, membership_account_id, repository_id } = membership;
  const of = repository_id ?? nameOf(membership);
  return {
    title: `Leave ${of}?`,
    stops: leavingStops('You', of),
    action: 'Leave',
    async onConfirm() {
      await dataOf(api.POST('/memberships/{membership_id}/revoke', { params: { path: { membership_id } } }));
      await loadUser();
      notify(`You left ${of}.`);
    },
    children: <KeysLeft account_id={membership_account_id} repository_id={repository_id} creator={account_id} isMe />,
  };
}
