import { limits } from '../domain/limits.ts';
import { foldText } from '../domain/text.ts';

/** Written without spaces between words: pairs of letters stand for words there. */
const unspaced =
  /^(?=[\p{L}\p{N}])[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u;
const runs =
  /(?:(?=[\p{L}\p{N}])[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}])+|[\p{L}\p{N}]+/gu;
/** The first letter of the first of these scripts, Thai. */
const firstUnspaced = 0x0e00;

/** The words of a text, folded, in their order; of a very long one its beginning. */
export function* describeEvent(text: string): Generator<string> {
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
