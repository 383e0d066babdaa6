import { answerOf, api, dataOf, onceOnly, pageQuery } from '../api/client.ts';
import type { RepositoryViewProps } from '../routes.ts';
import { Members } from './members.tsx';

/** Shows the members of one repository. Members of its account also have access, but are not listed. */
export function View({
  repository: { account_id, account_name, repository_id, repository, title, may, roles },
}: RepositoryViewProps) {
  const path = { account_id, repository_id };
  return (
    <>
      <p class="soft">Members of {account_name} have their role here too.</p>
      <Members
        of={title}
        keys={[account_id, repository_id]}
        scope={`${account_id}/${repository_id}`}
        mayInvite={may('inviteRepositoryMember') && !repository.disabled}
        roles={roles}
        load={(cursor) =>
          answerOf(
            api.GET('/repositories/{account_id}/{repository_id}/members', {
              params: { path, query: pageQuery(cursor) },
            }),
          )
        }
        invite={(invited, role) =>
          dataOf(
            api.POST('/repositories/{account_id}/{repository_id}/members', {
              params: { path, header: onceOnly() },
              body: { account_id: invited, role },
            }),
          )
        }
      />
    </>
  );
}
