import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findWord, rangeOfPrefix, wordsOneLetterOff } from '../../../lib/search/matching.ts';

/**
 * Computes the distance by its definition: a table of distances between prefixes. A swap of neighbors counts as one.
 */
function distance(a: string, b: string): number {
  const rows: number[][] = [];
  const cell = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 0; i <= a.length; i += 1) {
    rows.push([]);
    for (let j = 0; j <= b.length; j += 1) {
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      rows[i]?.push(
        i === 0 || j === 0
          ? i + j
          : Math.min(
              cell(i - 1, j) + 1,
              cell(i, j - 1) + 1,
              cell(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
              isSwap ? cell(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
            ),
      );
    }
  }
  return cell(a.length, b.length);
}

const words = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é', '0'), minLength: 1, maxLength: 7 }), {
  maxLength: 60,
});
const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é', '0'), minLength: 1, maxLength: 7 });

test('the search for misspellings finds exactly the words at distance one', () => {
  fc.assert(
    fc.property(words, word, (listed, wanted) => {
      const names = [...new Set(listed)].sort();
      const found = [...wordsOneLetterOff(names, wanted)].map((index) => names[index]).sort();
      expect(found).toEqual(names.filter((name) => distance(name, wanted) === 1));
    }),
    { numRuns: 500 },
  );
});

test('the search finds a word and all words that begin with it', () => {
  fc.assert(
    fc.property(words, word, (listed, wanted) => {
      const names = [...new Set(listed)].sort();
      expect(findWord(names, wanted)).toBe(names.indexOf(wanted));
      const { from, to } = rangeOfPrefix(names, wanted);
      expect(names.slice(from, to)).toEqual(names.filter((name) => name.startsWith(wanted)));
    }),
  );
});
