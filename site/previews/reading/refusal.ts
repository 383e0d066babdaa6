import type { previewTexts } from '../../../lib/pages/site/previews/sentences.ts';

/** The reasons to show no preview. Each has a sentence. */
export type RefusalReason = keyof typeof previewTexts.refusals;

export interface Refusal {
  reason: RefusalReason;
  /** The detail in the sentence, such as a compression. */
  detail: string;
}

/** Ends a preview with a sentence for readers. */
export class PreviewRefusal extends Error implements Refusal {
  readonly reason: RefusalReason;
  readonly detail: string;

  constructor(reason: RefusalReason, detail = '') {
    super(`${reason} ${detail}`);
    this.reason = reason;
    this.detail = detail;
  }
}

/** Returns the refusal of an error. Any unexpected error means that the file does not match its header. */
export function refusalOf(error: unknown): PreviewRefusal {
  if (error instanceof PreviewRefusal) return error;
  // A message from the worker contains only the fields of the error.
  const { reason, detail } = (error ?? {}) as Partial<Refusal>;
  return reason === undefined ? new PreviewRefusal('damaged') : new PreviewRefusal(reason, detail);
}
