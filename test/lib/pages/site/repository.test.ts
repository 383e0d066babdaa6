import { describe, expect, test } from 'vitest';
import { pageOfFolder, shownRepository } from './shown.ts';

const repository = shownRepository({ title: 'x'.repeat(61), description: '' });
const filesOf = (keys: readonly string[], ...sizes: number[]) =>
  keys.map((key, at) => ({ key, bytes: sizes[at] ?? 1, modified: 0 }));

function folderPage(sizes: number[], next?: string) {
  const keys = sizes.map((_, at) => `a/file-${at}.csv`);
  return pageOfFolder(repository, { folder: 'a/', folders: ['a/b/'], files: filesOf(keys, ...sizes), next });
}

describe('the page of a folder', () => {
  test('shows the number of folders and files, and that there are more', () => {
    expect(folderPage([1, 1])).toContain('<span>1 folder, 2 files</span>');
    expect(folderPage([1], 'more')).toContain('<span>1 folder, 1 file on this page</span>');
  });

  test('uses the first file that is not empty in its commands', () => {
    const html = folderPage([0, 7]);
    expect(html).toContain("SELECT * FROM 'https://data.example/tides/gauges/a/file-1.csv'");
    expect(folderPage([0])).not.toContain('SELECT');
  });

  test.each([
    ['the repository', '', ['2026/'], true],
    ['a folder of a partitioned table', 'levels/', ['levels/year=2026/'], true],
    ['another folder', 'notes/', ['notes/2026/'], false],
  ])('offers a query of all Parquet files below %s: %s', (_, folder, folders, isOffered) => {
    const formats = [{ format: 'parquet', files: 3, bytes: 9 }];
    const html = pageOfFolder(repository, { folder, folders, files: [], inventory: { state: 'ready', formats } });
    const query = `FROM read_parquet('s3://tides/gauges/${folder}**/*.parquet', union_by_name = true) LIMIT 10;`;
    expect(html.includes(query)).toBe(isOffered);
  });
});

test('gives a file with the name of an inherited property the default content type', () => {
  const files = filesOf(['a.__proto__', 'a.constructor', 'a.csv']);
  const html = pageOfFolder(repository, { folder: '', files });
  const types = [...html.matchAll(/"encodingFormat":("[^"]*"|.{9})/g)].map(([, type]) => type);
  expect(types).toEqual(['"application/octet-stream"', '"application/octet-stream"', '"text/csv"']);
});
