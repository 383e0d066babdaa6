import { formatBytes, formatCount } from '../../../lib/pages/site/format.ts';
import type { LeftOutReason } from '../../upload/chosen-files.ts';

/**
 * The maximum number of objects that the page deletes or moves at once. It handles them one after the other while the
 * user waits.
 */
export const atOnceMax = 10_000;

const plural = (count: number, one: string, many: string) => `${formatCount(count)} ${count === 1 ? one : many}`;

export const filesOf = (count: number): string => plural(count, 'file', 'files');

/** Texts of the files view that contain numbers or are used several times. */
export const texts = {
  selected: (count: number) => plural(count, 'item selected', 'items selected'),
  isCut: (count: number) =>
    `Only the first ${filesOf(count)} are included. Upload the others afterwards, or use a command-line client.`,
  tooDeep: (count: number) => `${plural(count, 'folder is', 'folders are')} nested too deep and left out.`,
  unreadable: (count: number) => `The browser could not read ${plural(count, 'file or folder', 'files or folders')}.`,
  renamed: (count: number, example: string) =>
    `${plural(count, 'name is', 'names are')} converted to Unicode’s composed form, so that everyone can type ${count === 1 ? 'it' : 'them'}: ${example}${count === 1 ? '' : ' and others'}`,
  leftOut: (reason: LeftOutReason, count: number, example: string) =>
    `${filesOf(count)} left out, ${reasons[reason]}: ${example}${count === 1 ? '' : ' and others'}`,
  planned: (count: number, bytes: number) =>
    `${filesOf(count)} (${formatBytes(bytes)}) ${count === 1 ? 'goes' : 'go'} to`,
  existing: (count: number) => `${plural(count, 'file already exists', 'files already exist')}.`,
  existingSame: (count: number, of: number) => {
    if (count === 0) return '';
    const which = of === 1 ? 'It has' : plural(count, 'of them has', 'of them have');
    return `${which} the same size and ${count === 1 ? 'was' : 'were'} stored after the last change of your copy, so probably the same content.`;
  },
  skipExisting: (existing: number) => (existing === 1 ? 'Skip existing file' : 'Skip existing files'),
  overwrite: (count: number) => (count === 1 ? 'Replace it' : 'Replace all of them'),
  resumeHint: (count: number) =>
    `An upload of ${plural(count, 'item', 'items')} did not finish. The browser can read ${count === 1 ? 'it' : 'them'} again.`,
  removed: (count: number) => `${plural(count, 'unfinished upload', 'unfinished uploads')} removed.`,
  notRemoved: (count: number, message: string) =>
    `${plural(count, 'unfinished upload', 'unfinished uploads')} could not be removed: ${message}`,
  moveMany: (count: number) => `Move ${plural(count, 'item', 'items')}`,
  deleteTitle: (count: number) => `Delete ${plural(count, 'item', 'items')}`,
  deleteWhat: (count: number, bytes: number) =>
    `This deletes ${filesOf(count)} (${formatBytes(bytes)}) for good. Readers of ${count === 1 ? 'it' : 'them'} then get an error.`,
  tooMany: `The selection has more than ${formatCount(atOnceMax)} files. Choose a smaller folder, or use a command-line client.`,
} as const;

const reasons: Record<LeftOutReason, string> = {
  system: 'created by the operating system',
  twice: 'because another file has the same name in Unicode’s composed form',
  too_large: 'larger than 5 TB',
  empty: 'without a name',
  dots: 'because a part of the name is . or ..',
  control: 'because the name contains control characters',
  too_long: 'because the name is longer than 1,024 bytes',
  not_text: 'because the name is not valid text',
};

/** Formats a duration as `12 seconds`, `about 3 minutes`, or `about 2 hours`. */
export function duration(seconds: number): string {
  if (seconds < 60) return plural(Math.max(1, Math.ceil(seconds)), 'second', 'seconds');
  if (seconds < 90 * 60) return `about ${plural(Math.round(seconds / 60), 'minute', 'minutes')}`;
  if (seconds < 36 * 3600) return `about ${plural(Math.round(seconds / 3600), 'hour', 'hours')}`;
  return `about ${plural(Math.round(seconds / 86_400), 'day', 'days')}`;
}
