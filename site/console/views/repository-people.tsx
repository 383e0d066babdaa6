import { api, dataOf, onceOnly } from '../api/client.ts';
import type { RepositoryViewProps } from '../routes.ts';
import { DataLinks, InvitationLinks } from './links.tsx';
import { Members } from './members.tsx';

/**
 * Shows the members of one repository. Members of the owner's account also have access, but this list does not contain
 * them.
 */
export function View({ repository: { account_id, account_name, repository_id, ...scope } }: RepositoryViewProps) {
  const path = { account_id, repository_id };
  return (
    <>
      <p class="soft">Members of {account_name} have the same role in this repository.</p>
      <Members
        of={scope.title}
        keys={[account_id, repository_id]}
        scope={`${account_id}/${repository_id}`}
        mayInvite={scope.may('inviteRepositoryMember') && !scope.repository.disabled}
        roles={scope.roles}
        load={(query) => api.GET('/repositories/{account_id}/{repository_id}/members', { params: { path, query } })}
        invite={(body) =>
          dataOf(
            api.POST('/repositories/{account_id}/{repository_id}/members', {
              params: { path, header: onceOnly() },
              body,
            }),
          )
        }
      />
      <InvitationLinks
        of={scope.title}
        keys={[account_id, repository_id]}
        roles={scope.roles}
        mayCreate={scope.may('createRepositoryInvitationLink') && !scope.repository.disabled}
        load={(query) =>
          api.GET('/repositories/{account_id}/{repository_id}/invitation-links', { params: { path, query } })
        }
        create={(role) =>
          dataOf(
            api.POST('/repositories/{account_id}/{repository_id}/invitation-links', {
              params: { path, header: onceOnly() },
              body: { role },
            }),
          )
        }
        revoke={(invitation_link_id) =>
          dataOf(
            api.DELETE('/repositories/{account_id}/{repository_id}/invitation-links/{invitation_link_id}', {
              params: { path: { ...path, invitation_link_id } },
            }),
          )
        }
      />
      {scope.may('createLink') && <DataLinks {...path} />}
    </>
  );
}
