import { limits } from '../domain/limits.ts';
import { foldText } from '../domain/text.ts';

/** Scripts without spaces between words. Pairs of letters replace words there. */
const unspaced =
  /^(?=[\p{L}\p{N}])[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u;
const runs =
  /(?:(?=[\p{L}\p{N}])[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}])+|[\p{L}\p{N}]+/gu;
/** The first code point of Thai, which is the lowest of these scripts. */
const firstUnspaced = 0x0e00;

/** Yields the folded words of a text, in order. Very long words are truncated. */
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
