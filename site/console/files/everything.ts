import { type EveryObject, type ListedObject, listEvery, type Objects } from '../../data/objects.ts';
import { atOnceMax } from './texts.ts';

const deletedAtOnce = 1000;

interface FindOptions {
  /** Objects that the page already shows. They need no further request. */
  listed: readonly ListedObject[];
  signal: AbortSignal;
  onFound?: ((count: number) => void) | undefined;
}

/**
 * Lists all objects with the given keys or in the given folders, at most `atOnceMax`. Objects that no longer exist are
 * left out.
 */
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
  const known = listed.find((object) => object.key === key) ?? (await objects.find(key, signal));
  if (known === undefined) return { objects: [], bytes: 0, isMore: false };
  const { bytes, modifiedAt, etag } = known;
  return { objects: [{ key, bytes, modifiedAt, etag }], bytes, isMore: false };
}

/**
 * Deletes the objects. Resolves with the objects that were not deleted and the reasons. A running deletion cannot be
 * canceled.
 */
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
