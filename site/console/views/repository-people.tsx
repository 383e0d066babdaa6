import { api, dataOf, onceOnly } from '../api/client.ts';
import type { RepositoryViewProps } from '../routes.ts';
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
    </>
  );
}
