import { useState } from 'preact/hooks';
import { formatDay } from '../../../lib/pages/site/format.ts';
import { answerOf, api, dataOf, type Schemas } from '../api/client.ts';
import { DestructiveDialog } from '../components/dialogs.tsx';
import { Loaded, useLoading } from '../components/loaded.tsx';
import { notify, notifyRefusal } from '../components/notices.tsx';
import { useBusy } from '../components/once.ts';
import { KeysLeft } from '../machines/keys-left.tsx';
import { loadMoreMemberships, loadPerson, person } from '../person.ts';
import { loadPlatformPermissions, type May } from '../platform/permissions.ts';
import { hrefOf } from '../router.ts';
import { FirstSteps } from './first-steps.tsx';
import { HowToFound } from './how-to-found.tsx';
import { leavingStops, roleLabels } from './roles.ts';
import { AcceptDialog, NamedAccount, OfferedRepository, type Transfer } from './transfer-offer.tsx';

type Membership = Schemas['ListedMembership'];

/** Shows the user's account, organizations, repositories, and invitations. */
export function View() {
  const [leaving, setLeaving] = useState<Membership>();
  const platform = useLoading(loadPlatformPermissions, []).state.value;
  // The view does not wait for these permissions, because they control only one section.
  const mayPlatform: May = (permission) => platform.kind === 'ready' && platform.value(permission);
  const state = person.value;
  if (state.kind !== 'ready' || state.value.account === null) return null;
  const { account, memberships, next } = state.value;
  const invited = memberships.filter((each) => each.state === 'invited');
  const member = memberships.filter((each) => each.state === 'member');
  const organizations = member.filter((each) => each.repository_id === undefined);
  const repositories = member.filter((each) => each.repository_id !== undefined);
  return (
    <>
      <Invitations invited={invited} />
      <Offers accountId={account.account_id} />
      <FirstSteps accounts={[account.account_id, ...organizations.map((each) => each.membership_account_id)]} />
      <section class="block">
        <h2>Accounts</h2>
        <ul class="grid">
          <Tile
            href={`/accounts/${account.account_id}`}
            title={account.profile.name || account.account_id}
            note="Your own account"
            id={account.account_id}
          />
          {organizations.map((each) => (
            <Tile
              key={each.membership_id}
              href={`/accounts/${each.membership_account_id}`}
              id={each.membership_account_id}
              title={each.membership_account_name || each.membership_account_id}
              note={`You are ${roleLabels[each.role].one}`}
              onLeave={() => setLeaving(each)}
            />
          ))}
        </ul>
        {mayPlatform('createAccount') && (
          <p>
            <a class="button second" href={hrefOf('/new-organization')}>
              New organization
            </a>
          </p>
        )}
        {platform.kind === 'ready' && !mayPlatform('createAccount') && (
          <p class="soft">
            <HowToFound accountId={account.account_id} />
          </p>
        )}
      </section>
      {repositories.length > 0 && (
        <section class="block">
          <h2>Repositories of others</h2>
          <ul class="grid">
            {repositories.map((each) => (
              <Tile
                key={each.membership_id}
                href={`/repositories/${each.membership_account_id}/${each.repository_id}`}
                title={each.repository_id ?? ''}
                id={each.membership_account_id}
                note={`You are ${roleLabels[each.role].one}, at ${each.membership_account_name || each.membership_account_id}`}
                onLeave={() => setLeaving(each)}
              />
            ))}
          </ul>
        </section>
      )}
      {next !== undefined && <More />}
      {mayPlatform('createDataConnection') && <Administration />}
      {leaving !== undefined && <LeaveDialog membership={leaving} onClose={() => setLeaving(undefined)} />}
    </>
  );
}

/** Loads the next page of memberships. Accepted ones come before invitations. */
function More() {
  const { run, busy } = useBusy();
  const more = () => loadMoreMemberships().catch(notifyRefusal);
  return (
    <p>
      <button type="button" class="plain" {...busy} onClick={() => void run(more)}>
        Show more accounts, repositories and invitations
      </button>
    </p>
  );
}

/** Links to the administration view. */
function Administration() {
  return (
    <section class="block">
      <h2>Site</h2>
      <p>
        <a href={hrefOf('/administration')}>Administration</a> <span class="soft">Storage and accounts</span>
      </p>
    </section>
  );
}

interface TileProps {
  href: string;
  title: string;
  note: string;
  id: string;
  /** Leaves the organization or repository. Undefined for the user's own account. */
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
          {onLeave && (
            <button type="button" class="small" aria-label={`Leave ${title}`} onClick={onLeave}>
              Leave …
            </button>
          )}
        </p>
      </article>
    </li>
  );
}

function LeaveDialog({ membership, onClose }: { membership: Membership; onClose: () => void }) {
  const { account_id, membership_id, membership_account_id, membership_account_name, repository_id } = membership;
  const of = repository_id ?? (membership_account_name || membership_account_id);
  const leave = async () => {
    await dataOf(api.POST('/memberships/{membership_id}/revoke', { params: { path: { membership_id } } }));
    await loadPerson();
    notify(`You left ${of}.`);
  };
  return (
    <DestructiveDialog
      title={`Leave ${of}?`}
      stops={leavingStops('You', of)}
      action="Leave"
      onConfirm={leave}
      onClose={onClose}
    >
      <KeysLeft account_id={membership_account_id} repository_id={repository_id} maker={account_id} isMe />
    </DestructiveDialog>
  );
}

/** Sends an answer to an invitation, shows the result, and reloads the list. */
function useAnswer(after: () => Promise<unknown>) {
  const { run, busy } = useBusy();
  const answer = (send: () => Promise<unknown>, done: string) =>
    run(async () => {
      try {
        await send();
        await after();
        notify(done);
      } catch (error) {
        notifyRefusal(error);
      }
    });
  return { busy, answer };
}

function Invitations({ invited }: { invited: readonly Membership[] }) {
  const { busy, answer } = useAnswer(loadPerson);
  if (invited.length === 0) return null;
  return (
    <section class="block">
      <h2>Invitations</h2>
      <ul class="cards">
        {invited.map((each) => {
          const params = { path: { membership_id: each.membership_id } };
          const from = each.membership_account_name || each.membership_account_id;
          const where = each.repository_id === undefined ? from : `${each.repository_id} of ${from}`;
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
                <button
                  type="button"
                  class="button"
                  {...busy}
                  aria-label={`Accept the invitation to ${where}`}
                  onClick={() =>
                    answer(
                      () => dataOf(api.POST('/memberships/{membership_id}/accept', { params })),
                      `You are a member of ${where} now.`,
                    )
                  }
                >
                  Accept
                </button>
                <button
                  type="button"
                  class="plain"
                  {...busy}
                  aria-label={`Reject the invitation to ${where}`}
                  onClick={() =>
                    answer(
                      () => dataOf(api.POST('/memberships/{membership_id}/reject', { params })),
                      'You rejected the invitation.',
                    )
                  }
                >
                  Reject
                </button>
              </p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Offers({ accountId }: { accountId: string }) {
  const loading = useLoading(
    () => answerOf(api.GET('/accounts/{account_id}/transfers', { params: { path: { account_id: accountId } } })),
    [accountId],
  );
  const { busy, answer } = useAnswer(loading.reload);
  const [accepting, setAccepting] = useState<Transfer>();
  return (
    <>
      <Loaded loading={loading}>
        {({ data }) => {
          const open = data.filter(({ state, to }) => state === 'offered' && to === accountId);
          if (open.length === 0) return null;
          return (
            <section class="block">
              <h2>Repositories offered to you</h2>
              <ul class="cards">
                {open.map((each) => {
                  const params = { path: { transfer_id: each.transfer_id } };
                  return (
                    <li class="card" key={each.transfer_id}>
                      <p>
                        <NamedAccount id={each.account_id} name={each.account_name} /> offers you{' '}
                        <OfferedRepository offer={each} />. <span class="soft">Until {formatDay(each.expires_at)}</span>
                      </p>
                      <p class="actions">
                        <button
                          type="button"
                          class="button"
                          {...busy}
                          aria-label={`Accept ${each.account_id}/${each.repository_id} …`}
                          onClick={() => setAccepting(each)}
                        >
                          Accept …
                        </button>
                        <button
                          type="button"
                          class="plain"
                          {...busy}
                          onClick={() =>
                            answer(
                              () => dataOf(api.POST('/transfers/{transfer_id}/decline', { params })),
                              'You declined the offer.',
                            )
                          }
                        >
                          Decline
                        </button>
                      </p>
                    </li>
                  );
                })}
              </ul>
            </section>
          );
        }}
      </Loaded>
      {accepting !== undefined && (
        <AcceptDialog offer={accepting} onAccepted={loading.reload} onClose={() => setAccepting(undefined)} />
      )}
    </>
  );
}
