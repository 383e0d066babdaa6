import { invalidInput, ServiceError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { RandomSource } from '../random.ts';
import { dayMs, toTimestamp } from '../time.ts';
import type { Membership, MembershipRole } from './memberships.ts';
import type { RequestDataReader } from './request-data.ts';

/** Counts of earlier invitations, which decide whether a further invitation is allowed. */
export interface EarlierInvitations {
  /**
   * The number of invitations from the inviting account and its repositories to the invited account. Counts open
   * invitations, and all invitations of the last 24 hours.
   */
  openToOne: number;
  madeToOneToday: number;
  /** True if the invited account rejected an invitation in the last 24 hours, or blocks the inviting account. */
  isDeclined: boolean;
  /**
   * The number of invitations by the inviting account in the last 24 hours. Undefined if the inviting account was not
   * created recently (`isYoung`).
   */
  madeByYoungAccountToday: number | undefined;
  /** The number of open invitations to the account or repository of the new invitation. */
  openInScope: number;
}

/**
 * The inviting account, the invited account, and the scope of the invitation. A scope is an account, or
 * `account/repository`.
 */
export interface InvitationNames {
  from: string;
  to: string;
  scope: string;
}

const hourMs = 3_600_000;

/**
 * Returns true if the invited account rejected an invitation recently, so that the inviting account may not send a new
 * one yet.
 */
export function isPausedAfter(rejectedAt: number | undefined, now: number): boolean {
  return rejectedAt !== undefined && now - rejectedAt < limits.invitationPauseAfterRejectionHours * hourMs;
}

/**
 * Returns true if the account was created only a few days ago. An account without a stored creation time is not young.
 */
export function isYoungAccount(createdAt: number | undefined, now: number): boolean {
  return createdAt !== undefined && now - createdAt < limits.youngAccountDays * dayMs;
}

/**
 * Returns the error that refuses a further invitation, or undefined. A sender who is blocked gets the same error as
 * after a recent rejection, so the sender does not learn of the block.
 */
export function invitationRefusal(
  earlier: EarlierInvitations,
  { from, to, scope }: InvitationNames,
): ServiceError | undefined {
  const { openInvitationsToOneMax, invitationsToOnePerDayMax, invitationPauseAfterRejectionHours } = limits;
  if (earlier.isDeclined) {
    return new ServiceError(
      'invitation_declined',
      `${to} accepts no invitation of ${from} at the moment: it rejected one in the last ${invitationPauseAfterRejectionHours} hours, or it has blocked the account`,
    );
  }
  if (earlier.openToOne >= openInvitationsToOneMax) {
    return new ServiceError(
      'limit_reached',
      `${from} has at most ${openInvitationsToOneMax} open invitations to one account; wait for an answer of ${to}, or revoke one`,
    );
  }
  if (earlier.madeToOneToday >= invitationsToOnePerDayMax) {
    return new ServiceError(
      'limit_reached',
      `${from} can send at most ${invitationsToOnePerDayMax} invitations to one account in 24 hours; invite ${to} later`,
    );
  }
  const { invitationsOfYoungAccountPerDayMax, youngAccountDays, openInvitationsOfScopeMax } = limits;
  if ((earlier.madeByYoungAccountToday ?? 0) >= invitationsOfYoungAccountPerDayMax) {
    return new ServiceError(
      'limit_reached',
      `An account younger than ${youngAccountDays} days can send at most ${invitationsOfYoungAccountPerDayMax} invitations in 24 hours; ${from} can make more later`,
    );
  }
  if (earlier.openInScope >= openInvitationsOfScopeMax) {
    return new ServiceError(
      'limit_reached',
      `${scope} has at most ${openInvitationsOfScopeMax} open invitations; wait for answers, or revoke some`,
    );
  }
  return undefined;
}

interface NewInvitation {
  account_id: string;
  role: MembershipRole;
  membership_account_id: string;
  repository_id?: string;
  repository_uid?: string | undefined;
}

/** Returns a new membership in the state `invited`. Throws `invalid_request` for an account that cannot be invited. */
export async function newInvitation(
  invitation: NewInvitation,
  { requestData, random }: { requestData: Pick<RequestDataReader, 'readRequestData'>; random: RandomSource },
  now: number,
): Promise<Membership & NewInvitation & { created_at: string }> {
  const { account } = await requestData.readRequestData({ scope: { account_id: invitation.account_id } });
  const isInvitable = account?.account_type === 'user' && !account.disabled;
  if (!isInvitable || invitation.account_id === invitation.membership_account_id) {
    const message = 'must be the enabled user account of someone else; check the ID';
    throw invalidInput([{ path: 'account_id', message }]);
  }
  const created_at = toTimestamp(now);
  return { ...invitation, membership_id: random.uuid(), state: 'invited', state_changed: created_at, created_at };
}
