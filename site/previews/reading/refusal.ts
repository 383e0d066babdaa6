import type { previewTexts } from '../../../lib/pages/site/previews/sentences.ts';

/** Why a preview is not shown: each reason has a sentence. */
export type RefusalReason = keyof typeof previewTexts.refusals;

export interface Refusal {
  reason: RefusalReason;
  /** What the sentence names, such as a compression. */
  detail: string;
}

/** Ends a preview with a sentence for people. */
export class PreviewRefusal extends Error implements Refusal {
  readonly reason: RefusalReason;
  readonly detail: string;

  constructor(reason: RefusalReason, detail = '') {
    super(`${reason} ${detail}`);
    this.reason = reason;
    this.detail = detail;
  }
}

/** What no reader foresaw is a file that is not what its header says. */
export function refusalOf(error: unknown): PreviewRefusal {
  if (error instanceof PreviewRefusal) return error;
  // Between the page and the worker, only what it holds is left of it.
  const { reason, detail } = (error ?? {}) as Partial<Refusal>;
  return reason === undefined ? new PreviewRefusal('damaged') : new PreviewRefusal(reason, detail);
}
