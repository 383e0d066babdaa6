import { describe, expect, test } from 'vitest';
import { readRows, separatorOf } from '../../../../lib/pages/site/previews/csv.ts';
import { separatorOfFile } from '../../../../lib/pages/site/previews/kinds.tsx';
import { recipesFor } from '../../../../lib/pages/site/use-it.tsx';
import { dataProxyUrl, pageOfFile, pageOfFolder, shownRepository } from './shown.ts';

const repository = shownRepository({
  title: '</title><script>alert(1)</script>',
  description: '"><img src=x onerror=alert(1)>',
});
const page = (key: string, content: string) => pageOfFile(repository, key, content);

describe('the page of a hostile file', () => {
  test.each([
    ['a.csv', 'a,b\n"<script>alert(1)</script>",=cmd()'],
    ['a.tsv', 'a\tb\n<img src=x onerror=alert(1)>\t2'],
    ['a.json', '{"a":"<script>alert(1)</script>"}'],
    ['a.geojson', '{"properties":{"name":"<img src=x onerror=alert(1)>"}}'],
    ['a.md', '<script>alert(1)</script>'],
    ['a.html', '<script>alert(1)</script>'],
    ['a.svg', '<svg onload=alert(1)></svg>'],
    ['a.xml', '<?xml-stylesheet href="javascript:alert(1)"?><a/>'],
    ['<img src=x onerror=alert(1)>.txt', 'a'],
    ['"onmouseover="alert(1).png', 'a'],
    ['a.pdf', '<script>alert(1)</script>'],
  ])('shows the content of %s as text', (key, content) => {
    const { tags, attributes } = markupOf(page(key, content));
    // The start and the end of the page script.
    expect(tags.filter((tag) => /^(script|object|embed|base|form[^ ]+)$/.test(tag))).toEqual(['script', 'script']);
    expect(attributes.filter((name) => name.startsWith('on') || name === 'style' || name === 'srcdoc')).toEqual([]);
    expect(attributes.length).toBeGreaterThan(20);
  });
});

describe('commands for a table', () => {
  const inFolder = { keysInFolder: ['notes.md', 'b.csv'] };
  const url = (name: string) => `"https://data.example/tides/gauges/${name}"`;
  test.each([
    ['a.csv', 'a,b\n1,2', `read_csv(${url('a.csv')})`, `read.csv(${url('a.csv')})`],
    ['a.csv', 'a;b\n1,5;2', `read_csv(${url('a.csv')}, sep=";")`, `read.csv(${url('a.csv')}, sep = ";")`],
    ['a.csv', 'a\tb\n1\t2', `read_csv(${url('a.csv')}, sep="\\t")`, `read.csv(${url('a.csv')}, sep = "\\t")`],
    ['a.csv', 'a\n1', `read_csv(${url('a.csv')})`, `read.csv(${url('a.csv')})`],
  ])('read %s with the separator of %j', (key, content, python, r) => {
    const commands = [...page(key, content).matchAll(/<code>(.*?)<\/code>/gs)].map(([, code = '']) => plain(code));
    expect(commands).toContain(`import pandas\n\ntable = pandas.${python}\nprint(table.head())`);
    expect(commands).toContain(`table <- ${r}\nhead(table)`);
  });

  test.each([
    ['a.parquet', 'R', `arrow::read_parquet(${url('a.parquet')})`],
    ['a.tif', 'Python', `rioxarray.open_rasterio(${url('a.tif')})`],
    ['a.tif', 'R', 'terra::rast("/vsicurl/https://data.example/tides/gauges/a.tif")'],
    ['a.tif', 'QGIS', 'qgis /vsicurl/https://data.example/tides/gauges/a.tif'],
    ['a.geoparquet', 'Python', `geopandas.read_parquet(${url('a.geoparquet')})`],
    ['a.geoparquet', 'DuckDB', "read_parquet('https://data.example/tides/gauges/a.geoparquet')"],
    ['a.gpkg', 'Python', `geopandas.read_file(${url('a.gpkg')})`],
    ['a.geojson', 'R', 'sf::st_read("/vsicurl/https://data.example/tides/gauges/a.geojson")'],
    ["a'$(id).geojson", 'QGIS', 'qgis "/vsicurl/https://data.example/tides/gauges/a%27%24(id).geojson"'],
    ['a.nc', 'Python', `xarray.open_dataset(fsspec.open(${url('a.nc')}).open(), engine="h5netcdf")`],
  ])('open %s in %s', (key, tool, commands) => {
    expect(recipesFor(dataProxyUrl, repository, key).find((recipe) => recipe.tool === tool)?.commands).toContain(
      commands,
    );
  });

  test('open a folder that is a Zarr group', () => {
    const recipes = recipesFor(dataProxyUrl, repository, 'a/', { keysInFolder: ['a/zarr.json'] });
    expect(recipes.map(({ tool }) => tool)).toContain('Zarr');
    expect(recipes.map(({ tool }) => tool)).not.toContain('DuckDB');
    expect(recipesFor(dataProxyUrl, repository, 'a/').map(({ tool }) => tool)).not.toContain('Zarr');
  });

  test.each([
    ['of format 1', 'a/', ['a/refs/', 'a/snapshots/'], [], true],
    ['of format 2', '', ['snapshots/', 'transactions/'], ['repo'], true],
    ['without snapshots', 'a/', ['a/refs/'], ['a/repo'], false],
    ['without references', 'a/', ['a/snapshots/'], ['a/repo.md'], false],
  ])('open a folder that is an Icechunk store %s', (_, folder, folders, keys, isStore) => {
    const files = keys.map((key) => ({ key, bytes: 1, modified: 0 }));
    const html = pageOfFolder(repository, { folder, folders, files });
    expect(html.includes('This page cannot show the arrays of an Icechunk store')).toBe(isStore);
    expect(plain(html).includes(`prefix="gauges${folder && '/a'}"`)).toBe(isStore);
  });

  test('are a notebook, which the page contains', () => {
    const key = `a"';<b>.tif`;
    const [, href = '', name] = /<a href="(data:[^"]+)" download="([^"]+)">/.exec(page(key, 'a')) ?? [];
    expect(plain(name ?? '')).toBe(`${key}.ipynb`);
    const [type, content = ''] = plain(href).split(',');
    expect(type).toBe('data:application/x-ipynb+json');
    const notebook = JSON.parse(decodeURIComponent(content));
    expect(notebook).toMatchObject({ nbformat: 4, nbformat_minor: 5, metadata: { kernelspec: { name: 'python3' } } });
    const python = recipesFor(dataProxyUrl, repository, key).find(({ tool }) => tool === 'Python');
    expect(notebook.cells).toEqual([
      {
        cell_type: 'code',
        id: 'commands-0',
        execution_count: null,
        metadata: {},
        outputs: [],
        source: python?.commands,
      },
    ]);
  });

  test('detect the separator if the first line was not read completely', () => {
    const of = (beginning: string, bytes: number) =>
      separatorOfFile({
        key: 'a.csv',
        metadata: { bytes, modified: 0, type: 'text/csv', etag: '"a"', checksums: {} },
        beginning: new TextEncoder().encode(beginning),
      });
    expect(of('a;b', 100)).toBeUndefined();
    expect(of('a;b\n', 100)).toBe(';');
    expect(of('', 0)).toBe(',');
  });

  test('detect the separator of a file that the server did not read', () => {
    const of = (key: string, options = {}) =>
      Object.fromEntries(
        recipesFor(dataProxyUrl, repository, key, options).map(({ tool, commands }) => [tool, commands]),
      );
    expect(of('a.csv.gz')['Python']).toContain(
      `by itself\ntable = pandas.read_csv(${url('a.csv.gz')}, sep=None, engine="python")`,
    );
    expect(of('a.csv.gz')['R']).toContain('needs the packages data.table and R.utils');
    expect(of('', inFolder)['R']).toContain(
      `needs the package data.table\ntable <- data.table::fread(${url('b.csv')})`,
    );
    expect(of('a.tsv')['Python']).toContain(`read_csv(${url('a.tsv')}, sep="\\t")`);
  });
});

function plain(markup: string): string {
  return markup.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

describe('a preview', () => {
  test.each(['a.csv', 'a.json', 'a.txt', 'a.png', 'a.parquet'])('says that a file is empty: %s', (key) => {
    const html = page(key, '');
    expect(html).toContain('This file is empty.');
    expect(html.replace(/<style>.*?<\/style>/s, '')).not.toMatch(/class="(scroll|preview)|<img|<iframe/);
  });

  test('names the number of columns that a table does not show', () => {
    const header = Array.from({ length: 41 }, (_, at) => `c${at}`).join(',');
    expect(page('a.csv', `${header}\n1`)).toContain('1 row. The first 40 of 41 columns.');
    expect(page('a.csv', 'a\n1\n2')).toMatch(/>2 rows\.</);
  });

  test('aligns columns of numbers to the right, and codes with leading zeros to the left', () => {
    const html = page('a.csv', 'code,level,note\n032,-1.5e3,1\n040,,x');
    expect(
      [...html.matchAll(/<th scope="col"( class="number")?>(\w+)/g)].map(([, mark, name]) => [
        name,
        mark !== undefined,
      ]),
    ).toEqual([
      ['code', false],
      ['level', true],
      ['note', false],
    ]);
  });

  test.each([
    ['a.parquet', 9_000_000_000, true],
    ['a.geojson', 1_999_999, true],
    ['a.geojson', 2_000_000, false],
    ['a.tif', 100_000_000, true],
    ['a.pdf', 1_999_999, true],
    ['a.pdf', 2_000_001, false],
  ])('of %s with %d bytes is open at first: %s', (key, bytes, isOpen) => {
    expect(pageOfFile(repository, key, '', bytes)).toContain(
      `<details class="preview"${isOpen ? ' open' : ''}><summary>${isOpen ? 'Preview' : 'Show'}`,
    );
  });

  test('collapses the text of a file below its scripted preview', () => {
    const folded = /<details class="preview"><summary>Show the text of the file<\/summary>.*?&quot;Feature&quot;/s;
    expect(page('a.geojson', '{"type":"Feature"}')).toMatch(folded);
    expect(page('a.json', '{"type":"Feature"}')).not.toContain('<details class="preview">');
  });

  test('wraps only lines that are very long', () => {
    expect(page('a.txt', 'a'.repeat(501))).toContain('<pre class="wrapped">');
    expect(page('a.txt', `${'a'.repeat(500)}\nb`)).toContain('<pre><code>');
  });
});

/** Returns every element and attribute of a page. Any other `<` is a failure. */
function markupOf(html: string): { tags: string[]; attributes: string[] } {
  const body = html.replace('<!doctype html>', '').replace(/<style>.*?<\/style>/s, '');
  const element = /<\/?([a-z][a-z0-9]*)((?:\s+[\w:-]+(?:="[^"]*")?)*)\s*\/?>/gi;
  expect(body.replace(element, '')).not.toContain('<');
  const found = [...body.matchAll(element)];
  return {
    tags: found.map(([, tag = '']) => tag.toLowerCase()),
    attributes: found.flatMap(([, , given = '']) =>
      [...given.matchAll(/([\w:-]+)(?:="[^"]*")?/g)].map(([, name = '']) => name),
    ),
  };
}

describe('rows', () => {
  test.each([
    ['a,b\r\n1,2\r\n', '[["a","b"],["1","2"]]'],
    ['"a ""x""","b\nc"\n1,2', String.raw`[["a \"x\"","b\nc"],["1","2"]]`],
    ['a\n\nb', '[["a"],["b"]]'],
    ['a,', '[["a",""]]'],
    ['"open', '[["open"]]'],
    ['', '[]'],
  ])('are read from %j', (text, rows) => {
    expect(JSON.stringify(readRows(text, ',', 10))).toBe(rows);
  });

  test('stop at the requested number', () => {
    expect(readRows('a\n'.repeat(1000), ',', 3)).toHaveLength(3);
  });

  test.each([
    ['commas', 'day,level\n1,2.5\n', ','],
    ['semicolons, with decimal commas in the values', 'day;level;temp\n1;2,5;3,5\n2;2,6;3,6\n', ';'],
    ['semicolons, with commas in every value and in the header', 'day;level, cm;temp, C\n1;2,5;3,5\n', ';'],
    ['tabs', 'day\tlevel\n1\t2,5\n', '\t'],
    ['commas, with semicolons in a text', 'day,note\n1,a;b\n2,c;d;e\n', ','],
    ['commas, with semicolons in quotes', 'day,note\n1,"a;b"\n', ','],
    ['commas, below a line of words', '# levels; in cm\nday,level,temp\n1,2,3\n', ','],
    ['semicolons, with rows that end early', 'day;level;temp\n1;2,5\n2;2,6;3,6\n', ';'],
    ['nothing', 'day\n1\n', ','],
    ['no rows at all', '', ','],
  ])('are separated by %s', (_, text, separator) => {
    expect(separatorOf(text)).toBe(separator);
  });

  test('are columns on the page of a CSV file with semicolons', () => {
    expect(page('a.csv', 'day;level\n1;2,5\n')).toContain('<td class="number">1</td><td>2,5</td>');
  });
});
