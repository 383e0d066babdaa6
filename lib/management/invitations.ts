import type { MembershipRole } from '../domain/accounts/memberships.ts';
import { toTimestamp } from '../domain/time.ts';
import { invalidInput } from '../http/validate.ts';
import type { MembershipRecord } from '../store/records.ts';
import type { Services } from './services.ts';

interface Invitation {
  account_id: string;
  role: MembershipRole;
  membership_account_id: string;
  repository_id?: string;
  repository_uid?: string | undefined;
}

/** Returns a new membership in the state `invited`. Throws `invalid_request` for an account that cannot be invited. */
export async function newInvitation(
  invitation: Invitation,
  { store, random }: Pick<Services, 'store' | 'random'>,
  now: number,
): Promise<MembershipRecord> {
  const { account } = await store.facts.readRequestData({ scope: { account_id: invitation.account_id } });
  const isInvitable = account?.account_type === 'user' && !account.disabled;
  if (!isInvitable || invitation.account_id === invitation.membership_account_id) {
    const message = 'must be the enabled user account of someone else; check the ID';
    throw invalidInput([{ path: 'account_id', message }]);
  }
  const created_at = toTimestamp(now);
  return { ...invitation, membership_id: random.uuid(), state: 'invited', state_changed: created_at, created_at };
}
