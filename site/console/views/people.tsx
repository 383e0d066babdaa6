import { api, dataOf, onceOnly } from '../api/client.ts';
import { createdKeysPath } from '../machines/created-keys-path.ts';
import type { AccountViewProps } from '../routes.ts';
import { InvitationLinks } from './links.tsx';
import { Members } from './members.tsx';

/** Shows the members of an account. */
export function View({ account: { account_id, account, name, may, roles } }: AccountViewProps) {
  const path = { account_id };
  return (
    <>
      <Members
        of={name}
        keys={[account_id]}
        scope={account_id}
        mayInvite={may('inviteAccountMember') && !account?.disabled}
        roles={roles}
        keysOf={may('listMadeKeys') ? (creator: string) => createdKeysPath(account_id, creator) : undefined}
        load={(query) => api.GET('/accounts/{account_id}/members', { params: { path, query } })}
        invite={(body) =>
          dataOf(api.POST('/accounts/{account_id}/members', { params: { path, header: onceOnly() }, body }))
        }
      />
      <InvitationLinks
        of={name}
        keys={[account_id]}
        roles={roles}
        mayCreate={may('createAccountInvitationLink') && !account?.disabled}
        load={(query) => api.GET('/accounts/{account_id}/invitation-links', { params: { path, query } })}
        create={(role) =>
          dataOf(
            api.POST('/accounts/{account_id}/invitation-links', {
              params: { path, header: onceOnly() },
              body: { role },
            }),
          )
        }
        revoke={(invitation_link_id) =>
          dataOf(
            api.DELETE('/accounts/{account_id}/invitation-links/{invitation_link_id}', {
              params: { path: { ...path, invitation_link_id } },
            }),
          )
        }
      />
    </>
  );
}
