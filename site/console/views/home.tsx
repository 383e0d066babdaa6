import { useMemo } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { Loaded, type Loading, useLoading } from '../components/loaded.tsx';
import { notifyRefusal } from '../components/notices.tsx';
import { useBusy } from '../components/once.ts';
import { Accounts } from '../dashboard/accounts.tsx';
import { Attention } from '../dashboard/attention.tsx';
import { ChosenLink } from '../dashboard/chosen-link.tsx';
import { loadRepositories, OwnRepositories, pathOf, type Repositories, titleOf } from '../dashboard/repositories.tsx';
import { Invitations, TransferRequests } from '../dashboard/requests.tsx';
import { type AccountRights, loadAccountRights, partsOf } from '../dashboard/scope.ts';
import { loadPlatformPermissions } from '../platform/permissions.ts';
import { hrefOf } from '../router.ts';
import { loadMoreMemberships, mayWrite, type User, user } from '../signed-in-user.ts';
import { FirstSteps } from './first-steps.tsx';

/** Shows the user's repositories, invitations, and accounts, and what needs attention. */
export function View() {
  const state = user.value;
  if (state.kind !== 'ready' || state.value.account === null) return null;
  return <Dashboard of={state.value} own={state.value.account} />;
}

function Dashboard({ of, own }: { of: User; own: NonNullable<User['account']> }) {
  const { invited, organizations, shared, accounts } = useMemo(() => partsOf(of), [of]);
  const platform = useLoading(loadPlatformPermissions, []).state.value;
  const ids = accounts.map(({ account_id }) => account_id);
  const rights = useLoading(() => loadAccountRights(accounts), ids);
  const repositories = useLoading(
    () => loadRepositories(accounts, shared),
    [...ids, ...shared.map(({ membership_id }) => membership_id)],
  );
  const isWriter = (each: { account_id: string; repository_id: string }) => mayWrite(of, each);
  const listed = repositories.state.value;
  return (
    <>
      {/* Hide these actions before the first repository exists, because `FirstSteps` then offers the same actions. */}
      {listed.kind === 'ready' && listed.value.rows.length > 0 && (
        <Actions rights={rights} rows={listed.value.rows} isWriter={isWriter} />
      )}
      <div class="columns">
        <div>
          <Invitations invited={invited} />
          <TransferRequests rights={rights} onAnswer={repositories.reload} />
          {listed.kind === 'ready' && <FirstSteps own={own.account_id} repositories={listed.value.rows} />}
          <OwnRepositories loading={repositories} mayWrite={isWriter} />
        </div>
        <aside>
          <Attention rights={rights} repositories={repositories} me={own.account_id} />
          <Accounts own={own} organizations={organizations} shared={shared} platform={platform} />
          {of.next !== undefined && <More />}
          {platform.kind === 'ready' && platform.value('createDataConnection') && (
            <section class="block">
              <h2>Site</h2>
              <p>
                <a href={hrefOf('/administration')}>Administration</a> <span class="soft">Storage and accounts</span>
              </p>
            </section>
          )}
        </aside>
      </div>
    </>
  );
}

interface ActionsProps {
  rights: Loading<readonly AccountRights[]>;
  rows: Repositories['rows'];
  isWriter: (repository: { account_id: string; repository_id: string }) => boolean;
}

/** Renders the three ways to publish. Each asks for the account or the repository, if there are several. */
function Actions({ rights, rows, isWriter }: ActionsProps) {
  return (
    <Loaded loading={rights}>
      {(accounts) => {
        const accountsWith = (permission: Parameters<AccountRights['may']>[0], path: string) =>
          accounts
            .filter(({ may }) => may(permission))
            .map(({ account_id, name }) => ({ name, id: account_id, href: `/accounts/${account_id}/${path}` }));
        const writable = rows.filter((each) => !each.disabled && isWriter(each));
        return (
          <div class="actions">
            <ChosenLink
              label="Create repository"
              kind="button"
              question="In which account?"
              options={accountsWith('createRepository', 'new-repository')}
            />
            <ChosenLink
              label="Upload files"
              kind="button second"
              question="To which repository?"
              options={writable.map((each) => ({
                name: titleOf(each),
                id: `${each.account_id}/${each.repository_id}`,
                href: `${pathOf(each)}/files`,
              }))}
            />
            <ChosenLink
              label="Connect CI"
              kind="button second"
              question="For which account?"
              options={accountsWith('createServiceAccount', 'service-accounts')}
            />
          </div>
        );
      }}
    </Loaded>
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
