import * as z from 'zod';
import { ciProviderKindSchema } from '../ci/issuers.ts';
import type { CiProviderKind } from '../ci/providers.ts';
import { uuidSchema } from '../identifiers.ts';
import { timestampSchema } from '../text.ts';

/** The CI system's numeric IDs of the repository and its owner, from the first sign-in. */
export const pinnedIdsSchema = z.object({
  repository_id: z.string(),
  repository_owner_id: z.string(),
  pinned_at: timestampSchema,
});
export type PinnedIds = z.infer<typeof pinnedIdsSchema>;

/** Optional conditions: the exact value of a claim of the token. */
const pinFields = {
  /** The workflow file of GitHub's `workflow_ref`, without its ref. */
  workflow_file: z.string().optional(),
  /** The called reusable workflow: the whole of GitHub's `job_workflow_ref`. */
  job_workflow: z.string().optional(),
  event_name: z.string().optional(),
  /** The ref, in addition to an environment. */
  ref: z.string().optional(),
  /** GitLab's `ci_config_ref_uri`, without its ref. */
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
  /** The exact claims of issuers that name no repository, with `sub`. */
  claims: z.record(z.string(), z.string()).optional(),
  ...pinFields,
  subject: z.string(),
  created_at: timestampSchema,
  /** Null until the first sign-in pins the IDs, unless the owner gave them. Always null for other issuers. */
  pinned: pinnedIdsSchema.nullable(),
  last_used_at: timestampSchema.nullable(),
  /** The name of the repository at the last sign-in. It differs from `repository` after a rename. */
  last_used_as: z.string().nullable(),
});
export type TrustedWorkflow = z.infer<typeof trustedWorkflowSchema>;

/** The parts that a sign-in needs beside the trust. A workflow can be trusted before they exist. */
export const missingPartSchema = z.enum(['account', 'service_account', 'issuer', 'issuer_keys', 'grant']);
export type MissingPart = z.infer<typeof missingPartSchema>;

export const listedTrustedWorkflowSchema = trustedWorkflowSchema.extend({
  /** Empty if nothing is known to prevent the first sign-in. */
  missing: z.array(missingPartSchema),
});

/** The present state of the parts that a sign-in needs. */
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
  // A trust counts only under the kind that its issuer had when the owner trusted the workflow.
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

/** A stored workflow. `match_keys` address the items through which the exchange finds it. */
export const trustedWorkflowRecord = trustedWorkflowSchema.extend({
  service_account_id: z.string(),
  service_account_uid: z.string(),
  match_keys: z.array(z.string()),
});
export type TrustedWorkflowRecord = z.infer<typeof trustedWorkflowRecord>;

/** The trusted workflows that share a name or IDs and an origin, and differ in their conditions. */
export const workflowMatchRecord = z.object({
  /** Counts the changes of the item, and detects concurrent ones. */
  revision: z.int(),
  alternatives: z.array(trustedWorkflowRecord),
});
export type WorkflowMatch = z.infer<typeof workflowMatchRecord>;
