/** Sorted words of the search index, as in the interface `Terms`. */
type Names = readonly string[];

interface Range {
  from: number;
  /** The end of a range of positions, exclusive. */
  to: number;
}

/** A character for the end of a range of words with one prefix. It sorts after every letter. */
const afterAll = '\uffff';
/**
 * Maximum number of different letters to try at one position of a word. Without it, an attacker could make a search
 * slow by registering words with every possible beginning.
 */
const lettersTriedMax = 256;

/** Returns the position of the word, or -1 if it is not in the list. */
export function findWord(names: Names, word: string): number {
  const at = firstNotBefore(names, word, 0, names.length);
  return names[at] === word ? at : -1;
}

/** Returns the range of positions of the words with this prefix. */
export function rangeOfPrefix(
  names: Names,
  prefix: string,
  { from, to }: Range = { from: 0, to: names.length },
): Range {
  const first = firstNotBefore(names, prefix, from, to);
  return { from: first, to: firstNotBefore(names, prefix + afterAll, first, to) };
}

/**
 * Returns the positions of the words that differ from the given word by one wrong, missing, or extra letter, or by two
 * swapped neighboring letters.
 */
export function wordsOneLetterOff(names: Names, word: string): Set<number> {
  const found = new Set<number>();
  const look = (candidate: string) => {
    const at = findWord(names, candidate);
    if (at >= 0) found.add(at);
  };
  let range: Range = { from: 0, to: names.length };
  for (let at = 0; at <= word.length; at += 1) {
    const prefix = word.slice(0, at);
    range = rangeOfPrefix(names, prefix, range);
    if (range.from === range.to) break;
    const [rest, next] = [word.slice(at + 1), word[at + 1]];
    if (at < word.length) look(prefix + rest);
    if (next !== undefined) look(prefix + next + word[at] + word.slice(at + 2));
    for (const letter of lettersAfter(names, prefix, range)) {
      if (at < word.length) look(prefix + letter + rest);
      look(prefix + letter + word.slice(at));
    }
  }
  found.delete(findWord(names, word));
  return found;
}

/**
 * Yields the letters that come directly after the prefix in a range of words. All words of the range must have the
 * prefix.
 */
function* lettersAfter(names: Names, prefix: string, { from, to }: Range): Generator<string> {
  let tried = 0;
  for (let at = from; at < to && tried < lettersTriedMax; ) {
    const letter = names[at]?.[prefix.length];
    if (letter === undefined) {
      at += 1;
      continue;
    }
    yield letter;
    tried += 1;
    at = rangeOfPrefix(names, prefix + letter, { from: at, to }).to;
  }
}

function firstNotBefore(names: Names, word: string, from: number, to: number): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((names[middle] ?? '') < word) low = middle + 1;
    else high = middle;
  }
  return low;
}
