import { limits } from '../domain/limits.ts';
import { foldText } from '../domain/text.ts';

/**
 * Matches text in scripts without spaces between words. For these scripts, the index contains pairs of letters instead
 * of words.
 */
const unspaced =
  /^(?=[\p{L}\p{N}])[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u;
const runs =
  /(?:(?=[\p{L}\p{N}])[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}])+|[\p{L}\p{N}]+/gu;
/** The first code point of Thai, which is the lowest of the scripts without spaces between words. */
const firstUnspaced = 0x0e00;

/** Yields the words of a text in order, in lower case and without accents. Very long words are cut. */
export function* wordsIn(text: string): Generator<string> {
  for (const [run] of foldText(text).matchAll(runs)) {
    if (!isUnspaced(run) || run.length < 3) {
      yield run.length <= limits.searchWordLettersMax ? run : beginning(run);
      continue;
    }
    const letters = Array.from(run);
    for (let at = 1; at < letters.length; at += 1) yield `${letters[at - 1]}${letters[at]}`;
  }
}

export function isUnspaced(word: string): boolean {
  return word.charCodeAt(0) >= firstUnspaced && unspaced.test(word);
}

function beginning(word: string): string {
  return Array.from(word).slice(0, limits.searchWordLettersMax).join('');
}
