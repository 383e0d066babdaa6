import * as z from 'zod';
import { uuidSchema } from '../identifiers.ts';
import { timestampSchema } from '../text.ts';

export const trustedWorkflowSchema = z.object({
  workflow_id: uuidSchema,
  issuer: z.string(),
  repository: z.string(),
  branch: z.string().optional(),
  tag: z.string().optional(),
  environment: z.string().optional(),
  subject: z.string(),
  created_at: timestampSchema,
});
export type TrustedWorkflow = z.infer<typeof trustedWorkflowSchema>;

/** `subject_key` is the subject folded for comparison; the pinned ids are those of the first sign-in (null before it). */
export interface TrustedWorkflowRecord extends TrustedWorkflow {
  service_account_id: string;
  service_account_uid: string;
  subject_key: string;
  pinned_repository_id: string | null;
  pinned_repository_owner_id: string | null;
}
