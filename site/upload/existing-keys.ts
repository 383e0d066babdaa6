import { compareKeys } from '../data/keys.ts';
import type { ListedObject, Objects } from '../data/objects.ts';
import type { PlannedFile } from './chosen-files.ts';
import { type Breathe, breathe, sortedInPieces } from './pieces.ts';

export interface ExistingFile extends PlannedFile {
  there: ListedObject;
  /** Of the same size, and stored after the file was last changed: as far as can be told without reading, this very file. */
  isSame: boolean;
}

/**
 * Which of the files have keys that are taken. Walks the list in its order and jumps over what lies between, so that a
 * few files for a repository of millions take a few pages.
 */
export async function findExisting(
  files: readonly PlannedFile[],
  objects: Pick<Objects, 'list'>,
  signal: AbortSignal,
  breath: Breathe = breathe,
): Promise<ExistingFile[]> {
  const wanted = await sortedInPieces(files, (one, other) => compareKeys(one.key, other.key), breath);
  const prefix = commonBeginning(wanted);
  const existing: ExistingFile[] = [];
  let index = 0;
  let from: { startAfter?: string; continuation?: string } = {};
  while (index < wanted.length) {
    const page = await objects.list({ prefix, ...from }, signal);
    const there = new Map(page.objects.map((listed) => [listed.key, listed]));
    const last = page.objects.at(-1)?.key;
    while (index < wanted.length) {
      const file = wanted[index] as PlannedFile;
      if (page.next !== undefined && (last === undefined || compareKeys(file.key, last) > 0)) break;
      const found = there.get(file.key);
      if (found !== undefined) existing.push({ ...file, there: found, isSame: isSame(file.file, found) });
      index += 1;
    }
    if (page.next === undefined) break;
    // Everything up to just before the next wanted key is of no interest.
    const before = wanted[index]?.key.slice(0, -1) ?? '';
    const mayJump = last !== undefined && before.isWellFormed() && compareKeys(before, last) > 0;
    from = mayJump ? { startAfter: before } : { continuation: page.next };
  }
  return existing;
}

function isSame(file: File, { bytes, modifiedAt }: ListedObject): boolean {
  return file.size === bytes && modifiedAt >= file.lastModified;
}

/** What all keys begin with, up to a slash. */
function commonBeginning(sorted: readonly PlannedFile[]): string {
  const first = sorted[0]?.key ?? '';
  const last = sorted.at(-1)?.key ?? '';
  let length = 0;
  while (length < first.length && first[length] === last[length]) length += 1;
  return first.slice(0, first.slice(0, length).lastIndexOf('/') + 1);
}
