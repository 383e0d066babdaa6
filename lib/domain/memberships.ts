import * as z from 'zod';
import { anyAccountIdSchema, identifierSchema, uuidSchema } from './identifiers.ts';
import { timestampSchema } from './text.ts';

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

/** What a caller is in the scope a request names; a role is there only while the membership's state is `member`. */
export interface Roles {
  account: MembershipRole | undefined;
  repository: MembershipRole | undefined;
}
