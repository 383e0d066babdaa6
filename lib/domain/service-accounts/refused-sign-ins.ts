import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { TableChange } from '../changes/table-changes.ts';
import { uuidSchema } from '../identifiers.ts';
import { limits } from '../limits.ts';
import { shownText } from '../shown-text.ts';
import { timestampSchema } from '../text.ts';

/**
 * What lets such a sign-in through: `trust` the workflow, `trust_again` after the removal of the one that stands in its
 * place, `enable` what is disabled, `try_again` since nothing stands in its way any more, or `change_job` where no
 * workflow can be trusted that it would be of.
 */
const remedySchema = z.object({
  kind: z.enum(['trust', 'trust_again', 'enable', 'try_again', 'change_job']),
  /** To be trusted, as it is named there. **Whoever runs a workflow chooses these names**: look whose it is. */
  workflow: z
    .object({
      issuer: z.string(),
      repository: z.string(),
      branch: z.string().optional(),
      tag: z.string().optional(),
      environment: z.string().optional(),
    })
    .optional(),
  /**
   * Whether the repository's numeric ids are those of a workflow of this name that is trusted here: `known`; `unknown`
   * where none has any yet; `changed` where they are others, so that **someone else may have taken over its name**.
   */
  numeric_ids: z.enum(['known', 'unknown', 'changed']).optional(),
  /** Of `trust_again`: the workflow to be removed first. */
  replaces: uuidSchema.optional(),
});
export type Remedy = z.infer<typeof remedySchema>;

/** The last CI sign-in that was refused, as the managers of the service account that it named see it. */
export const shownRefusedSignInSchema = z.object({
  time: timestampSchema,
  issuer: z.string(),
  /** What came, with escapes for what cannot be seen, cut at 512 bytes. */
  subject: z.string(),
  /** Of what is trusted now, the subjects that come nearest. Both are told where one service account is looked at. */
  trusted_subjects: z.array(z.string()).optional(),
  /** Between what came and the nearest of them, in words. */
  difference: z.string().optional(),
  /** What to do about it, where it is to be let in. */
  remedy: remedySchema.optional(),
});
export type ShownRefusedSignIn = z.infer<typeof shownRefusedSignInSchema>;

/** A CI sign-in that was refused although its token is genuine. `service_account_id` is what the role named, there or not. */
export const refusedSignInSchema = z.object({
  service_account_id: z.string(),
  time: timestampSchema,
  /** What the client was told to name. Older refusals have none. */
  request_id: z.string().default(''),
  issuer: z.string(),
  subject: z.string(),
  /** False when the subject names another repository than the claims beside it. */
  is_consistent: z.boolean(),
  is_merge_request: z.boolean(),
  repository_id: z.string().nullable(),
  repository_owner_id: z.string().nullable(),
  environment: z.string().nullable(),
});
export type RefusedSignIn = z.infer<typeof refusedSignInSchema>;

/** Without a look at what is trusted. */
export function showRefusal({ time, issuer, subject }: RefusedSignIn): ShownRefusedSignIn {
  return { time, issuer, subject: shownSubject(subject) };
}

export function shownSubject(subject: string): string {
  return shownText(subject, limits.refusedSubjectBytesMax);
}

/**
 * What was refused: sign-ins with the same token contents have one cause. It follows from the token and the name in the
 * role alone, never from what is there, or the note of a refusal would tell.
 */
export function refusalCause({ time: _time, request_id: _request, ...rest }: RefusedSignIn): string {
  const text = JSON.stringify(Object.entries(rest).sort());
  return createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 24);
}

/** The refusal that a change of the table tells of. */
export function refusedSignInOf({ after }: TableChange): RefusedSignIn | undefined {
  return after?.['entity'] === refusedSignInEntity ? refusedSignInSchema.parse(after) : undefined;
}

/** What the table calls such an item. */
export const refusedSignInEntity = 'refused_sign_in';
