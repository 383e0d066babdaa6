import * as z from 'zod';
import { anyAccountIdSchema, identifierSchema } from '../identifiers.ts';
import { limits } from '../limits.ts';
import { boundedText, timestampSchema, webUrlSchema } from '../text.ts';
import { versioned } from '../versions.ts';
import { disabling } from './disabling.ts';

const accountTypes = ['user', 'organization', 'service'] as const;
export const accountTypeSchema = z.enum(accountTypes);
export type AccountType = z.infer<typeof accountTypeSchema>;

/** Account flags that a data connection of the platform can require from its users. */
const requirableFlags = ['admin', 'create_repositories', 'create_organizations'] as const;
export const requirableFlagSchema = z.enum(requirableFlags);
export const accountFlagSchema = z.enum([...requirableFlags, 'create_data_connections']);
export type AccountFlag = z.infer<typeof accountFlagSchema>;

export const accountProfileSchema = z.strictObject({
  name: boundedText(limits.profileNameLengthMax).nullable().optional(),
  bio: boundedText(limits.profileBioLengthMax).nullable().optional(),
  location: boundedText(limits.profileLocationLengthMax).nullable().optional(),
  url: webUrlSchema.nullable().optional(),
});
export type AccountProfile = z.infer<typeof accountProfileSchema>;

export const accountSchema = z.object({
  account_id: anyAccountIdSchema,
  account_type: accountTypeSchema,
  identity_id: z.string(),
  disabled: z.boolean(),
  ...disabling,
  profile: accountProfileSchema,
  flags: z.array(accountFlagSchema),
});
export type Account = z.infer<typeof accountSchema>;

/**
 * The display name of an account in a response. Null if the account has no name or no public profile, or was deleted.
 */
export const shownNameSchema = z.string().nullable();

/** Returns the public name of an account, from its public profile. Service accounts have no profile. */
export function shownNameOf(account: Pick<Account, 'account_type' | 'profile'> | null | undefined): string | null {
  return account?.account_type === 'service' ? null : (account?.profile.name ?? null);
}

/** The stored account, with the fields that the API does not show. */
export const accountRecord = accountSchema.extend({
  ...versioned,
  /** The OIDC issuer of the user's `identity_id`. Organizations and service accounts have none. */
  identity_issuer: z.string().optional(),
  /**
   * The internal ID of a service account that another account owns. A later service account with the same name gets a
   * different internal ID.
   */
  uid: z.string().optional(),
  created_at: z.string(),
  /** The number of times that the account was disabled. Absent if it never was. */
  times_disabled: z.int().optional(),
});
export type AccountRecord = z.infer<typeof accountRecord>;

/** Returns the `identity_id` of an organization. The ID does not reveal the user who created the organization. */
export function identityOfOrganization(accountId: string): string {
  return `organization:${accountId}`;
}

/**
 * An entry in a user's list of blocked accounts. The user gets no invitations from the blocked account or to its
 * repositories.
 */
export const blockedAccountSchema = z.object({ account_id: identifierSchema, blocked_at: timestampSchema });
export type BlockedAccount = z.infer<typeof blockedAccountSchema>;

/** A blocked account in list responses. */
export const listedBlockedAccountSchema = blockedAccountSchema.extend({ account_name: shownNameSchema });
