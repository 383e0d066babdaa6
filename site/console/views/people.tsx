import { answerOf, api, dataOf, onceOnly, pageQuery } from '../api/client.ts';
import { createdKeysPath } from '../machines/created-keys.tsx';
import type { AccountViewProps } from '../routes.ts';
import { Members } from './members.tsx';

/** Shows the members of an account. */
export function View({ account: { account_id, account, name, may, roles } }: AccountViewProps) {
  const path = { account_id };
  return (
    <Members
      of={name}
      keys={[account_id]}
      scope={account_id}
      mayInvite={may('inviteAccountMember') && !account?.disabled}
      roles={roles}
      keysOf={may('listMadeKeys') ? (maker: string) => createdKeysPath(account_id, maker) : undefined}
      load={(cursor) =>
        answerOf(api.GET('/accounts/{account_id}/members', { params: { path, query: pageQuery(cursor) } }))
      }
      invite={(invited, role) =>
        dataOf(
          api.POST('/accounts/{account_id}/members', {
            params: { path, header: onceOnly() },
            body: { account_id: invited, role },
          }),
        )
      }
    />
  );
}
