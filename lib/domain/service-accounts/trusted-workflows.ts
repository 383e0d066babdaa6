import * as z from 'zod';
import { ciProviderKindSchema } from '../ci/issuers.ts';
import type { CiProviderKind } from '../ci/providers.ts';
import { uuidSchema } from '../identifiers.ts';
import { timestampSchema } from '../text.ts';

/** The CI system's numeric IDs of a repository and its owner. The service stores them at the first sign-in. */
export const pinnedIdsSchema = z.object({
  repository_id: z.string(),
  repository_owner_id: z.string(),
  pinned_at: timestampSchema,
});
export type PinnedIds = z.infer<typeof pinnedIdsSchema>;

/** The optional conditions of a trusted workflow. Each one is the exact value that a claim of the token must have. */
const pinFields = {
  /** The path of the workflow file: GitHub's `workflow_ref` without its ref. */
  workflow_file: z.string().optional(),
  /** The reusable workflow that contains the job: GitHub's whole `job_workflow_ref`. */
  job_workflow: z.string().optional(),
  event_name: z.string().optional(),
  /** The branch or tag of a run. This condition applies in addition to an environment. */
  ref: z.string().optional(),
  /** The CI configuration file: GitLab's `ci_config_ref_uri` without its ref. */
  ci_config: z.string().optional(),
};

export const trustedWorkflowSchema = z.object({
  workflow_id: uuidSchema,
  issuer: z.string(),
  kind: ciProviderKindSchema,
  repository: z.string().optional(),
  branch: z.string().optional(),
  tag: z.string().optional(),
  environment: z.string().optional(),
  /** The exact claims that the token must have, including `sub`. Only for issuers whose tokens name no repository. */
  claims: z.record(z.string(), z.string()).optional(),
  ...pinFields,
  subject: z.string(),
  created_at: timestampSchema,
  /**
   * The numeric IDs of the repository and its owner. Null until the first sign-in, unless the owner entered them.
   * Always null for issuers whose tokens name no repository.
   */
  pinned: pinnedIdsSchema.nullable(),
  last_used_at: timestampSchema.nullable(),
  /** The repository's name at the last sign-in. After a rename of the repository, it differs from `repository`. */
  last_used_as: z.string().nullable(),
});
export type TrustedWorkflow = z.infer<typeof trustedWorkflowSchema>;

/**
 * The parts that a sign-in needs besides the trusted workflow, such as an enabled service account. An owner can trust a
 * workflow before the other parts exist.
 */
export const missingPartSchema = z.enum(['account', 'service_account', 'issuer', 'issuer_keys', 'grant']);
export type MissingPart = z.infer<typeof missingPartSchema>;

export const listedTrustedWorkflowSchema = trustedWorkflowSchema.extend({
  /** The missing parts that prevent the first sign-in of the trusted workflow. */
  missing: z.array(missingPartSchema),
});

/** The current state of the parts that a sign-in needs. */
export interface SignInParts {
  isAccountEnabled: boolean;
  isServiceAccountEnabled: boolean;
  hasGrant: boolean;
  /** The configured and the registered issuers, by the exact `iss` claim. */
  issuers: ReadonlyMap<string, { kind: CiProviderKind; hasKeys: boolean }>;
}

/** Returns the parts that the first sign-in of a trusted workflow still needs. */
export function missingParts(
  { issuer, kind }: Pick<TrustedWorkflow, 'issuer' | 'kind'>,
  { isAccountEnabled, isServiceAccountEnabled, hasGrant, issuers }: SignInParts,
): MissingPart[] {
  const known = issuers.get(issuer);
  // A trusted workflow is valid only while its issuer has the same kind as when the owner trusted the workflow.
  const isKnown = known?.kind === kind;
  const isMissing: Readonly<Record<MissingPart, boolean>> = {
    account: !isAccountEnabled,
    service_account: !isServiceAccountEnabled,
    issuer: !isKnown,
    issuer_keys: isKnown && !known.hasKeys,
    grant: !hasGrant,
  };
  return missingPartSchema.options.filter((part) => isMissing[part]);
}

/** A stored trusted workflow. The exchange finds it through the items whose keys contain `match_keys`. */
export const trustedWorkflowRecord = trustedWorkflowSchema.extend({
  service_account_id: z.string(),
  service_account_uid: z.string(),
  match_keys: z.array(z.string()),
});
export type TrustedWorkflowRecord = z.infer<typeof trustedWorkflowRecord>;

/**
 * A stored item with all trusted workflows for one repository (name or IDs) and origin. They differ in their
 * conditions.
 */
export const workflowMatchRecord = z.object({
  /** The number of changes of the item, with which a write detects a concurrent change. */
  revision: z.int(),
  alternatives: z.array(trustedWorkflowRecord),
});
export type WorkflowMatch = z.infer<typeof workflowMatchRecord>;
