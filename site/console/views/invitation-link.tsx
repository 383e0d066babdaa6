import { useState } from 'preact/hooks';
import { forgetLinkSecret, takeLinkSecret } from '../../data/link-secret.ts';
import { api, dataOf } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { Loaded, useLoading } from '../components/loaded.tsx';
import { useAction } from '../components/once.ts';
import { Minute } from '../components/time.tsx';
import { goTo } from '../router.ts';
import type { ViewProps } from '../routes.ts';
import { isSignedIn } from '../sign-in/session.ts';
import { SignInView } from '../sign-in/view.tsx';
import { loadUser, userLoading } from '../signed-in-user.ts';
import { FirstAccount } from './first-account.tsx';
import { roleLabels } from './roles.ts';

/** Shows an invitation link to its recipient, who signs in and accepts. */
export function View({ parameters: { invitation_link_id = '' } }: ViewProps) {
  const [secret] = useState(() => takeLinkSecret(invitation_link_id));
  if (!isSignedIn.value)
    return (
      <>
        <p class="lead">You are invited. Sign in to see who invites you, and to accept.</p>
        <SignInView />
      </>
    );
  return (
    <Loaded loading={userLoading}>
      {({ account }) =>
        account === null ? <FirstAccount isInvited /> : <Invitation id={invitation_link_id} secret={secret} />
      }
    </Loaded>
  );
}

function Invitation({ id, secret }: { id: string; secret: string }) {
  const params = { path: { invitation_link_id: id } };
  const body = { secret };
  const loading = useLoading(
    () => dataOf(api.POST('/invitation-links/{invitation_link_id}/show', { params, body })),
    [id],
  );
  const { act, busy } = useAction(async () => {});
  const accept = () =>
    act(async () => {
      const joined = await dataOf(api.POST('/invitation-links/{invitation_link_id}/accept', { params, body }));
      forgetLinkSecret(id);
      await loadUser();
      const { membership_account_id: account_id, repository_id } = joined;
      goTo(repository_id ? `/repositories/${account_id}/${repository_id}` : `/accounts/${account_id}`);
    }, 'You are a member now.');
  return (
    <Loaded loading={loading}>
      {({ account_id, account_name, repository_id, role, created_by, created_by_name, expires_at }) => (
        <>
          <p class="lead">
            {created_by_name ?? created_by} invites you to{' '}
            <strong>{repository_id ? `${account_id}/${repository_id}` : (account_name ?? account_id)}</strong> as{' '}
            {roleLabels[role].one}.
          </p>
          <p class="soft">
            The invitation expires on <Minute time={Date.parse(expires_at)} />.
          </p>
          <p class="actions">
            <Button kind="button" label="Accept the invitation" {...busy} onClick={() => void accept()} />
          </p>
        </>
      )}
    </Loaded>
  );
}
