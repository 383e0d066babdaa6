import { expect, test } from 'vitest';
import { linesOf } from '../../../site/previews/view/table-view.tsx';

const table = {
  columns: [{ name: 'n', isNumber: true }, { name: 'word' }],
  rows: [
    ['10', 'Öre 2'],
    ['9', 'öre 10'],
    [null, 'x'],
    ['NaN', ''],
    ['-1e3', undefined],
  ],
};

test.each([
  ['', undefined, [0, 1, 2, 3, 4]],
  [' ÖRE ', undefined, [0, 1]],
  ['nowhere', undefined, []],
  ['', { column: 0, isDescending: false }, [4, 1, 0, 3, 2]],
  ['', { column: 0, isDescending: true }, [3, 0, 1, 4, 2]],
  ['', { column: 1, isDescending: false }, [0, 1, 2, 3, 4]],
  ['', { column: 1, isDescending: true }, [2, 1, 0, 3, 4]],
  ['ö', { column: 1, isDescending: true }, [1, 0]],
])('filters rows by %j and sorts them by %j', (words, sorted, lines) => {
  expect(linesOf(table, words, sorted)).toEqual(lines);
});
