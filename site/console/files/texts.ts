import { formatBytes, formatCount } from '../../../lib/pages/site/format.ts';
import type { LeftOutReason } from '../../upload/chosen-files.ts';

const plural = (count: number, one: string, many: string) => `${formatCount(count)} ${count === 1 ? one : many}`;

export const filesOf = (count: number): string => plural(count, 'file', 'files');

/** All texts of the files view. */
export const texts = {
  files: 'Files',
  top: 'Top folder',
  loading: 'Looking…',
  empty: 'There are no files here yet. Drop some onto this page, or choose them with the buttons above.',
  emptyForReaders: 'There are no files here yet.',
  emptyWhileUploading: 'What you upload appears here when it is done.',
  name: 'Name',
  size: 'Size',
  modified: 'Modified',
  select: (name: string) => `Select ${name}`,
  selectAll: 'Select everything on this page',
  selected: (count: number) => plural(count, 'item selected', 'items selected'),
  nextPage: 'Next page',
  firstPage: 'First page',
  publicPage: 'Public page',
  publicLink: 'the link for readers',
  again: 'Try again',
  busy: 'The storage does not answer as it should at the moment. The console asks it again by itself, for a minute or two; nothing is lost meanwhile.',
  close: 'Close',
  cancel: 'Cancel',
  mayNotWrite: 'You may read these files, not change them. Someone who manages the repository can make you a writer.',

  uploadFiles: 'Upload files',
  uploadFolder: 'Upload a folder',
  dropHint: 'or drop files and folders anywhere on this page',
  dropNow: (folder: string) => `Drop to upload to ${folder === '' ? 'the top folder' : folder}`,
  looking: (count: number) => `Looking through what you chose: ${filesOf(count)} so far…`,
  nothingChosen: 'There was no file in what you chose.',
  isCut: (count: number) =>
    `Only the first ${filesOf(count)} are taken. Upload the others after them, or use a command-line client for so many.`,
  tooDeep: (count: number) =>
    `${plural(count, 'folder lies', 'folders lie')} too deep and ${count === 1 ? 'is' : 'are'} left out.`,
  unreadable: (count: number) => `The browser could not read ${plural(count, 'file or folder', 'files or folders')}.`,
  renamed: (count: number, example: string) =>
    `${plural(count, 'name is', 'names are')} written in Unicode’s composed form, so that everybody can type ${count === 1 ? 'it' : 'them'}: ${example}${count === 1 ? '' : ' and others'}`,
  leftOut: (reason: LeftOutReason, count: number, example: string) =>
    `${filesOf(count)} left out, ${reasons[reason]}: ${example}${count === 1 ? '' : ' and others'}`,
  review: 'Before the upload starts',
  planned: (count: number, bytes: number) =>
    `${filesOf(count)} (${formatBytes(bytes)}) ${count === 1 ? 'goes' : 'go'} to`,
  topFolder: 'the top folder',
  folderChoice: (count: number) => (count === 1 ? 'Where it goes' : 'Where they go'),
  keepFolder: 'Keep the folder’s name: to',
  contentsHere: 'Put its contents here: to',
  existing: (count: number) => `${plural(count, 'file already exists', 'files already exist')}.`,
  existingSame: (count: number, of: number) => {
    if (count === 0) return '';
    const which = of === 1 ? 'It has' : plural(count, 'of them has', 'of them have');
    return `${which} the same size and ${count === 1 ? 'was' : 'were'} stored after your copy last changed: most likely the same.`;
  },
  skipExisting: (existing: number) => (existing === 1 ? 'Skip existing file' : 'Skip existing files'),
  skipSame: 'Replace the different, skip the same',
  overwrite: (count: number) => (count === 1 ? 'Replace it' : 'Replace all of them'),
  start: 'Upload',

  uploading: (done: number, all: number) => `Uploading: ${formatCount(done)} of ${filesOf(all)} done`,
  paused: (done: number, all: number) => `Paused: ${formatCount(done)} of ${filesOf(all)} done`,
  stopped: 'The upload has stopped. Nothing that was sent is lost.',
  offline: 'There is no connection. The upload goes on by itself when it is back.',
  uploaded: (count: number) => `${filesOf(count)} uploaded`,
  finished: (done: number, all: number) => `${formatCount(done)} of ${filesOf(all)} uploaded`,
  verified: 'The storage confirmed the checksum of every file.',
  notTold: (count: number) => `The storage told no checksum for ${filesOf(count)}; size and transfer were checked.`,
  bytesOf: (sent: number, all: number) => `${formatBytes(sent)} of ${formatBytes(all)}`,
  rate: (bytes: number) => `${formatBytes(bytes)}/s`,
  rest: (seconds: number) => `${duration(seconds)} left`,
  pause: 'Pause',
  resume: 'Resume',
  cancelUpload: 'Cancel the upload',
  cancelSentence: 'Files that are uploaded stay. What was sent of the others is deleted.',
  keepUploading: 'Keep uploading',
  hide: 'Done',
  waitingMore: (count: number) => `${filesOf(count)} queued`,
  moreTrouble: (count: number) => `and ${formatCount(count)} more`,
  states: {
    waiting: 'queued',
    checking: 'comparing',
    sending: 'uploading',
    finishing: 'finishing',
    done: 'uploaded',
    exists: 'a file with this name exists',
    failed: 'failed',
    cancelled: 'cancelled',
  },
  replace: 'Replace',
  skip: 'Skip',
  retryAll: 'Try the failed ones again',

  unfinished: 'Unfinished uploads',
  unfinishedHint:
    'Begun and never completed. Until that is done, or what was sent is removed, the storage keeps it, and charges for it like for files.',
  unfinishedBy: {
    this_browser: 'Begun in this browser. Choose the same file again, and only what is missing goes up.',
    another_tab: 'It is running in another tab of this browser.',
    somebody: 'Begun elsewhere. It may still be running: ask before you remove it.',
  },
  goOn: 'Resume',
  goOnHint: (count: number) =>
    `You left an upload of ${plural(count, 'item', 'items')} before it was done. The browser still knows where ${count === 1 ? 'it is' : 'they are'}.`,
  forget: 'Forget it',
  remove: 'Remove',
  removeOld: (count: number) => `Remove the ${formatCount(count)} begun more than a week ago`,
  removeUnfinished: (count: number) =>
    count === 1 ? 'Remove an unfinished upload' : `Remove ${formatCount(count)} unfinished uploads`,
  storedSoFar: (bytes: number) => `Counting what the storage keeps: ${formatBytes(bytes)} so far…`,
  stored: (bytes: number) => `The storage keeps ${formatBytes(bytes)}.`,
  removeSentence:
    'What was sent is deleted. An upload that is still running somewhere fails there. Finished files stay as they are.',
  removed: (count: number) => `${plural(count, 'unfinished upload', 'unfinished uploads')} removed.`,
  notRemoved: (count: number, message: string) =>
    `${plural(count, 'unfinished upload', 'unfinished uploads')} could not be removed: ${message}`,
  permissionDenied:
    'The browser did not give access to the files again. Choose them again instead: only what is missing goes up.',

  download: 'Download',
  copyLink: 'Copy link',
  copied: 'Copied.',
  notCopied: 'The browser did not copy it. Select the link and copy it yourself.',
  share: 'Share with a link',
  shareHint:
    'Whoever has the link can read this one file without signing in, until it ends. It lasts an hour at most, and ends sooner if you lose access: whoever needs the file for longer can be invited to the repository as a reader. Do not post it in public.',
  shareMinutes: 'It should work for',
  minutes: (count: number) => (count === 60 ? 'an hour' : `${count} minutes`),
  makeLink: 'Make the link',
  linkEnds: (at: string) =>
    `It works until ${at}. It ends sooner if you lose access, or if the file is moved or deleted.`,
  type: 'Type',
  checksum: 'CRC-32 (hex)',
  openData: 'Anyone may read this file. Its address stays good for as long as the file is here and open.',

  move: 'Move or rename',
  moveHint:
    'The file is copied by the storage, compared, and then deleted at its old place. Links to the old place stop working.',
  newName: 'New path in this repository',
  moveMany: (count: number) => `Move ${plural(count, 'item', 'items')}`,
  newNameHint: 'A folder stands before the name, as in archive/2025.csv. It need not be there yet.',
  newFolder: 'Folder to move to (empty for the top folder)',
  moving: (done: number, all: number) => `${formatCount(done)} of ${filesOf(all)} moved`,
  movedAll: (count: number) => `${filesOf(count)} moved.`,
  sameName: 'That is its present name.',
  badName: {
    empty: 'Give a name.',
    dots: 'A part of the path may not be . or ..',
    control: 'The name holds characters that cannot be typed.',
    too_long: 'The name is too long: 1,024 bytes at most.',
    not_text: 'The name is not valid text.',
  },

  delete: 'Delete',
  deleteTitle: (count: number) => `Delete ${plural(count, 'item', 'items')}`,
  deleteWhat: (count: number, bytes: number) =>
    `This deletes ${filesOf(count)} (${formatBytes(bytes)}) for good. Readers who use ${count === 1 ? 'it' : 'them'} get an error from then on.`,
  deleteCounting: (count: number) => `Counting what is in there: ${filesOf(count)} so far…`,
  tooMany: (max: number) =>
    `There are more than ${formatCount(max)} files in there. Choose a smaller folder, or use a command-line client.`,
  theName: 'the name',
  typeName: (name: string) => `Type ${name} to confirm`,
  deleting: (done: number, all: number) => `${formatCount(done)} of ${filesOf(all)} deleted`,
  deleted: (count: number) => `${filesOf(count)} deleted.`,
  notDeleted: (count: number, message: string) => `${filesOf(count)} could not be deleted: ${message}`,
} as const;

const reasons: Record<LeftOutReason, string> = {
  system: 'made by the operating system',
  twice: 'because another has the same name once accents are written alike',
  too_large: 'larger than the 5 TB that storage takes',
  empty: 'without a name',
  dots: 'because a part of the name is . or ..',
  control: 'because the name holds control characters',
  too_long: 'because the name is longer than 1,024 bytes',
  not_text: 'because the name is not valid text',
};

/** Formats a duration as `12 seconds`, `about 3 minutes`, or `about 2 hours`. Only short durations are exact. */
export function duration(seconds: number): string {
  if (seconds < 60) return plural(Math.max(1, Math.ceil(seconds)), 'second', 'seconds');
  if (seconds < 90 * 60) return `about ${plural(Math.round(seconds / 60), 'minute', 'minutes')}`;
  if (seconds < 36 * 3600) return `about ${plural(Math.round(seconds / 3600), 'hour', 'hours')}`;
  return `about ${plural(Math.round(seconds / 86_400), 'day', 'days')}`;
}
