import * as z from 'zod';
import type { CiProvider, RunClaims } from './provider.ts';

/** CI systems write their IDs as text or as a number. */
const numericId = z.union([z.string(), z.int().transform(String)]).optional();
const claimsSchema = z.object({
  repository: z.string().optional(),
  repository_id: numericId,
  repository_owner_id: numericId,
  environment: z.string().optional(),
  pipeline_source: z.string().optional(),
});
const payloadSchema = z.record(z.string(), z.unknown());

/** The claims of one run that decide about its sign-in. */
export interface ParsedRun extends RunClaims {
  /** True for a merge request pipeline of GitLab, which can run code of a fork, and for a possible child of one. */
  isMergeRequest: boolean;
}

/** Parses the claims that identify the run from a token's payload. Returns undefined if a claim has a wrong type. */
export function parseRunClaims({ runClaims: names }: CiProvider, payload: unknown): ParsedRun | undefined {
  const given = payloadSchema.safeParse(payload);
  if (!given.success) return undefined;
  const of = (name: string | undefined) => (name === undefined ? undefined : given.data[name]);
  const parsed = claimsSchema.safeParse({
    repository: of(names.repository),
    repository_id: of(names.repository_id),
    repository_owner_id: of(names.repository_owner_id),
    environment: of(names.environment),
    // GitLab's claim is read for every kind, because the configuration may give an issuer the wrong kind.
    pipeline_source: of('pipeline_source'),
  });
  // A child pipeline of a merge request names only its parent. Its ref is never protected (GitLab issue 420463).
  const isChildOfBranch = String(of('ref_protected')) === 'true';
  if (!parsed.success) return undefined;
  const { repository, repository_id, repository_owner_id, environment, pipeline_source } = parsed.data;
  const isMergeRequest =
    pipeline_source === 'merge_request_event' || (pipeline_source === 'parent_pipeline' && !isChildOfBranch);
  return { repository, repository_id, repository_owner_id, environment, isMergeRequest };
}
