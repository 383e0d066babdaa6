import { limits } from '../domain/limits.ts';
import { findWord, rangeOfPrefix, wordsOneLetterOff } from './matching.ts';
import type { Segment } from './segment.ts';
import { eachPosting } from './terms.ts';
import { describeEvent, isUnspaced } from './words.ts';

/** How good a match is: the word itself, its beginning, the word with one letter off. */
const likeness = { same: 10, prefix: 6, misspelt: 4 } as const;
/** Of where it stands, by the weight that the segment has: name, tags, account, text. */
const worth = [8, 5, 4, 2] as const;

/**
 * What a repository scores for each word that is looked for, added up; 0 where it lacks one. It hangs on nothing but the
 * repository itself, so that a page goes on where the one before ended, also when others came or went meanwhile.
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

/** The words of a search: each once, and as many as count. */
export function searchedWords(text: string): string[] {
  return [...new Set(describeEvent(text))].slice(0, limits.searchedWordsMax);
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

/** The documents that have every label. */
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
