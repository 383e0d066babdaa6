import { describe, expect, test } from 'vitest';
import { limits } from '../../../../lib/domain/limits.ts';
import { renderMarkdown } from '../../../../lib/pages/site/markdown.ts';
import { dataProxyUrl, pageOfFile, pageOfFolder, shownRepository } from './shown.ts';

const longText = '"'.repeat(4096);
const repository = shownRepository({ title: longText, description: longText });
const render = (source: string, folder = '') =>
  renderMarkdown(source, { repository: repository, folder, dataProxyUrl });
const pageOf = (key: string, text: string, bytes?: number) => pageOfFile(repository, key, text, bytes);
const kilobyte = 1024;
const longFolder = `${'n'.repeat(939)}/`;

/** Repeats a text until it has the given number of KB. */
const filled = (text: string, kilobytes = 127) => text.repeat(Math.floor((kilobytes * kilobyte) / text.length));
/** Repeats a text in paragraphs just below the maximum length of a paragraph. */
const inParagraphs = (text: string, kilobytes = 127) => {
  const paragraph = text.repeat(Math.floor((limits.markdownParagraphCharactersMax - 1) / text.length));
  return filled(`${paragraph}\n\n`, kilobytes);
};

describe('Markdown beyond a bound', () => {
  const z = 'z'.repeat(64 * kilobyte);
  test.each<[string, string, string?]>([
    ['thousands of uses of a long link', `[a]: http://x.y/${'z'.repeat(2000)}\n\n${inParagraphs('[a] ', 60)}`],
    ['a title whose uses expand to more than a string can hold', `[a]: b "${z}"\n\n${inParagraphs('[a] ', 60)}`],
    ['images of a folder with a long name', inParagraphs('![](a)', 120), longFolder],
    ['the same in a text of 258 KB', '![](a)'.repeat(43_000), longFolder],
    ['more tokens than the bound', inParagraphs('*a*', 127)],
    ['a text above its own bound', '" '.repeat(70_000)],
    ['brackets that never end, in paragraphs', inParagraphs('[')],
    ['short lines that continue a nested quote', '>'.repeat(99) + filled('a\n')],
    ['brackets that never end, in short paragraphs', filled(`${'['.repeat(100)}\n\n`)],
    ['images that never end, in paragraphs', inParagraphs('![')],
    ['brackets and emphasis that never end, in paragraphs', inParagraphs('[*')],
  ])('is not rendered: %s', (_, source, folder = '') => {
    expect(render(source, folder)).toBeUndefined();
    const html = pageOf(`${folder}README.md`, source);
    expect(html).toContain('This text is too large for formatting.');
    expect(html).not.toContain('class="prose"');
    expect(html).toContain(source.slice(0, 1000).replaceAll('"', '&quot;'));
  });

  test('does not follow a link of more than 2,048 characters', () => {
    const source = `[a]: http://x.y/${z}\n\n${'[a] '.repeat(1000)}`;
    expect(render(source)).not.toContain('<a ');
  });

  test.each([
    ['nested images', inParagraphs(`${'!['.repeat(1000)}a${'](b)'.repeat(1000)}`)],
    ['images that never end', filled('![')],
    ['lines that continue a nested quote', '>'.repeat(99) + inParagraphs('a\n', 120)],
    ['lists of alternating marks', filled('- a\n+ a\n* a\n')],
    ['a definition of many folders', `[a]: /${'z/'.repeat(1000)}\n\n${inParagraphs('[a] ', 120)}`],
    ['emphasis that opens', inParagraphs('*a _b ')],
    ['a table of many columns', `${'|a'.repeat(10_000)}\n${'|-'.repeat(10_000)}\n${'a\n'.repeat(20_000)}`],
  ])('ends for %s', (_, source) => {
    const rendered = render(source) ?? '';
    expect(Buffer.byteLength(rendered)).toBeLessThanOrEqual(limits.renderedTextBytesMax);
  });

  test('still renders a README of 100 KB with a table', () => {
    const source = `|a|b|\n|-|-|\n${'|[tide gauge](data/gauge.csv)|1.5|\n'.repeat(1500)}\n\n${'Words of a sentence.\n\n'.repeat(2000)}`;
    expect(render(source)).toContain('<td>1.5</td>');
  });
});

describe('a page', () => {
  const hostile = ['"', '漢', '\u202e'];
  const readmes = [inParagraphs('" " '), inParagraphs('![](a)')];

  test.each(hostile)('of a folder of 200 files with names of %j stays within its bounds', (character) => {
    const length = Math.floor(limits.objectKeyBytesMax / Buffer.byteLength(character)) - 10;
    const keys = Array.from({ length: limits.folderPageMax }, (_, at) => `${character.repeat(length)}${at}.csv`);
    for (const text of readmes) {
      const files = keys.map((key) => ({ key, bytes: 1, modified: 0 }));
      const readme = { key: 'README.md', text };
      expectWithinBounds(pageOfFolder(repository, { folder: '', files, next: character.repeat(1000), readme }));
    }
  });

  test.each(hostile)('of a file in folders with names of %j stays within its bounds', (character) => {
    for (const name of ['a.csv', 'a.tsv', 'a.json', 'a.md', 'a.txt', '.zmetadata', 'zarr.json']) {
      const folder = `${character}/`.repeat(Math.floor(1000 / Buffer.byteLength(`${character}/`)));
      for (const text of contentsFor(name, character)) expectWithinBounds(pageOf(folder + name, text));
    }
  });

  test('shows a Zarr group as text when its tables exceed the bound', () => {
    const [text = ''] = contentsFor('zarr.json', '"');
    expect(pageOf('zarr.json', text)).toContain('This text is too large for formatting.');
  });

  test('shows JSON unchanged when indentation would exceed the bound', () => {
    const text = `${'['.repeat(90)}${'1,'.repeat(10_000)}1${']'.repeat(90)}`;
    expect(pageOf('a.json', text)).toContain(`<code>${text}</code>`);
  });

  test('shows no table of a CSV with a cut first line, and the first of 5,000 columns', () => {
    const wide = `${Array.from({ length: 5000 }, (_, at) => `c${at}`).join(',')}\n`;
    expect(pageOf('a.csv', wide.repeat(3))).toContain('The first 40 of 5000 columns.');
    expectWithinBounds(pageOf('a.csv', 'a'.repeat(64 * kilobyte), 1e6));
  });
});

/** Returns the contents whose HTML is longest, for each kind of file. */
function contentsFor(name: string, character: string): string[] {
  const value = character.repeat(200);
  if (!/zarr|zmetadata/.test(name)) {
    return [character.repeat(64 * kilobyte), `${`${value.slice(0, 8)},`.repeat(40)}\n`.repeat(100)];
  }
  const array = {
    shape: [value],
    chunks: [value],
    data_type: value,
    fill_value: value,
    codecs: [{ name: value }],
    dimension_names: [value],
  };
  const metadata = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`${at}${value}`, array]));
  const attributes = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`${at}${value}`, value]));
  const root = name === 'zarr.json' ? { consolidated_metadata: { metadata } } : { metadata };
  return [JSON.stringify({ zarr_format: 3, attributes, ...root })];
}

/** Checks each part that is rendered from a text, and the whole page. */
function expectWithinBounds(html: string): void {
  expect(Buffer.byteLength(html)).toBeLessThan(limits.pageBytesMax);
  const parts = [
    /<script type="application\/ld\+json">.*?<\/script>/s,
    /<table class="files">.*?<\/table>/s,
    /<table class="rows">.*?<\/table>/s,
    /<section class="block" id="use">.*?<\/section>/s,
    /<div class="prose">.*?<\/div>/s,
    /<pre.*?<\/pre>/s,
  ];
  for (const part of parts) {
    expect(Buffer.byteLength(part.exec(html)?.[0] ?? '')).toBeLessThan(limits.renderedTextBytesMax + kilobyte);
  }
}
