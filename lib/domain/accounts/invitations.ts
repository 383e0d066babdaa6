import { ServiceError } from '../errors.ts';
import { limits } from '../limits.ts';
import { dayMs } from '../time.ts';

/** What was invited earlier, as far as a further invitation hangs on it. */
export interface EarlierInvitations {
  /** Of the inviting account and all its repositories to this one: still open, and made in the last 24 hours. */
  openToOne: number;
  madeToOneToday: number;
  /** Whether the invited one rejected one in the last 24 hours, or blocks the inviting account. */
  isDeclined: boolean;
  /** Made by the inviting account in the last 24 hours; undefined for an account that is no longer young. */
  madeByYoungAccountToday: number | undefined;
  /** In the scope that it would be for. */
  openInScope: number;
}

/** By their IDs; the scope is an account, or `account/repository`. */
export interface InvitationNames {
  from: string;
  to: string;
  scope: string;
}

const hourMs = 3_600_000;

/** Whether a rejection at this time (milliseconds since the Unix epoch) still keeps the same account from inviting again. */
export function isPausedAfter(rejectedAt: number | undefined, now: number): boolean {
  return rejectedAt !== undefined && now - rejectedAt < limits.invitationPauseAfterRejectionHours * hourMs;
}

/** An account without a creation time is older than the release that began to store it. */
export function isYoungAccount(createdAt: number | undefined, now: number): boolean {
  return createdAt !== undefined && now - createdAt < limits.youngAccountDays * dayMs;
}

/**
 * What refuses a further invitation; undefined when it may be made. Who was rejected and who is blocked
 * are told the same, before anything else that one of them might be told instead.
 */
export function invitationRefusal(
  earlier: EarlierInvitations,
  { from, to, scope }: InvitationNames,
): ServiceError | undefined {
  const { openInvitationsToOneMax, invitationsToOnePerDayMax, invitationPauseAfterRejectionHours } = limits;
  if (earlier.isDeclined) {
    return new ServiceError(
      'invitation_declined',
      `${to} takes no invitation of ${from} at present: none is made for ${invitationPauseAfterRejectionHours} hours after a rejection, nor to an account that blocks the inviting one`,
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
      `${from} makes at most ${invitationsToOnePerDayMax} invitations to one account in 24 hours; invite ${to} later`,
    );
  }
  const { invitationsOfYoungAccountPerDayMax, youngAccountDays, openInvitationsOfScopeMax } = limits;
  if ((earlier.madeByYoungAccountToday ?? 0) >= invitationsOfYoungAccountPerDayMax) {
    return new ServiceError(
      'limit_reached',
      `An account younger than ${youngAccountDays} days makes at most ${invitationsOfYoungAccountPerDayMax} invitations in 24 hours; ${from} can make more later`,
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
