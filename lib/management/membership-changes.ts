import { type MembershipMove, moveMembership } from '../domain/accounts/membership-moves.ts';
import type { Membership } from '../domain/accounts/memberships.ts';
import type { AuditKind } from '../domain/changes/audit.ts';
import { toTimestamp } from '../domain/time.ts';
import type { RunContext } from '../http/pipeline.ts';
import type { revokeMembership } from '../operations/memberships.ts';
import type { Services } from './services.ts';

type MoveContext = Pick<RunContext<typeof revokeMembership, Services>, 'target' | 'services' | 'now' | 'event'>;

/** Makes a move of the state machine, with its audit event `kind`, and returns the membership as it is then. */
export async function carryOutMove(kind: AuditKind, move: MembershipMove, context: MoveContext): Promise<Membership> {
  const { target, services, now, event } = context;
  const { account, membership } = target;
  const moved = moveMembership(membership, move);
  if (moved === undefined) return membership;
  const { membership_id, account_id, repository_id } = membership;
  const subject = {
    membership_id,
    account_id,
    role: moved.role,
    ...(repository_id === undefined ? {} : { repository_id }),
  };
  const state_changed = moved.state === membership.state ? membership.state_changed : toTimestamp(now);
  return services.store.memberships.change(
    membership,
    { ...moved, state_changed },
    account,
    event(kind, account.account_id, subject),
  );
}
