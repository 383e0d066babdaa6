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
 * The action that would allow a refused sign-in.
 *
 * - `trust`: trust the workflow.
 * - `trust_again`: remove the trusted workflow with the same subject first, then trust the new one.
 * - `enable`: enable the disabled account.
 * - `try_again`: the sign-in is allowed now.
 * - `change_job`: change the CI job, because no workflow with this subject can be trusted.
 */
const remedySchema = z.object({
  kind: z.enum(['trust', 'trust_again', 'enable', 'try_again', 'change_job']),
  /**
   * The workflow to trust. **The sender of the token chose these names**, so check the owner of the repository first.
   */
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
  /**
   * The result of comparing the numeric IDs with those of trusted workflows. `changed`: **another owner may have taken
   * over the repository's name**.
   */
  numeric_ids: z.enum(['known', 'unknown', 'changed']).optional(),
  /** The trusted workflow that an owner must remove before trusting the repository again. Set for `trust_again`. */
  replaces: uuidSchema.optional(),
});
export type Remedy = z.infer<typeof remedySchema>;

/** The last refused CI sign-in to a service account, as users who manage the account see it. */
export const shownRefusedSignInSchema = z.object({
  time: timestampSchema,
  issuer: z.string(),
  /** The subject of the refused token, with escapes for invisible characters, cut at 512 bytes. */
  subject: z.string(),
  /**
   * The most similar subjects that are trusted now. This field, `difference`, and `remedy` are only in the response for
   * a single service account.
   */
  trusted_subjects: z.array(z.string()).optional(),
  /** The differences between the refused token and the most similar trusted subject, in words. */
  difference: z.string().optional(),
  /** The action that would allow the refused sign-in. */
  remedy: remedySchema.optional(),
});
export type ShownRefusedSignIn = z.infer<typeof shownRefusedSignInSchema>;

/**
 * A refused CI sign-in with a genuine token. `service_account_id` comes from the role ARN, so it may name no existing
 * service account.
 */
export const refusedSignInSchema = z.object({
  service_account_id: z.string(),
  time: timestampSchema,
  /** The ID of the request, which the response to the client also contains. */
  request_id: z.string(),
  issuer: z.string(),
  kind: ciProviderKindSchema,
  subject: z.string(),
  fault: z.enum(tokenFaults).nullable(),
  repository_id: z.string().nullable(),
  repository_owner_id: z.string().nullable(),
  /**
   * The token's claims that a trusted workflow can require. Values are cut at 512 characters, because values that can
   * be trusted are shorter.
   */
  claims: z.record(z.string(), z.string()),
});
export type RefusedSignIn = z.infer<typeof refusedSignInSchema>;

/** Returns a refused sign-in in the form of a response, without a comparison with trusted workflows. */
export function showRefusal({ time, issuer, subject }: RefusedSignIn): ShownRefusedSignIn {
  return { time, issuer, subject: shownSubject(subject) };
}

export function shownSubject(subject: string): string {
  return shownText(subject, limits.refusedSubjectBytesMax);
}

/**
 * Returns a hash that identifies the cause of a refusal. It depends only on the token and the role ARN, so that it
 * does not reveal whether an account exists.
 */
export function refusalCause({ time: _time, request_id: _request, claims, ...rest }: RefusedSignIn): string {
  // Sort the claims, because the table returns them in another order.
  const text = JSON.stringify([Object.entries(rest).sort(), Object.entries(claims).sort()]);
  return createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 24);
}

/** Returns the refused sign-in that a table change recorded, or undefined. */
export function refusedSignInOf({ after }: TableChange): RefusedSignIn | undefined {
  return after?.['entity'] === refusedSignInEntity ? refusedSignInSchema.parse(after) : undefined;
}

/** The value of `entity` that marks a refused sign-in in the table. */
export const refusedSignInEntity = 'refused_sign_in';
