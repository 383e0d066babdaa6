import type { ListedObject, Objects } from './objects.ts';

/** What is below a folder, or only as much of it as may be dealt with at once. */
export interface EveryObject {
  objects: ListedObject[];
  bytes: number;
  /** There is more than `max`. */
  isMore: boolean;
}

/** Lists a folder to its end, or to `max` objects. */
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
