import { actingAccountOf } from '../../lib/domain/accounts/callers.ts';
import { requireUsable } from '../../lib/domain/accounts/invitation-links.ts';
import { ServiceError } from '../../lib/domain/errors.ts';
import { isLinkSecret } from '../../lib/domain/secrets/link-secrets.ts';
import { toTimestamp } from '../../lib/domain/time.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { acceptInvitationLink } from '../../lib/operations/memberships.ts';
import { usedLinkWrites } from '../../lib/store/invitations/invitation-links.ts';

export const handler = apiFunction(acceptInvitationLink, async ({ caller, path, body, services, now, event }) => {
  const { store, random } = services;
  const account_id = actingAccountOf(caller)?.account_id;
  if (account_id === undefined) throw new Error('who may call this has an enabled account');
  await store.invitationLinks.countUse(account_id, now);
  const found = await store.invitationLinks.find(path.invitation_link_id);
  // Answer a retry like the first request, because the user may have lost the first response.
  if (found?.used_by === account_id && found.membership_id && isLinkSecret(body.secret, found.secret_hash)) {
    const membership = await store.memberships.find(found.membership_id);
    if (membership?.state === 'member') return membership;
  }
  const { link, account, repository } = await requireUsable(found, body.secret, services, now);
  if (account.account_id === account_id) {
    throw new ServiceError('already_member', `${account_id} is your own account; nobody needs to invite you to it`);
  }
  const created_at = toTimestamp(now);
  const { invitation_link_id, role } = link;
  const membership = {
    membership_id: random.uuid(),
    account_id,
    membership_account_id: account.account_id,
    ...(repository && { repository_id: repository.repository_id, repository_uid: repository.uid }),
    role,
    state: 'member',
    state_changed: created_at,
    created_at,
    invitation_link_id,
  } as const;
  const { membership_id, membership_account_id, repository_id } = membership;
  const accepted = event('membership.accepted', membership_account_id, {
    membership_id,
    account_id,
    role,
    invitation_link_id,
    ...(repository_id === undefined ? {} : { repository_id }),
  });
  const writes = usedLinkWrites(link, { used_by: account_id, membership_id });
  await store.memberships.join(membership, { account, link: writes }, accepted, now);
  return membership;
});
