/**
 * Returns the number of items at the beginning of a sorted list for which `isBefore` is true. `isBefore` must be false
 * for all later items.
 */
export function countBefore<Item>(items: readonly Item[], isBefore: (item: Item) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(items[middle] as Item)) low = middle + 1;
    else high = middle;
  }
  return low;
}
