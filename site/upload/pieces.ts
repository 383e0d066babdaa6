/** Yields to the browser, so that it can draw and react to input. */
export type Breathe = () => Promise<void>;

/** Number of items between two yields: a few milliseconds of work on a slow machine. */
export const pieceMax = 500;

/** Yields with a message. A timer would take milliseconds each time, and a second in a background tab. */
export const breathe: Breathe = () =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

/**
 * Splits a list into pieces and yields to the browser after each. Processing 100,000 items at once would block the
 * page.
 */
export async function* piecesOf<Item>(items: readonly Item[], breath: Breathe): AsyncGenerator<readonly Item[]> {
  for (let start = 0; start < items.length; start += pieceMax) {
    yield items.slice(start, start + pieceMax);
    await breath();
  }
}

/** Returns a sorted copy, merged from sorted pieces. Equal items keep their order. */
export async function sortedInPieces<Item>(
  items: readonly Item[],
  compare: (one: Item, other: Item) => number,
  breath: Breathe,
): Promise<Item[]> {
  let runs: Item[][] = [];
  for await (const piece of piecesOf(items, breath)) runs.push(piece.toSorted(compare));
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(await mergedRuns(runs[index] ?? [], runs[index + 1] ?? [], compare, breath));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function mergedRuns<Item>(
  left: readonly Item[],
  right: readonly Item[],
  compare: (one: Item, other: Item) => number,
  breath: Breathe,
): Promise<Item[]> {
  const merged: Item[] = [];
  let [ofLeft, ofRight] = [0, 0];
  while (ofLeft < left.length || ofRight < right.length) {
    const takesLeft =
      ofRight >= right.length || (ofLeft < left.length && compare(left[ofLeft] as Item, right[ofRight] as Item) <= 0);
    merged.push((takesLeft ? left[ofLeft++] : right[ofRight++]) as Item);
    if (merged.length % pieceMax === 0) await breath();
  }
  return merged;
}
