import * as z from 'zod';
import { shownNameSchema } from '../accounts/accounts.ts';
import { disabling } from '../accounts/disabling.ts';
import { anyAccountIdSchema, identifierSchema } from '../identifiers.ts';
import { timestampSchema } from '../text.ts';
import { parseTimestamp } from '../time.ts';
import { versioned } from '../versions.ts';
import { repositoryContentsSchema } from './inventory.ts';
import { revokedLinkSchema } from './revoked-links.ts';

export const repositoryDataModeSchema = z.enum(['open', 'subscription', 'private']);
export type RepositoryDataMode = z.infer<typeof repositoryDataModeSchema>;

export const repositoryStateSchema = z.enum(['listed', 'unlisted']);

/** The metadata of a repository in responses. The schema for requests, `newRepositoryMetaSchema`, is stricter. */
export const repositoryMetaSchema = z.object({
  title: z.string(),
  description: z.string(),
  tags: z.string(),
  license: z.string().optional(),
  homepage: z.string().optional(),
  documentation: z.string().optional(),
  doi: z.string().optional(),
  citation: z.string().optional(),
  contact: z.string().optional(),
  keywords: z.array(z.string()).optional(),
});
export type RepositoryMeta = z.infer<typeof repositoryMetaSchema>;

export const repositorySchema = z.object({
  account_id: anyAccountIdSchema,
  repository_id: identifierSchema,
  state: repositoryStateSchema,
  data_mode: repositoryDataModeSchema,
  featured: z.int(),
  meta: repositoryMetaSchema,
  data: z.object({
    primary_mirror: z.string(),
    mirrors: z.record(z.string(), z.object({ data_connection_id: identifierSchema, prefix: z.string() })),
  }),
  published: timestampSchema,
  /** The time of the last change of the repository through the API. */
  updated: timestampSchema,
  disabled: z.boolean(),
  ...disabling,
  /** The time of the scheduled deletion. Present while owners can cancel the deletion. */
  delete_at: timestampSchema.optional(),
});
export type Repository = z.infer<typeof repositorySchema>;

/**
 * Returns true if anyone may read the objects of the repository while its account is enabled. Caches store responses
 * only for these repositories.
 */
export function isOpenToAnyone({ data_mode, disabled }: Pick<Repository, 'data_mode' | 'disabled'>): boolean {
  return data_mode === 'open' && !disabled;
}

/** Returns true if the time of the repository's scheduled deletion has come. */
export function isDeletionDue({ delete_at }: Pick<Repository, 'delete_at'>, now: number): boolean {
  return delete_at !== undefined && parseTimestamp(delete_at) <= now;
}

/** A repository in list responses, with the display name of its account. */
export const listedRepositorySchema = repositorySchema.extend({
  account_name: shownNameSchema,
  /**
   * A summary of the last complete count of the files. Absent before the first count, and for callers without access.
   */
  contents: repositoryContentsSchema.optional(),
});
export type ListedRepository = z.infer<typeof listedRepositorySchema>;

/** The maximum number of an account's repositories, and their current number. */
export const repositoryLimitSchema = z.object({ repositories_max: z.int(), repositories: z.int() });
export type RepositoryLimit = z.infer<typeof repositoryLimitSchema>;

/**
 * A stored repository. Memberships, grants, and API keys refer to its random `uid`. A later repository with the same
 * name has another `uid`, so these rights do not apply to it.
 */
export const repositoryRecord = repositorySchema.extend({
  uid: z.string(),
  /** A summary of the last complete count of the files, for search and cards. Absent before the first count. */
  contents: repositoryContentsSchema.optional(),
  /**
   * True if credentials that come from a key may only read, and only federated sign-ins may write. Public responses do
   * not contain this field.
   */
  federated_only: z.boolean().optional(),
  /** True if only managers of the repository may read its usage. Public responses do not contain this field. */
  hides_usage: z.boolean().optional(),
  /** The first internal ID of the repository. Present after a transfer, which changes the ID. */
  versions_uid: z.string().optional(),
  /** Links that were revoked recently. The data proxy refuses their credentials. */
  revoked_links: z.array(revokedLinkSchema).optional(),
  /** The number of times that all links of the repository were ended together. Absent if they never were. */
  times_links_ended: z.int().optional(),
  /** The ID of the job that deletes the files. Present with `delete_at` if the owner deletes the files as well. */
  file_deletion_id: z.string().optional(),
  /**
   * Present if the data connection belongs to the account. The repository then cannot be transferred to another
   * account.
   */
  on_own_connection: z.literal(true).optional(),
  ...versioned,
});
export type RepositoryRecord = z.infer<typeof repositoryRecord>;
export type ListedRepositoryRecord = RepositoryRecord & Pick<ListedRepository, 'account_name'>;
