import { keys, listPosition, lists } from '../../../lib/store/keys.ts';
import type { MembershipRecord } from '../../../lib/store/records.ts';

/** A membership as the release before migration 0007 wrote it: in its member's partition, whatever its state, with a role there. */
export function formerMembership(membership: MembershipRecord) {
  const { membership_id, account_id, created_at, membership_account_id, role, state } = membership;
  return {
    membership: {
      ...membership,
      ...keys.acceptedMembership(account_id, created_at, membership_id),
      entity: 'membership',
      list_pk: lists.members(membership_account_id),
      list_sk: listPosition(created_at, membership_id),
    },
    pointer: {
      ...keys.membership(membership_id),
      entity: 'membership_pointer',
      membership_id,
      account_id,
      created_at,
      membership_account_id,
    },
    role: { ...keys.role(account_id, membership_account_id), entity: 'role', membership_id, role, state },
  };
}
