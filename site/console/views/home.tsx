import { formatDay } from '../../../lib/pages/site/format.ts';
import { answerOf, api, dataOf, type Schemas } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { useConfirm } from '../components/dialogs.tsx';
import { Loaded, type LoadState, useLoading } from '../components/loaded.tsx';
import { notify, notifyRefusal } from '../components/notices.tsx';
import { useAction, useBusy } from '../components/once.ts';
import { KeysLeft } from '../machines/keys-left.tsx';
import { loadPlatformPermissions, type May } from '../platform/permissions.ts';
import { hrefOf } from '../router.ts';
import { loadMoreMemberships, loadUser, user } from '../signed-in-user.ts';
import { FirstSteps } from './first-steps.tsx';
import { OrganizationRequest } from './new-organization.tsx';
import { leavingStops, roleLabels } from './roles.ts';
import { NamedAccount, OfferedRepository, useTransferAnswers } from './transfer-offer.tsx';

type Membership = Schemas['ListedMembership'];

const accountName = (each: Membership) => each.membership_account_name || each.membership_account_id;

/** Shows the user's account, organizations, repositories, and invitations. */
export function View() {
  const { confirm, confirmDialog } = useConfirm();
  const platform = useLoading(loadPlatformPermissions, []).state.value;
  // Show the view before these permissions are loaded, because only one section depends on them.
  const mayPlatform: May = (permission) => platform.kind === 'ready' && platform.value(permission);
  const state = user.value;
  if (state.kind !== 'ready' || state.value.account === null) return null;
  const { account, memberships, next } = state.value;
  const member = memberships.filter((each) => each.state === 'member');
  const organizations = member.filter((each) => each.repository_id === undefined);
  const repositories = member.filter((each) => each.repository_id !== undefined);
  return (
    <>
      <Invitations invited={memberships.filter((each) => each.state === 'invited')} />
      <TransferRequests accountId={account.account_id} />
      <FirstSteps accounts={[account.account_id, ...organizations.map((each) => each.membership_account_id)]} />
      <Accounts
        own={account}
        organizations={organizations}
        platform={platform}
        onLeave={(each) => confirm(leavingOf(each))}
      />
      {repositories.length > 0 && (
        <section class="block">
          <h2>Shared repositories</h2>
          <ul class="grid">
            {repositories.map((each) => (
              <Tile
                key={each.membership_id}
                href={`/repositories/${each.membership_account_id}/${each.repository_id}`}
                title={each.repository_id ?? ''}
                id={each.membership_account_id}
                note={`You are ${roleLabels[each.role].one}, at ${accountName(each)}`}
                onLeave={() => confirm(leavingOf(each))}
              />
            ))}
          </ul>
        </section>
      )}
      {next !== undefined && <More />}
      {mayPlatform('createDataConnection') && (
        <section class="block">
          <h2>Site</h2>
          <p>
            <a href={hrefOf('/administration')}>Administration</a> <span class="soft">Storage and accounts</span>
          </p>
        </section>
      )}
      {confirmDialog}
    </>
  );
}

interface AccountsProps {
  own: Schemas['Account'];
  organizations: readonly Membership[];
  platform: LoadState<May>;
  onLeave: (membership: Membership) => void;
}

/** Lists the user's own account and organizations. Once the permissions are loaded, it also offers a new organization. */
function Accounts({ own, organizations, platform, onLeave }: AccountsProps) {
  return (
    <section class="block">
      <h2>Accounts</h2>
      <ul class="grid">
        <Tile
          href={`/accounts/${own.account_id}`}
          title={own.profile.name || own.account_id}
          note="Your own account"
          id={own.account_id}
        />
        {organizations.map((each) => (
          <Tile
            key={each.membership_id}
            href={`/accounts/${each.membership_account_id}`}
            id={each.membership_account_id}
            title={accountName(each)}
            note={`You are ${roleLabels[each.role].one}`}
            onLeave={() => onLeave(each)}
          />
        ))}
      </ul>
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
  );
}

/** Loads the next page of memberships. The API returns accepted memberships before invitations. */
function More() {
  const { run, busy } = useBusy();
  const more = () => loadMoreMemberships().catch(notifyRefusal);
  return (
    <p>
      <Button
        kind="plain"
        label="Show more accounts, repositories and invitations"
        {...busy}
        onClick={() => void run(more)}
      />
    </p>
  );
}

interface TileProps {
  href: string;
  title: string;
  note: string;
  id: string;
  /** Asks the user, and leaves the organization or repository. Undefined for the user's own account. */
  onLeave?: () => void;
}

function Tile({ href, title, note, id, onLeave }: TileProps) {
  return (
    <li>
      <article class="tile">
        <h3>
          <a href={hrefOf(href)}>{title}</a>
        </h3>
        <p>{note}</p>
        <p class="foot">
          {id}
          {onLeave && <Button kind="small" label="Leave …" of={title} onClick={onLeave} />}
        </p>
      </article>
    </li>
  );
}

/** Returns the question that the user must answer before leaving an organization or repository. */
function leavingOf(membership: Membership) {
  const { account_id, membership_id, membership_account_id, repository_id } = membership;
  const of = repository_id ?? accountName(membership);
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

function Invitations({ invited }: { invited: readonly Membership[] }) {
  const { act, busy } = useAction(loadUser);
  if (invited.length === 0) return null;
  return (
    <section class="block">
      <h2>Invitations</h2>
      <ul class="cards">
        {invited.map((each) => {
          const params = { path: { membership_id: each.membership_id } };
          const accept = () => dataOf(api.POST('/memberships/{membership_id}/accept', { params }));
          const reject = () => dataOf(api.POST('/memberships/{membership_id}/reject', { params }));
          const from = accountName(each);
          const where = each.repository_id === undefined ? from : `${each.repository_id} of ${from}`;
          const of = `the invitation to ${where}`;
          return (
            <li class="card" key={each.membership_id}>
              <p>
                <strong>{from}</strong> invited you{each.repository_id !== undefined && ` to ${each.repository_id}`} as{' '}
                {roleLabels[each.role].one}.{' '}
                <span class="soft">
                  {each.membership_account_id}, {formatDay(each.state_changed)}
                </span>
              </p>
              <p class="actions">
                <Button
                  kind="button"
                  label="Accept"
                  of={of}
                  {...busy}
                  onClick={() => void act(accept, `You are a member of ${where} now.`)}
                />
                <Button
                  kind="plain"
                  label="Reject"
                  of={of}
                  {...busy}
                  onClick={() => void act(reject, 'You rejected the invitation.')}
                />
              </p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function TransferRequests({ accountId }: { accountId: string }) {
  const loading = useLoading(
    () => answerOf(api.GET('/accounts/{account_id}/transfers', { params: { path: { account_id: accountId } } })),
    [accountId],
  );
  const { answers, acceptDialog } = useTransferAnswers(loading.reload);
  return (
    <>
      <Loaded loading={loading}>
        {({ data }) => {
          const open = data.filter(({ state, to }) => state === 'offered' && to === accountId);
          if (open.length === 0) return null;
          return (
            <section class="block">
              <h2>Transfer requests</h2>
              <ul class="cards">
                {open.map((each) => (
                  <li class="card" key={each.transfer_id}>
                    <p>
                      <NamedAccount id={each.account_id} name={each.account_name} /> wants to transfer{' '}
                      <OfferedRepository offer={each} /> to you.{' '}
                      <span class="soft">Until {formatDay(each.expires_at)}</span>
                    </p>
                    <p class="actions">{answers(each, { accept: 'button', decline: 'plain' })}</p>
                  </li>
                ))}
              </ul>
            </section>
          );
        }}
      </Loaded>
      {acceptDialog}
    </>
  );
}
