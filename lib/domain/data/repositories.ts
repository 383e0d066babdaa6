import * as z from 'zod';
import type { Disableable } from '../accounts/disabling.ts';
import { anyAccountIdSchema, identifierSchema } from '../identifiers.ts';
import { limits } from '../limits.ts';
import { boundedText, timestampSchema } from '../text.ts';

export const repositoryDataModes = ['open', 'subscription', 'private'] as const;
export const repositoryDataModeSchema = z.enum(repositoryDataModes);
export type RepositoryDataMode = z.infer<typeof repositoryDataModeSchema>;

export const repositoryStateSchema = z.enum(['listed', 'unlisted']);
export type RepositoryState = z.infer<typeof repositoryStateSchema>;

export const repositoryMetaSchema = z.strictObject({
  title: boundedText(limits.repositoryMetaLengthMax),
  description: boundedText(limits.repositoryMetaLengthMax),
  tags: boundedText(limits.repositoryMetaLengthMax),
});
export type RepositoryMeta = z.infer<typeof repositoryMetaSchema>;

/** As it is taken; what an earlier release took may be larger and is shown as it is. */
export const newRepositoryMetaSchema = repositoryMetaSchema.refine(
  (meta) => Buffer.byteLength(JSON.stringify(meta)) <= limits.repositoryMetaBytesMax,
  { error: `must be at most ${limits.repositoryMetaBytesMax} bytes of JSON in UTF-8` },
);

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
  disabled: z.boolean(),
});
export type Repository = z.infer<typeof repositorySchema>;

/** How many an account may have, and has. */
export const repositoryLimitSchema = z.object({ repositories_max: z.int(), repositories: z.int() });
export type RepositoryLimit = z.infer<typeof repositoryLimitSchema>;

/**
 * What is stored of a repository beside what is shown. `uid` is random: grants, repository memberships and repository keys
 * carry it, so that a repository made again under a deleted one's name revives none of them. Absent of one that an older
 * release made.
 */
export type RepositoryRecord = Repository & Disableable & { uid?: string | undefined };
