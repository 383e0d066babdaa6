/** The reasons why a file has no preview, each with the sentence that readers see. */
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
  'false-count': () => 'The file states another number of rows than it contains. Ask its publisher.',
  'row-too-deep': (rows) => {
    const [row, groupStart] = rows.split(' ');
    return `Row ${row} is too far from the start of its row group, row ${groupStart}. Go to row ${groupStart}, or use one of the tools.`;
  },
  empty: () => 'This file has no content to show.',
  changed: () => 'The file changed during the preview. Reload this page.',
  unreachable: () => 'The file is not available. Try again in a moment.',
  'too-slow': () => 'The preview took too long and was stopped. Use one of the tools.',
} satisfies Record<string, (detail: string) => string>;

type RefusalReason = keyof typeof sentences;

export interface Refusal {
  reason: RefusalReason;
  /** A detail that the sentence contains, such as the name of a compression method. */
  detail: string;
}

/** Thrown when there can be no preview. The reason has a sentence that readers see. */
export class PreviewRefusal extends Error implements Refusal {
  readonly reason: RefusalReason;
  readonly detail: string;

  constructor(reason: RefusalReason, detail = '') {
    super(`${reason} ${detail}`);
    this.reason = reason;
    this.detail = detail;
  }
}

/** Returns the sentence that explains to readers why the preview failed. */
export function refusalText(error: unknown): string {
  const { reason, detail } = refusalOf(error);
  return sentences[reason](detail);
}

/**
 * Returns the reason why a preview failed. Any unexpected error means that the file's content does not match its
 * header.
 */
export function refusalOf(error: unknown): PreviewRefusal {
  if (error instanceof PreviewRefusal) return error;
  // An error that the worker sent as a message is a plain object and no longer a `PreviewRefusal`.
  const { reason, detail } = (error ?? {}) as Partial<Refusal>;
  return reason === undefined ? new PreviewRefusal('damaged') : new PreviewRefusal(reason, detail);
}
