import { type ScriptedFormat, type ScriptedKind, scriptedKinds } from '../../../lib/pages/site/previews/scripted.ts';

/** The reasons why a file has no preview, each with the sentences that readers see. */
const sentences = {
  'not-of-this-format': (_, { title }) => `This is not a ${title} file. Download it to inspect it.`,
  damaged: () => 'The file is damaged, so there is no preview. Ask its publisher.',
  'outside-the-file': () => 'The file is incomplete: it refers to data beyond its end. Ask its publisher.',
  'outside-the-folder': () => 'The file refers to data outside its folder. Ask its publisher.',
  'too-much-to-read': (_, { otherwise }) => `The preview needs too much of this file. ${otherwise}`,
  'too-large-inside': (_, { otherwise }) => `The content is too large for a preview. ${otherwise}`,
  compression: (name, { otherwise }) => `The preview does not support ${name} compression. ${otherwise}`,
  tiles: (_, { otherwise }) => `The preview does not support the tile type of this archive. ${otherwise}`,
  samples: (bits, { otherwise }) => `The preview does not support this kind of ${bits}-bit samples. ${otherwise}`,
  codec: (name, { otherwise }) => `The preview does not support the codec ${name}. ${otherwise}`,
  'data-type': (type, { otherwise }) => `The preview does not support arrays of the type ${type}. ${otherwise}`,
  extension: (name, { otherwise }) => `The preview does not support ${name} of Zarr. ${otherwise}`,
  'large-chunks': (size, { otherwise }) =>
    `Each chunk of this array has ${size} in memory, which is too large for a preview. ${otherwise}`,
  dimensions: (count, { otherwise }) => `This array has ${count} dimensions, too many for a preview. ${otherwise}`,
  'no-arrays': () =>
    'The preview found no array in this group. Open the folder of one of its arrays. Its publisher can add a list of them with zarr.consolidate_metadata.',
  'no-linked-file': () => 'The linked file does not exist. Ask its publisher.',
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
  'too-slow': (_, { otherwise }) => `The preview took too long and was stopped. ${otherwise}`,
} satisfies Record<string, (detail: string, kind: ScriptedKind) => string>;

type RefusalReason = keyof typeof sentences;

export interface Refusal {
  reason: RefusalReason;
  /** A detail for the refusal's text, such as the name of a compression method. */
  detail: string;
}

/** Thrown when a file can have no preview. Each reason has a text for readers. */
export class PreviewRefusal extends Error implements Refusal {
  readonly reason: RefusalReason;
  readonly detail: string;

  constructor(reason: RefusalReason, detail = '') {
    super(`${reason} ${detail}`);
    this.reason = reason;
    this.detail = detail;
  }
}

/** Returns the text that explains to readers why a preview failed. */
export function refusalText(error: unknown, format: ScriptedFormat): string {
  const { reason, detail } = refusalOf(error);
  return sentences[reason](detail, scriptedKinds[format]);
}

/**
 * Returns the reason why a preview failed. Any unexpected error means that the file's content does not match its
 * header.
 */
export function refusalOf(error: unknown): PreviewRefusal {
  if (error instanceof PreviewRefusal) return error;
  // An error that the worker sent in a message is a plain object, not an instance of `PreviewRefusal`.
  const { reason, detail } = (error ?? {}) as Partial<Refusal>;
  return reason === undefined ? new PreviewRefusal('damaged') : new PreviewRefusal(reason, detail);
}
