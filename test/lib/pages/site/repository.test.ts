import { describe, expect, test } from 'vitest';
import { defaultSite } from '../../../../lib/domain/site.ts';
import { repositoryPage } from '../../../../lib/pages/site/repository.tsx';

const files = (...sizes: number[]) => sizes.map((bytes, at) => ({ key: `a/file-${at}.csv`, bytes, modified: 0 }));

interface Shown {
  sizes?: number[];
  next?: string;
  folder?: string;
  listed?: { key: string; bytes: number; modified: number }[];
}

function folderPage({ sizes = [1], next, folder = 'a/', listed = files(...sizes) }: Shown) {
  return repositoryPage({
    site: { ...defaultSite, url: 'https://portal.example' },
    account: { account_id: 'tides', account_type: 'organization', profile: {} },
    repository: {
      account_id: 'tides',
      repository_id: 'gauges',
      state: 'listed',
      data_mode: 'open',
      featured: 0,
      meta: { title: 'x'.repeat(61), description: '', tags: '' },
      published: '2026-01-01T00:00:00.000Z',
      updated: '2026-01-01T00:00:00.000Z',
      disabled: false,
    },
    dataProxyUrl: 'https://data.example',
    folder,
    page: { folders: ['a/b/'], files: listed, next },
    isFirst: true,
    readme: undefined,
  }).html;
}

describe('the page of a folder', () => {
  test('shows the number of folders and files, and that there are more', () => {
    expect(folderPage({ sizes: [1, 1] })).toContain('<span>1 folder, 2 files</span>');
    expect(folderPage({ next: 'more' })).toContain('<span>1 folder, 1 file on this page</span>');
  });

  test('uses the first file that is not empty in its commands', () => {
    const html = folderPage({ sizes: [0, 7] });
    expect(html).toContain(
      'SELECT * FROM &#39;https://data.example/tides/gauges/a/file-1.csv&#39;'.replaceAll('&#39;', "'"),
    );
    expect(folderPage({ sizes: [0] })).not.toContain('SELECT');
  });
});

test('gives a file with the name of an inherited property the default content type', () => {
  const listed = ['a.__proto__', 'a.constructor', 'a.csv'].map((key) => ({ key, bytes: 1, modified: 0 }));
  const types = [...folderPage({ folder: '', listed }).matchAll(/"encodingFormat":("[^"]*"|.{9})/g)].map(
    ([, type]) => type,
  );
  expect(types).toEqual(['"application/octet-stream"', '"application/octet-stream"', '"text/csv"']);
});
