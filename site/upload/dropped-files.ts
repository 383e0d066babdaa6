import { breathe } from './breathe.ts';
import type { ChosenFile } from './chosen-files.ts';

/**
 * A dropped item with the method `getAsFileSystemHandle`, which only Chromium has. The standard types do not contain
 * it.
 */
type DroppedItem = DataTransferItem & { getAsFileSystemHandle?(): Promise<FileSystemHandle | null> };

/** A dropped folder or file. Chromium represents it by a handle, other browsers by an entry. */
export type Dropped = FileSystemHandle | FileSystemEntry;

const dropBounds = { depth: 64, files: 200_000 } as const;

export interface DroppedFiles {
  files: ChosenFile[];
  /**
   * Folders that were not read, because they are nested too deeply. `isCut` is true when there were more files than the
   * maximum.
   */
  tooDeep: string[];
  isCut: boolean;
  unreadable: string[];
}

/**
 * Returns handles for dropped items. Must be called during the drop event, because the items are empty afterwards.
 * Chromium's handles can be stored and opened again after a reload.
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

/**
 * Returns all files in the dropped items and their folders. Reads one folder at a time. Rejects with the signal's
 * reason.
 */
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
    if (found.files.length >= dropBounds.files) {
      found.isCut = true;
      break;
    }
    try {
      if (!isFolder(entry)) {
        found.files.push({ path, file: await fileOf(entry) });
        if (found.files.length % 200 === 0) onFound(found.files.length);
        await breathe(found.files.length);
      } else if (depth >= dropBounds.depth) found.tooDeep.push(path);
      else {
        for await (const child of childrenOf(entry)) {
          signal.throwIfAborted();
          if (waiting.length < dropBounds.files) {
            waiting.push({ entry: child, path: `${path}/${child.name}`, depth: depth + 1 });
            continue;
          }
          found.isCut = true;
          break;
        }
      }
    } catch {
      signal.throwIfAborted();
      found.unreadable.push(path);
    }
  }
  found.files.sort((one, other) => (one.path < other.path ? -1 : 1));
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
    // Each call of `readEntries` returns about a hundred entries. An empty list marks the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    yield* some;
  }
}

function fileOf(entry: Dropped): Promise<File> {
  if ('kind' in entry) return (entry as FileSystemFileHandle).getFile();
  return new Promise((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
}
