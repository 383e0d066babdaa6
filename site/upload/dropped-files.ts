import type { ChosenFile } from './chosen-files.ts';
import { breathe, sortedInPieces } from './pieces.ts';

/** In Chromium alone, and so not among the types of all browsers. */
type DroppedItem = DataTransferItem & { getAsFileSystemHandle?(): Promise<FileSystemHandle | null> };

/** A folder or file that was dropped, by either of the two ways in which browsers show them. */
export type Dropped = FileSystemHandle | FileSystemEntry;

export const dropBounds = { depth: 64, files: 200_000 } as const;

export interface DroppedFiles {
  files: ChosenFile[];
  /** Folders deeper than the bound, and files beyond the number: they were left out. */
  tooDeep: string[];
  isCut: boolean;
  unreadable: string[];
}

/** How many files are found between two words to the page. */
const toldEvery = 200;

/**
 * Takes what was dropped, before the event ends. Where the browser has handles (Chromium), they can be kept, and give
 * the files again after a reload.
 */
export async function takeDropped(items: Iterable<DroppedItem>): Promise<Dropped[]> {
  const taken: Promise<Dropped | null>[] = [];
  for (const item of items) {
    if (item.kind !== 'file') continue;
    const entry = item.webkitGetAsEntry();
    const handle = item.getAsFileSystemHandle?.().catch(() => null);
    taken.push(handle === undefined ? Promise.resolve(entry) : handle.then((found) => found ?? entry));
  }
  return (await Promise.all(taken)).filter((dropped) => dropped !== null);
}

/** Every file in what was dropped, folders walked one after the other, so that the page stays alive. Rejects with the signal's reason. */
export async function filesOf(
  dropped: Iterable<Dropped>,
  signal: AbortSignal,
  onFound: (count: number) => void = () => undefined,
): Promise<DroppedFiles> {
  const found: DroppedFiles = { files: [], tooDeep: [], isCut: false, unreadable: [] };
  const waiting = Array.from(dropped, (entry) => ({ entry, path: entry.name, depth: 0 }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    signal.throwIfAborted();
    const { entry, path, depth } = next;
    if (isFolder(entry)) {
      if (depth >= dropBounds.depth) {
        found.tooDeep.push(path);
        continue;
      }
      try {
        for await (const child of childrenOf(entry)) {
          signal.throwIfAborted();
          if (waiting.length >= dropBounds.files) {
            found.isCut = true;
            break;
          }
          waiting.push({ entry: child, path: `${path}/${child.name}`, depth: depth + 1 });
        }
      } catch {
        signal.throwIfAborted();
        found.unreadable.push(path);
      }
      continue;
    }
    if (found.files.length >= dropBounds.files) {
      found.isCut = true;
      break;
    }
    const file = await fileOf(entry).catch(() => undefined);
    if (file === undefined) found.unreadable.push(path);
    else found.files.push({ path, file });
    if (found.files.length % toldEvery === 0) {
      onFound(found.files.length);
      await breathe();
    }
  }
  found.files = await sortedInPieces(found.files, (one, other) => (one.path < other.path ? -1 : 1), breathe);
  onFound(found.files.length);
  return found;
}

function isFolder(entry: Dropped): entry is FileSystemDirectoryHandle | FileSystemDirectoryEntry {
  return 'kind' in entry ? entry.kind === 'directory' : entry.isDirectory;
}

async function* childrenOf(folder: FileSystemDirectoryHandle | FileSystemDirectoryEntry): AsyncGenerator<Dropped> {
  if ('kind' in folder) {
    yield* folder.values();
    return;
  }
  const reader = folder.createReader();
  for (;;) {
    // A hundred at a time, and none at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    yield* some;
  }
}

function fileOf(entry: Dropped): Promise<File> {
  if ('kind' in entry) return (entry as FileSystemFileHandle).getFile();
  return new Promise((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
}
