import * as z from 'zod';
import { uuidSchema } from '../identifiers.ts';
import { timestampSchema } from '../text.ts';

/** The CI system's numeric IDs of the repository and its owner, from the first sign-in. */
export const pinnedIdsSchema = z.object({
  repository_id: z.string(),
  repository_owner_id: z.string(),
  pinned_at: timestampSchema,
});
export type PinnedIds = z.infer<typeof pinnedIdsSchema>;

export const trustedWorkflowSchema = z.object({
  workflow_id: uuidSchema,
  issuer: z.string(),
  repository: z.string(),
  branch: z.string().optional(),
  tag: z.string().optional(),
  environment: z.string().optional(),
  subject: z.string(),
  created_at: timestampSchema,
  /** Null before the first sign-in, and for a subject that contains the IDs. */
  pinned: pinnedIdsSchema.nullable(),
});
export type TrustedWorkflow = z.infer<typeof trustedWorkflowSchema>;

/** A stored workflow. `subject_key` is the subject folded for comparison. */
export const trustedWorkflowRecord = trustedWorkflowSchema.extend({
  service_account_id: z.string(),
  service_account_uid: z.string(),
  subject_key: z.string(),
});
export type TrustedWorkflowRecord = z.infer<typeof trustedWorkflowRecord>;
