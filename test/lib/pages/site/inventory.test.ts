import { describe, expect, test } from 'vitest';
import type { Inventory } from '../../../../lib/domain/data/inventory.ts';
import { checksumHex } from '../../../../lib/pages/site/format.ts';
import { pageOfFolder, shownRepository } from './shown.ts';

const repository = shownRepository({ title: 'Tides', description: '' });
const inventory: Inventory = {
  state: 'ready',
  counted_at: '2026-11-28T08:00:00.000Z',
  files: 1204,
  bytes: 3_400_000_000,
  is_complete: true,
  newest_change: '2026-11-27T00:00:00.000Z',
  formats: ['csv', 'tif', 'json', 'png', 'md', 'txt', 'other'].map((format) => ({ format, files: 2, bytes: 1 })),
  folders: [{ prefix: '2026/', files: 214, bytes: 5000 }],
};
const folder = { folder: '', folders: ['2026/', '2027/'], files: [] };

describe('the page of a repository', () => {
  test('shows the counts of its files, and of its folders', () => {
    const html = pageOfFolder(repository, { ...folder, inventory });
    for (const text of ['1,204 files, 3.4 GB', 'csv (2)', '1 other format', '2026-11-27', '2026-11-28 08:00 UTC'])
      expect(html).toContain(text);
    expect(html).toContain('<span class="count">214 files</span></td><td class="number" data-value="5000">5.0 kB');
    expect(html.match(/class="count"/g)).toHaveLength(1);
  });

  test.each<[string, Inventory | undefined, boolean]>([
    ['without an inventory', undefined, false],
    ['before the first walk has ended', { state: 'running', progress: { files: 9 } }, false],
    ['after a failed walk, with the numbers of the last one', { ...inventory, state: 'failed' }, true],
  ])('shows no invented counts %s', (_, given, isShown) => {
    const html = pageOfFolder(repository, { ...folder, ...(given && { inventory: given }) });
    expect(html.includes('<dt>Counted</dt>')).toBe(isShown);
  });

  test('says that a large repository has more files than a walk reads, and shows no counts of its folders', () => {
    const html = pageOfFolder(repository, { ...folder, inventory: { ...inventory, is_complete: false } });
    expect(html).toContain('more than 1,204 files');
    expect(html).not.toContain('class="count"');
  });

  test('of a version shows no inventory, because it describes the newest state', () => {
    const frozen = { ...repository, shownVersion: { name: 'v1', created_at: '2026-01-01T00:00:00Z' } as never };
    expect(pageOfFolder(frozen, { ...folder, folder: '2026/', inventory })).not.toContain('214 files');
  });

  test('marks a list with more pages for sorting and the filter', () => {
    expect(pageOfFolder(repository, { ...folder, next: 'x' })).toContain('<table class="files" data-more>');
    expect(pageOfFolder(repository, folder)).toContain('<table class="files">');
  });

  test('says that it is empty, and how to upload', () => {
    const html = pageOfFolder(repository, { folder: '', files: [] });
    expect(html).toContain('This repository is empty.');
    expect(html).toContain('href="/-/console/repositories/tides/gauges/files"');
  });
});

describe('a README', () => {
  const withReadme = (text: string) =>
    pageOfFolder(repository, { folder: '', files: [], readme: { key: 'README.md', text } });

  test('is above the commands, and links to its headings', () => {
    const html = withReadme('# Tides\n\n## Files\n\n## <b>\n\n## Source\n\n### Old');
    expect(html.indexOf('class="readme"')).toBeLessThan(html.indexOf('id="use"'));
    const contents = /<nav aria-label="Contents of the README">(.*?)<\/nav>/.exec(html)?.[1] ?? '';
    expect([...contents.matchAll(/href="#([^"]+)">(.*?)<\/a>/g)].map(([, id, text]) => [id, text])).toEqual([
      ['section-files', 'Files'],
      ['section-b', '&lt;b>'],
      ['section-source', 'Source'],
      ['section-old', 'Old'],
    ]);
  });

  test('with few headings has no table of contents', () => {
    expect(withReadme('## A\n\n## B')).not.toContain('Contents of the README');
  });
});

test.each([
  ['y/Q5Jg==', 'cbf43926'],
  ['y/Q5Jg==-3', 'cbf43926-3'],
  ['not base64!', 'not base64!'],
])('the checksum %s is shown as %s', (checksum, hex) => {
  expect(checksumHex(checksum)).toBe(hex);
});
