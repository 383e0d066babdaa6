/** Lets the page draw and answer before the work goes on. */
export type Breathe = () => Promise<void>;

/** How many of a long list are done between two breaths: some milliseconds of work on a slow machine. */
export const pieceMax = 500;

/** By a message: a timer would wait for milliseconds each time, and for a second in a tab that nobody looks at. */
export const breathe: Breathe = () =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

/** A list in pieces with a breath after each: a hundred thousand at once would hold the page up. */
export async function* piecesOf<Item>(items: readonly Item[], breath: Breathe): AsyncGenerator<readonly Item[]> {
  for (let start = 0; start < items.length; start += pieceMax) {
    yield items.slice(start, start + pieceMax);
    await breath();
  }
}

/** A sorted copy, merged from sorted pieces; equal items keep their order. */
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
