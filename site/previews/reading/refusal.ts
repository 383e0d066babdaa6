/** The reasons to show no preview, each with the sentence for readers. */
const sentences = {
  'not-of-this-format': (format) =>
    `This is not a ${format || 'file of this type'}${format && ' file'}. Download it to inspect it.`,
  damaged: () => 'The file is damaged, so there is no preview. Ask its publisher.',
  'outside-the-file': () => 'The file is incomplete: it refers to data beyond its end. Ask its publisher.',
  'too-much-to-read': () => 'The preview needs too much of this file. Use one of the tools, or download it.',
  'too-large-inside': () => 'The content is too large for a preview. Use one of the tools.',
  compression: (name) => `The preview does not support ${name} compression. Use one of the tools.`,
  tiles: () => 'The preview does not support the tile type of this archive.',
  samples: (bits) => `The preview does not support this kind of ${bits}-bit samples.`,
  'no-overview': (size) =>
    `This image of ${size} pixels has no overview. Its publisher can convert it to a Cloud-optimized GeoTIFF.`,
  empty: () => 'This file has no content to show.',
  changed: () => 'The file changed during the preview. Reload this page.',
  unreachable: () => 'The file is not available. Try again in a moment.',
  'too-slow': () => 'The preview took too long and was stopped. Use one of the tools.',
} satisfies Record<string, (detail: string) => string>;

type RefusalReason = keyof typeof sentences;

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

/** Returns the sentence for readers of a preview that failed. */
export function refusalText(error: unknown): string {
  const { reason, detail } = refusalOf(error);
  return sentences[reason](detail);
}

/** Returns the refusal of an error. Any unexpected error means that the file does not match its header. */
export function refusalOf(error: unknown): PreviewRefusal {
  if (error instanceof PreviewRefusal) return error;
  // A message from the worker contains only the fields of the error.
  const { reason, detail } = (error ?? {}) as Partial<Refusal>;
  return reason === undefined ? new PreviewRefusal('damaged') : new PreviewRefusal(reason, detail);
}
