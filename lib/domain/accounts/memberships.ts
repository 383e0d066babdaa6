import * as z from 'zod';
import { isOfRepository, type OfRepository } from '../data/internal-ids.ts';
import { ServiceError } from '../errors.ts';
import { anyAccountIdSchema, identifierSchema, uuidSchema } from '../identifiers.ts';
import { limits } from '../limits.ts';
import { timestampSchema } from '../text.ts';
import { dayMs, parseTimestamp, toTimestamp } from '../time.ts';
import { shownNameSchema } from './accounts.ts';

export const membershipRoles = ['owners', 'maintainers', 'read_data', 'write_data'] as const;
export const membershipRoleSchema = z.enum(membershipRoles);
export type MembershipRole = z.infer<typeof membershipRoleSchema>;

const membershipStates = ['invited', 'member', 'revoked'] as const;
export const membershipStateSchema = z.enum(membershipStates);
export type MembershipState = z.infer<typeof membershipStateSchema>;

export const membershipSchema = z.object({
  membership_id: uuidSchema,
  account_id: identifierSchema,
  membership_account_id: anyAccountIdSchema,
  repository_id: identifierSchema.optional(),
  role: membershipRoleSchema,
  state: membershipStateSchema,
  state_changed: timestampSchema,
});
export type Membership = z.infer<typeof membershipSchema>;

/** A membership in list responses. */
export const listedMembershipSchema = membershipSchema.extend({
  account_name: shownNameSchema,
  membership_account_name: shownNameSchema,
});
export type ListedMembership = z.infer<typeof listedMembershipSchema>;

/**
 * Returns the expiry of an open invitation in milliseconds since the Unix epoch. The field `state_changed` of an open
 * invitation contains its creation time.
 */
export function endOfInvitation({ state_changed }: Pick<Membership, 'state_changed'>): number {
  return parseTimestamp(state_changed) + limits.invitationLifeDays * dayMs;
}

/**
 * Returns the membership with its state at the given time. An unanswered invitation counts as revoked after its expiry,
 * even if the stored state is still `invited`.
 */
export function membershipAt<Stored extends Membership>(membership: Stored, now: number): Stored {
  const end = endOfInvitation(membership);
  if (membership.state !== 'invited' || now < end) return membership;
  return { ...membership, state: 'revoked', state_changed: toTimestamp(end) };
}

/**
 * The stored roles of an account in another account and in one of that account's repositories. Each role belongs to a
 * membership in the state `member`.
 */
export interface HeldRoles {
  account: MembershipRole | undefined;
  repository: (OfRepository & { role: MembershipRole }) | undefined;
}

/**
 * Returns the roles that are valid in the current repository with this ID. Roles in a deleted repository with the same
 * ID do not count. `repository` is undefined if no repository has the ID.
 */
export function countingRoles(
  { account, repository: held }: HeldRoles,
  repository: { uid: string } | undefined,
): Roles {
  return { account, repository: held !== undefined && isOfRepository(held, repository) ? held.role : undefined };
}

/**
 * The caller's roles in the account and repository of a request. A role is present only while its membership has the
 * state `member`.
 */
export interface Roles {
  account: MembershipRole | undefined;
  repository: MembershipRole | undefined;
}

export type MembershipMove = 'accept' | 'reject' | 'revoke' | { role: MembershipRole };

/**
 * Applies one change to a membership. `invited` can become `member` (accept) or `revoked` (reject). Each of these
 * states can become `revoked` (revoke), which is final. Returns undefined if the membership already has the new state.
 * Throws `wrong_state` if the change is not possible.
 */
export function moveMembership(
  { state, role }: Pick<Membership, 'state' | 'role'>,
  move: MembershipMove,
): { state: MembershipState; role: MembershipRole } | undefined {
  if (move === 'revoke') return state === 'revoked' ? undefined : { state: 'revoked', role };
  if (move === 'accept' || move === 'reject') {
    if (state !== 'invited') {
      throw new ServiceError('wrong_state', `This invitation is no longer open: the membership is ${state}`);
    }
    return { state: move === 'accept' ? 'member' : 'revoked', role };
  }
  if (state === 'revoked')
    throw new ServiceError('wrong_state', 'The membership is revoked; send a new invitation instead');
  return move.role === role ? undefined : { state, role: move.role };
}
