import { sortTextOf } from '../data/keys.ts';
import type { ListedObject, Objects } from '../data/objects.ts';
import type { PlannedFile } from './chosen-files.ts';

export interface ExistingFile extends PlannedFile {
  there: ListedObject;
  /**
   * True when the existing object has the same size as the file and was stored after the file's last change. The two
   * are then probably identical.
   */
  isSame: boolean;
}

/**
 * Finds the files whose keys already exist in the repository. The list requests skip the keys between two wanted keys,
 * so that a few files need only a few requests.
 */
export async function findExisting(
  files: readonly PlannedFile[],
  objects: Pick<Objects, 'list'>,
  signal: AbortSignal,
): Promise<ExistingFile[]> {
  const wanted = files.map((file) => ({ ...file, sortText: sortTextOf(file.key) }));
  wanted.sort((one, other) => (one.sortText < other.sortText ? -1 : 1));
  const prefix = commonBeginning(wanted);
  const existing: ExistingFile[] = [];
  let index = 0;
  let from: { startAfter?: string; continuation?: string } = {};
  while (index < wanted.length) {
    const page = await objects.list({ prefix, ...from }, signal);
    const listed = new Map(page.objects.map((object) => [object.key, object]));
    const last = sortTextOf(page.objects.at(-1)?.key ?? '');
    const later = wanted.findIndex(({ sortText }, at) => at >= index && page.next !== undefined && sortText > last);
    const end = later === -1 ? wanted.length : later;
    for (const { key, file } of wanted.slice(index, end)) {
      const there = listed.get(key);
      if (there !== undefined) existing.push({ key, file, there, isSame: isSame(file, there) });
    }
    index = end;
    if (page.next === undefined) break;
    // Continue the list just before the next wanted key, if this key is after the last listed key.
    const before = wanted[index]?.key.slice(0, -1) ?? '';
    const mayJump = last !== '' && before.isWellFormed() && sortTextOf(before) > last;
    from = mayJump ? { startAfter: before } : { continuation: page.next };
  }
  return existing;
}

function isSame(file: File, { bytes, modifiedAt }: ListedObject): boolean {
  return file.size === bytes && modifiedAt >= file.lastModified;
}

/** Returns the longest common prefix of all keys that ends in a slash. */
function commonBeginning(sorted: readonly PlannedFile[]): string {
  const first = sorted[0]?.key ?? '';
  const last = sorted.at(-1)?.key ?? '';
  let length = 0;
  while (length < first.length && first[length] === last[length]) length += 1;
  return first.slice(0, first.slice(0, length).lastIndexOf('/') + 1);
}
