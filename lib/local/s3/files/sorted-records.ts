/** Records by key in S3's list order: by UTF-8 bytes. */
export class SortedRecords<Item extends { key: string }> {
  readonly #items: Item[] = [];

  get(key: string): Item | undefined {
    const item = this.#items[this.#indexFrom(key)];
    return item?.key === key ? item : undefined;
  }

  set(item: Item): void {
    const index = this.#indexFrom(item.key);
    this.#items.splice(index, this.#items[index]?.key === item.key ? 1 : 0, item);
  }

  delete(key: string): void {
    const index = this.#indexFrom(key);
    if (this.#items[index]?.key === key) this.#items.splice(index, 1);
  }

  at(index: number): Item | undefined {
    return this.#items[index];
  }

  /** Returns the index of the first key at or after `bound`. */
  #indexFrom(bound: string): number {
    return this.indexOfFirst((key) => compareKeys(key, bound) >= 0);
  }

  /** Returns the first index for which `isReached` holds. It must hold for every later key too. */
  indexOfFirst(isReached: (key: string) => boolean): number {
    let low = 0;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isReached(this.#items[middle]?.key ?? '')) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** Compares by UTF-8 bytes. JavaScript sorts surrogates before the end of the basic plane. */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const unitA = a.charCodeAt(index);
    const unitB = b.charCodeAt(index);
    if (unitA === unitB) continue;
    const isSurrogateA = (unitA & 0xf800) === 0xd800;
    const isSurrogateB = (unitB & 0xf800) === 0xd800;
    return isSurrogateA === isSurrogateB ? unitA - unitB : isSurrogateA ? 1 : -1;
  }
  return a.length - b.length;
}
