import { limits } from '../domain/limits.ts';
import { findWord, rangeOfPrefix, wordsOneLetterOff } from './matching.ts';
import type { Segment } from './segment.ts';
import { eachPosting } from './terms.ts';
import { isUnspaced, wordsIn } from './words.ts';

/**
 * The score of a match by similarity: an equal word, a word that begins with the searched word, or a word with one
 * different letter.
 */
const likeness = { same: 10, prefix: 6, misspelt: 4 } as const;
/** The factor for matches in each field, in the order of the fields' weights: name, tags, account, text. */
const worth = [8, 5, 4, 2] as const;

/**
 * Returns the score of each repository, or 0 if it lacks one of the searched words. The score does not depend on other
 * repositories.
 */
export function scoresOf(segment: Segment, words: readonly string[]): Uint16Array {
  const sums = new Uint16Array(segment.names.length);
  words.forEach((word, index) => {
    const best = bestMatches(segment, word);
    for (let document = 0; document < sums.length; document += 1) {
      const before = sums[document] ?? 0;
      const score = best[document] ?? 0;
      sums[document] = score === 0 || (index > 0 && before === 0) ? 0 : before + score;
    }
  });
  return sums;
}

/** Returns the different words of a query, up to `limits.searchedWordsMax`. */
export function searchedWords(text: string): string[] {
  return [...new Set(wordsIn(text))].slice(0, limits.searchedWordsMax);
}

function bestMatches({ names, words }: Segment, word: string): Uint8Array {
  const best = new Uint8Array(names.length);
  const match = (term: number, like: number) =>
    eachPosting(words, term, (document, weight) => {
      const score = like * (worth[weight] ?? 0);
      if (score > (best[document] ?? 0)) best[document] = score;
    });
  if (word.length > 1 || isUnspaced(word)) {
    const { from, to } = rangeOfPrefix(words.names, word);
    for (let term = from; term < to; term += 1) match(term, likeness.prefix);
  }
  if (Array.from(word).length >= limits.misspeltWordLettersMin)
    for (const term of wordsOneLetterOff(words.names, word)) match(term, likeness.misspelt);
  const same = findWord(words.names, word);
  if (same >= 0) match(same, likeness.same);
  return best;
}

/** Returns 1 for each document that has every label, and 0 for all other documents. */
export function documentsWith({ names, labels }: Segment, wanted: readonly string[]): Uint8Array {
  const counts = new Uint8Array(names.length);
  for (const label of wanted) {
    const term = findWord(labels.names, label);
    if (term < 0) return new Uint8Array(names.length);
    eachPosting(labels, term, (document) => {
      counts[document] = (counts[document] ?? 0) + 1;
    });
  }
  return counts.map((count) => (count === wanted.length ? 1 : 0));
}
