import { shownNameOf } from '../../lib/domain/accounts/accounts.ts';
import { actingAccountOf } from '../../lib/domain/accounts/callers.ts';
import { requireUsable } from '../../lib/domain/accounts/invitation-links.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { showInvitationLink } from '../../lib/operations/memberships.ts';

export const handler = apiFunction(showInvitationLink, async ({ caller, path, body, services, now }) => {
  const { invitationLinks } = services.store;
  await invitationLinks.countUse(actingAccountOf(caller)?.account_id ?? '', now);
  const found = await invitationLinks.find(path.invitation_link_id);
  const { link, creator, account } = await requireUsable(found, body.secret, services, now);
  return { ...link, account_name: shownNameOf(account), created_by_name: shownNameOf(creator) };
});
