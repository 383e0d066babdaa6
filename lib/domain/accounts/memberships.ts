import * as z from 'zod';
import { type IdRule, isOfRepository, type OfRepository } from '../data/internal-ids.ts';
import { anyAccountIdSchema, identifierSchema, uuidSchema } from '../identifiers.ts';
import { fitPage } from '../pages.ts';
import { timestampSchema } from '../text.ts';

export const membershipRoles = ['owners', 'maintainers', 'read_data', 'write_data'] as const;
export const membershipRoleSchema = z.enum(membershipRoles);
export type MembershipRole = z.infer<typeof membershipRoleSchema>;

export const membershipStates = ['invited', 'member', 'revoked'] as const;
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

const shownFirst: readonly MembershipState[] = ['member', 'invited', 'revoked'];

/**
 * Those of a session, oldest first. Nobody can keep others from inviting them again and again, and a session that had
 * become too large for an answer could not be had at all: of one that is, what was joined comes first and what was revoked
 * is left out first.
 */
export function membershipsShown(all: readonly Membership[]): Membership[] {
  const shown = fitPage(all, all.length);
  if (shown.length === all.length) return shown;
  const byState = all.toSorted((a, b) => shownFirst.indexOf(a.state) - shownFirst.indexOf(b.state));
  return fitPage(byState, byState.length);
}

/** Roles as they are kept, each of a membership in the state `member`. */
export interface HeldRoles {
  account: MembershipRole | undefined;
  repository: (OfRepository & { role: MembershipRole }) | undefined;
}

/** Those that count in the scope of a repository, which is undefined where none has that ID. */
export function countingRoles(
  { account, repository: held }: HeldRoles,
  repository: { uid?: string | undefined } | undefined,
  rule: IdRule,
): Roles {
  return { account, repository: held !== undefined && isOfRepository(held, repository, rule) ? held.role : undefined };
}

/** What a caller is in the scope a request names; a role is there only while the membership's state is `member`. */
export interface Roles {
  account: MembershipRole | undefined;
  repository: MembershipRole | undefined;
}
