import * as z from 'zod';
import { type Membership, membershipRoleSchema, membershipSchema } from '../domain/accounts/memberships.ts';
import { ofRepository } from '../domain/data/internal-ids.ts';
import { decode } from './codec.ts';
import type { Item } from './keys.ts';

/** The number of times that an account was disabled. No response contains it. */
export const disabledCount = z.object({ times_disabled: z.int().default(0) });

export const membershipRecord = membershipSchema.extend({
  created_at: z.string(),
  /** The link with which the member joined. */
  invitation_link_id: z.string().optional(),
  ...ofRepository,
}) satisfies z.ZodType<Membership>;
export type MembershipRecord = z.infer<typeof membershipRecord>;

/** The role of one account in one scope, from an accepted membership. */
export const roleRecord = z.object({
  membership_id: z.string(),
  role: membershipRoleSchema,
  ...ofRepository,
});

export const identityRecord = z.object({ account_id: z.string() });

/** The new location of a transferred repository. The key of the item contains the old path. */
export const forwardingRecord = z.object({
  account_id: z.string(),
  repository_id: z.string(),
  former_uid: z.string(),
  to_account_id: z.string(),
  to_repository_id: z.string(),
  to_uid: z.string(),
});

export const serviceKeyPointerRecord = z.object({
  key_id: z.string(),
  key_hash: z.string(),
  created_by: z.string().optional(),
});

/** Returns the role in a role item, and the internal ID of its repository. Returns undefined if there is no item. */
export function parseRole(item: Item | undefined) {
  const { role, repository_uid } = decode(roleRecord, item) ?? {};
  return role && { role, repository_uid };
}
