import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { TableChange } from '../changes/table-changes.ts';
import { ciProviderKindSchema } from '../ci/issuers.ts';
import { tokenFaults } from '../ci/workload.ts';
import { uuidSchema } from '../identifiers.ts';
import { limits } from '../limits.ts';
import { shownText } from '../shown-text.ts';
import { timestampSchema } from '../text.ts';

/**
 * The action that would allow such a sign-in. `trust`: trust the workflow. `trust_again`: first remove the workflow
 * that has the same subject. `enable`: enable the disabled account. `try_again`: the sign-in is allowed now.
 * `change_job`: no workflow with this subject can be trusted.
 */
const remedySchema = z.object({
  kind: z.enum(['trust', 'trust_again', 'enable', 'try_again', 'change_job']),
  /** The workflow to trust. **The author of a workflow chooses these names**: check the owner first. */
  workflow: z
    .object({
      issuer: z.string(),
      repository: z.string().optional(),
      branch: z.string().optional(),
      tag: z.string().optional(),
      environment: z.string().optional(),
      claims: z.record(z.string(), z.string()).optional(),
    })
    .optional(),
  /** Compares the IDs with those of trusted workflows. `changed`: **someone else may have taken over its name**. */
  numeric_ids: z.enum(['known', 'unknown', 'changed']).optional(),
  /** For `trust_again`: the workflow to remove first. */
  replaces: uuidSchema.optional(),
});
export type Remedy = z.infer<typeof remedySchema>;

/** The last refused CI sign-in to a service account, as its managers see it. */
export const shownRefusedSignInSchema = z.object({
  time: timestampSchema,
  issuer: z.string(),
  /** The received subject, with escapes for invisible characters, cut at 512 bytes. */
  subject: z.string(),
  /** The most similar subjects that are trusted now. Only a response for one service account has this and the next. */
  trusted_subjects: z.array(z.string()).optional(),
  /** The differences from the most similar trusted subject, in words. */
  difference: z.string().optional(),
  /** The action that would allow the sign-in. */
  remedy: remedySchema.optional(),
});
export type ShownRefusedSignIn = z.infer<typeof shownRefusedSignInSchema>;

/** A refused CI sign-in with a genuine token. `service_account_id` comes from the role and may not exist. */
export const refusedSignInSchema = z.object({
  service_account_id: z.string(),
  time: timestampSchema,
  /** The request ID in the response to the client. */
  request_id: z.string(),
  issuer: z.string(),
  kind: ciProviderKindSchema,
  subject: z.string(),
  fault: z.enum(tokenFaults).nullable(),
  repository_id: z.string().nullable(),
  repository_owner_id: z.string().nullable(),
  /** Claims that a trusted workflow may require, cut at 512 characters. Values that can be trusted are shorter. */
  claims: z.record(z.string(), z.string()),
});
export type RefusedSignIn = z.infer<typeof refusedSignInSchema>;

/** Returns the refusal without a comparison with trusted workflows. */
export function showRefusal({ time, issuer, subject }: RefusedSignIn): ShownRefusedSignIn {
  return { time, issuer, subject: shownSubject(subject) };
}

export function shownSubject(subject: string): string {
  return shownText(subject, limits.refusedSubjectBytesMax);
}

/** Returns the cause, which depends only on the token and the role. Otherwise, it would reveal accounts. */
export function refusalCause({ time: _time, request_id: _request, claims, ...rest }: RefusedSignIn): string {
  // The table returns the claims in another order.
  const text = JSON.stringify([Object.entries(rest).sort(), Object.entries(claims).sort()]);
  return createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 24);
}

/** Returns the refusal that a table change recorded. */
export function refusedSignInOf({ after }: TableChange): RefusedSignIn | undefined {
  return after?.['entity'] === refusedSignInEntity ? refusedSignInSchema.parse(after) : undefined;
}

/** The entity name of the item in the table. */
export const refusedSignInEntity = 'refused_sign_in';
