import { describe, expect, it, test } from 'vitest';
import { scriptedKinds } from '../../../lib/pages/site/previews/scripted.ts';
import { textTableReader } from '../../../site/previews/formats/csv.ts';
import type { PartRequest } from '../../../site/previews/preview.ts';
import { boundedRanges } from '../../../site/previews/reading/ranges.ts';
import { rangesOf, reasonOf } from './file-ranges.ts';

const { limits, moreLimits } = scriptedKinds.csv;
const bytesOf = (text: string) => new TextEncoder().encode(text);
const read = (bytes: Uint8Array, part: PartRequest = {}) => textTableReader()(rangesOf(bytes, limits), part);
const lines = (count: number) => Array.from({ length: count }, (_, index) => `${index},"wörd\n${index}"\r\n`).join('');

describe('a text table', () => {
  it('shows all rows, part by part', async () => {
    const file = bytesOf(`\ufeffn,word\r\n${lines(4500)}`);
    const rows: unknown[] = [];
    const parts: unknown[] = [];
    for (let part: PartRequest | undefined = {}; part !== undefined; ) {
      const { table } = await read(file, part);
      parts.push([table?.firstRow, table?.rows.length, table?.rowsInFile]);
      rows.push(...(table?.rows ?? []));
      part = table?.next;
    }
    expect(parts).toEqual([
      [0, 2000, undefined],
      [2000, 2000, undefined],
      [4000, 500, 4500],
    ]);
    expect(rows).toHaveLength(4500);
    expect(rows[4499]).toEqual(['4499', 'wörd\n4499']);
  });

  it('shows the first rows of a file of 2 GB within 1 MB of reads', async () => {
    const row = bytesOf('1,2.5,a word\n');
    const byteLength = 2_000_000_002;
    const readRange = async (start: number, end: number) =>
      Uint8Array.from({ length: end - start }, (_, at) => row[(start + at) % row.byteLength] ?? 0);
    const file = boundedRanges({ readRange }, byteLength, limits);
    const { table } = await textTableReader()(file, {});
    expect(table?.rows).toHaveLength(2000);
    expect(table?.columns.map(({ name, isNumber }) => [name, isNumber])).toEqual([
      ['1', true],
      ['2.5', true],
      ['a word', false],
    ]);
    expect(file.used().bytes).toBeLessThanOrEqual(1_000_000);
    const middle = boundedRanges({ readRange }, byteLength, moreLimits);
    const far = await textTableReader()(middle, { row: 76_923_077, byte: 13 * 76_923_078 });
    expect(far.table?.rows[0]).toEqual(['1', '2.5', 'a word']);
    expect(far.table?.start).toEqual({ row: 76_923_077, byte: 13 * 76_923_078 });
  });

  test.each<[what: string, file: Uint8Array, rows: unknown]>([
    ['without a line break at its end', bytesOf('a,b\n1,2'), [['1', '2']]],
    ['with a header only', bytesOf('a,b'), []],
    ['with a header and a line break', bytesOf('a,b\n'), []],
    [
      'with rows of different lengths',
      bytesOf('a,b\n1\n1,2,3\n'),
      [
        ['1', null, null],
        ['1', '2', '3'],
      ],
    ],
    ['in Latin-1', Uint8Array.from([...bytesOf('a\n'), 0xe9, 0x0a]), [['é']]],
    ['with semicolons', bytesOf('a;b\n1,5;2\n'), [['1,5', '2']]],
  ])('shows rows of a file %s', async (_, file, rows) => {
    const { table } = await read(file);
    expect(table?.rows).toEqual(rows);
    expect(table?.rowsInFile).toBe(table?.rows.length);
  });

  test.each<[what: string, file: Uint8Array, reason: string]>([
    ['of zeros', new Uint8Array(5000), 'not-of-this-format'],
    ['in UTF-16', Uint8Array.from([0xff, 0xfe, 0x61, 0, 0x0a, 0]), 'not-of-this-format'],
    ['with only line breaks', bytesOf('\n'.repeat(5000)), 'empty'],
    ['with one line of 9 MB', bytesOf('a,'.repeat(4.5e6)), 'too-much-to-read'],
    ['with a quotation that never ends', bytesOf(`a\n"${'b\n'.repeat(4.5e6)}`), 'too-much-to-read'],
  ])('gives a reason for a file %s', async (_, file, reason) => {
    expect(await reasonOf(read(file))).toBe(reason);
  });

  it('limits the number of cells of a part', async () => {
    const row = `${Array.from({ length: 200 }, () => '1').join(',')}\n`;
    const { table, notes } = await read(bytesOf(row.repeat(2000)));
    expect(table?.columns).toHaveLength(100);
    expect(table?.rows).toHaveLength(500);
    expect(notes[0]).toBe('The first 100 of 200 columns.');
  });
});
