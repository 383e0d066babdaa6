import { expect, test } from 'vitest';
import { wordsIn } from '../../../lib/search/words.ts';

test.each([
  ['Sea level, every ten minutes', ['sea', 'level', 'every', 'ten', 'minutes']],
  ['tide-gauges_2026/v1', ['tide', 'gauges', '2026', 'v1']],
  ['Zürich: Übersicht', ['zurich', 'ubersicht']],
  ['ŁÓDŹ', ['łodz']],
  ['l’eau', ['l', 'eau']],
  ['Ｆｕｌｌ ｗｉｄｔｈ', ['full', 'width']],
  ['한국 기상', ['한국', '기상']],
  ['данные о море', ['данные', 'о', 'море']],
  // In text without spaces, each pair of characters is a word. Voiced sound marks are removed like accents.
  ['海洋観測データ', ['海洋', '洋観', '観測', '測テ', 'テー', 'ータ']],
  ['海', ['海']],
  ['R&D', ['r', 'd']],
  ['— … —', []],
  ['x'.repeat(40), ['x'.repeat(32)]],
])('the words of %j are %j', (text, words) => {
  expect([...wordsIn(text)]).toEqual(words);
});
