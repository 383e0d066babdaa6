/**
 * Sorted words, with the documents that contain each word (its postings). A posting is stored as the difference from
 * the previous document number, together with the word's weight in this document. It takes as few bytes as it needs.
 */
export interface Terms {
  /** The words, sorted by UTF-16 code units. */
  names: readonly string[];
  /** The position of each word's first byte in `bytes`. The last element is the end of the last word. */
  starts: Uint32Array;
  bytes: Uint8Array;
}

/** The importance of a word in a document. 0 is the most important. */
export type Weight = 0 | 1 | 2 | 3;

const weightBits = 2;
const weightMask = (1 << weightBits) - 1;

/** Collects words and their documents. Documents must be added in the order of their numbers. */
export class TermCollector {
  readonly #postings = new Map<string, number[]>();

  add(term: string, document: number, weight: Weight): void {
    const found = this.#postings.get(term);
    const posting = document * (weightMask + 1) + weight;
    if (found === undefined) this.#postings.set(term, [posting]);
    else found.push(posting);
  }

  finish(): Terms {
    const names = [...this.#postings.keys()].sort();
    const starts = new Uint32Array(names.length + 1);
    let bytes = new Uint8Array(1024);
    let length = 0;
    names.forEach((name, index) => {
      let before = 0;
      for (const posting of this.#postings.get(name) ?? []) {
        const document = posting >>> weightBits;
        if (length + 5 > bytes.length) bytes = grown(bytes);
        length = writeNumber(bytes, length, ((document - before) << weightBits) | (posting & weightMask));
        before = document;
      }
      starts[index + 1] = length;
    });
    return { names, starts, bytes: bytes.slice(0, length) };
  }
}

/** Calls `act` for each document that contains the word, with the word's weight in the document. */
export function eachPosting(
  { starts, bytes }: Terms,
  index: number,
  act: (document: number, weight: number) => void,
): void {
  const end = starts[index + 1] ?? 0;
  let document = 0;
  for (let at = starts[index] ?? 0; at < end; ) {
    let byte = bytes[at] ?? 0;
    let value = byte & 0x7f;
    at += 1;
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = bytes[at] ?? 0;
      value |= (byte & 0x7f) << shift;
      at += 1;
    }
    document += value >>> weightBits;
    act(document, value & weightMask);
  }
}

/** Writes a number with seven bits in each byte, the lowest bits first. Returns the position after the last byte. */
export function writeNumber(bytes: Uint8Array, at: number, value: number): number {
  let rest = value;
  let end = at;
  for (; rest > 0x7f; rest >>>= 7) {
    bytes[end] = (rest & 0x7f) | 0x80;
    end += 1;
  }
  bytes[end] = rest;
  return end + 1;
}

function grown(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(bytes.length * 2);
  larger.set(bytes);
  return larger;
}
