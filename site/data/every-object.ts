import type { ListedObject, Objects } from './objects.ts';

/** The objects below a folder, up to a maximum. */
export interface EveryObject {
  objects: ListedObject[];
  bytes: number;
  /** True when there are more than `max` objects. */
  isMore: boolean;
}

/** Lists all objects of a folder, up to `max`. */
export async function listEvery(
  { list }: Pick<Objects, 'list'>,
  prefix: string,
  { max, signal, onFound }: { max: number; signal: AbortSignal; onFound?: (count: number) => void },
): Promise<EveryObject> {
  const found: EveryObject = { objects: [], bytes: 0, isMore: false };
  let continuation: string | undefined;
  do {
    const page = await list({ prefix, continuation }, signal);
    for (const object of page.objects) {
      if (found.objects.length === max) return { ...found, isMore: true };
      found.objects.push(object);
      found.bytes += object.bytes;
    }
    onFound?.(found.objects.length);
    continuation = page.next;
  } while (continuation !== undefined);
  return found;
}
