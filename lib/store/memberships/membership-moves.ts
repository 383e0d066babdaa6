import type { AccountRecord } from '../../domain/accounts/accounts.ts';
import { type Membership, type MembershipMove, moveMembership } from '../../domain/accounts/memberships.ts';
import type { StoredMembership } from '../../domain/accounts/request-data.ts';
import type { AuditEvent, AuditKind } from '../../domain/changes/audit.ts';
import type { RepositoryRecord } from '../../domain/data/repositories.ts';
import { ServiceError } from '../../domain/errors.ts';
import { toTimestamp } from '../../domain/time.ts';
import type { MembershipStore } from './memberships.ts';

interface MoveContext {
  target: { account: AccountRecord; repository: RepositoryRecord | undefined; membership: StoredMembership };
  services: { store: { memberships: MembershipStore } };
  now: number;
  event(kind: AuditKind, accountId: string, subject: Record<string, string>): AuditEvent;
}

/** Allows only `reject` and `revoke` for a membership of a deleted repository. */
function requireScope({ repository_id }: Membership, repository: object | undefined, move: MembershipMove): void {
  const isDeleted = repository_id !== undefined && repository === undefined;
  if (!isDeleted || move === 'reject' || move === 'revoke') return;
  throw new ServiceError('wrong_state', 'The repository of this membership was deleted or transferred');
}

/** Applies a transition of the state machine with the audit event `kind`, and returns the changed membership. */
export async function carryOutMove(kind: AuditKind, move: MembershipMove, context: MoveContext): Promise<Membership> {
  const { target, services, now, event } = context;
  const { account, repository, membership } = target;
  requireScope(membership, repository, move);
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
    { account, repository, rejectedAt: move === 'reject' ? now : undefined },
    event(kind, account.account_id, subject),
  );
}
