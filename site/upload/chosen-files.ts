import { findKeyFault } from '../data/keys.ts';
import { fileBytesMax } from '../data/part-sizes.ts';
import { breathe } from './breathe.ts';

/** A file that the user chose, with its path relative to the chosen folder. */
export interface ChosenFile {
  path: string;
  file: File;
}

/** A file and the key that it will have in the repository. */
export interface PlannedFile {
  key: string;
  file: File;
}

export type LeftOutReason = NonNullable<ReturnType<typeof findKeyFault>> | 'system' | 'twice' | 'too_large';

export interface UploadPlan {
  files: PlannedFile[];
  bytes: number;
  /** Files that are not uploaded, each with the reason. The page lists them before the upload starts. */
  leftOut: { path: string; reason: LeftOutReason }[];
  /**
   * Files whose key differs from their name on the disk, because macOS stores some characters in decomposed Unicode
   * form.
   */
  renamed: { path: string; key: string }[];
}

/** Files that operating systems create without the user's knowledge, such as `.DS_Store`. They are not uploaded. */
const systemFiles = /(^|\/)(\.DS_Store|\._[^/]*|Thumbs\.db|desktop\.ini|\.Spotlight-V100|\.Trashes|__MACOSX)(\/|$)/;

/**
 * Plans the keys of the chosen files below `folder`, which is empty or ends with a slash. Names are normalized to
 * Unicode NFC. Otherwise two Unicode forms of one name would become two objects that look alike.
 */
export async function planUpload(chosen: readonly ChosenFile[], folder: string): Promise<UploadPlan> {
  const plan: UploadPlan = { files: [], bytes: 0, leftOut: [], renamed: [] };
  const taken = new Set<string>();
  for (const [index, { path, file }] of chosen.entries()) {
    await breathe(index);
    const key = folder + path.normalize('NFC');
    const reason = faultOf(key, path, file, taken);
    if (reason !== undefined) {
      plan.leftOut.push({ path, reason });
      continue;
    }
    taken.add(key);
    plan.files.push({ key, file });
    plan.bytes += file.size;
    if (key !== folder + path) plan.renamed.push({ path, key });
  }
  return plan;
}

function faultOf(key: string, path: string, file: File, taken: ReadonlySet<string>): LeftOutReason | undefined {
  if (systemFiles.test(path)) return 'system';
  if (taken.has(key)) return 'twice';
  if (file.size > fileBytesMax) return 'too_large';
  return findKeyFault(key);
}

/**
 * Returns the name of the folder that contains all files, for example when the user chose a single folder. Returns
 * undefined if there is no such folder.
 */
export function commonFolder(chosen: readonly ChosenFile[]): string | undefined {
  const path = chosen[0]?.path ?? '';
  const beginning = path.slice(0, path.indexOf('/') + 1);
  const isCommon = beginning !== '' && chosen.every((each) => each.path.startsWith(beginning));
  return isCommon ? beginning.slice(0, -1) : undefined;
}

/** Returns the same files, with paths relative to the given folder. */
export function withoutFolder(chosen: readonly ChosenFile[], folder: string): ChosenFile[] {
  return chosen.map(({ path, file }) => ({ path: path.slice(folder.length + 1), file }));
}

/** Returns the files of a file input. With `webkitdirectory`, each path begins with the name of the chosen folder. */
export function filesOfInput(files: Iterable<File>): ChosenFile[] {
  return Array.from(files, (file) => ({ path: file.webkitRelativePath || file.name, file }));
}
