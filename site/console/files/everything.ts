import { type EveryObject, listEvery } from '../../data/every-object.ts';
import type { Mover } from '../../data/move-object.ts';
import type { ListedObject, Objects } from '../../data/objects.ts';
import type { Move } from './move-dialog.tsx';

/** Deletes and moves of what is selected: keys, and folders with their final slash. */

/** As many as a page can delete or move one after the other while somebody waits. */
export const atOnceMax = 10_000;
const deletedAtOnce = 1000;

interface FindOptions {
  /** What is known already, so that nobody asks for it. */
  listed: readonly ListedObject[];
  signal: AbortSignal;
  onFound?: ((count: number) => void) | undefined;
}

/** All that the names stand for, or the first `atOnceMax` of it; what is there no more is left out. */
export async function findEverything(
  objects: Objects,
  names: readonly string[],
  { listed, signal, onFound }: FindOptions,
): Promise<EveryObject> {
  const found: EveryObject = { objects: [], bytes: 0, isMore: false };
  for (const name of names) {
    if (found.isMore) break;
    const before = found.objects.length;
    const below = name.endsWith('/')
      ? await listEvery(objects, name, {
          max: atOnceMax - before,
          signal,
          onFound: (count) => onFound?.(before + count),
        })
      : await findOne(objects, name, listed, signal);
    found.objects.push(...below.objects);
    found.bytes += below.bytes;
    found.isMore = below.isMore;
  }
  return found;
}

async function findOne(
  objects: Objects,
  key: string,
  listed: readonly ListedObject[],
  signal: AbortSignal,
): Promise<EveryObject> {
  const facts = listed.find((object) => object.key === key) ?? (await objects.find(key, signal));
  if (facts === undefined) return { objects: [], bytes: 0, isMore: false };
  const { bytes, modifiedAt, etag } = facts;
  return { objects: [{ key, bytes, modifiedAt, etag }], bytes, isMore: false };
}

/** Resolves with those that were not deleted, each with the reason. A deletion that was begun is not stopped. */
export async function removeEverything(
  objects: Objects,
  keys: readonly string[],
  onDone: (count: number) => void,
): Promise<{ key: string; message: string }[]> {
  const { signal } = new AbortController();
  const failed: { key: string; message: string }[] = [];
  for (let start = 0; start < keys.length; start += deletedAtOnce) {
    const some = keys.slice(start, start + deletedAtOnce);
    failed.push(...(await objects.removeMany(some, signal)));
    onDone(start + some.length);
  }
  return failed;
}

/** Rejects at the first that cannot be moved; those before it are moved by then. */
export async function moveEverything(
  mover: Mover,
  moves: readonly Move[],
  signal: AbortSignal,
  onDone: (count: number) => void,
): Promise<void> {
  for (const [index, { from, to }] of moves.entries()) {
    await mover.move(from, to, { signal });
    onDone(index + 1);
  }
}
