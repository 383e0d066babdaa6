import * as z from 'zod';
import { anyAccountIdSchema } from '../identifiers.ts';
import { limits } from '../limits.ts';
import { boundedText, webUrlSchema } from '../text.ts';
import type { Versioned } from '../versions.ts';
import type { Disableable } from './disabling.ts';

export const accountTypes = ['user', 'organization', 'service'] as const;
export const accountTypeSchema = z.enum(accountTypes);
export type AccountType = z.infer<typeof accountTypeSchema>;

export const accountFlags = ['admin', 'create_repositories', 'create_organizations'] as const;
export const accountFlagSchema = z.enum(accountFlags);
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
  profile: accountProfileSchema,
  flags: z.array(accountFlagSchema),
});
export type Account = z.infer<typeof accountSchema>;

/** A display name beside an ID: null where the account has none, or has no public profile, or is gone. */
export const shownNameSchema = z.string().nullable();

/** What everybody may know an account by: the name that its public profile shows. A service account has no profile. */
export function shownNameOf(account: Pick<Account, 'account_type' | 'profile'> | null | undefined): string | null {
  return account?.account_type === 'service' ? null : (account?.profile.name ?? null);
}

/** What is stored of an account beside what is shown. */
export interface AccountRecord extends Account, Disableable, Versioned {
  /** The issuer of the subject `identity_id`. Organizations and service accounts have none. */
  identity_issuer?: string | undefined;
  /** Of a service account that somebody owns: what tells it from one that had its ID before. */
  uid?: string | undefined;
  created_at: string;
  /** Absent of one that never was. */
  times_disabled?: number | undefined;
}

/** An organization is nobody's identity: what it shows tells nothing of who created it. */
export function identityOfOrganization(accountId: string): string {
  return `organization:${accountId}`;
}
