import { describe, expect, it, test } from 'vitest';
import type { RepositoryVersion } from '../../../../lib/domain/data/repository-versions.ts';
import { keyOfHref } from '../../../../lib/pages/site/previews/stac-view.tsx';
import { dataProxyUrl, pageOfFile, shownRepository } from './shown.ts';

const repository = shownRepository({ title: 'Gauges', description: '' });
const pageOf = (key: string, content: unknown) => pageOfFile(repository, key, JSON.stringify(content));

const collection = {
  type: 'Collection',
  stac_version: '1.0.0',
  id: 'gauges',
  title: 'Gauge images',
  description: 'Photos of *gauges*. <script>alert(1)</script>',
  license: 'CC-BY-4.0',
  providers: [{ name: 'Tide Institute', roles: ['producer', 'host'], url: 'javascript:alert(1)' }],
  extent: {
    spatial: { bbox: [[-10, 40, 5, 60]] },
    temporal: { interval: [['2020-01-01T00:00:00Z', null]] },
  },
  links: [
    { rel: 'root', href: '../catalog.json', title: 'All data' },
    { rel: 'parent', href: '../catalog.json', title: 'All data' },
    { rel: 'item', href: './items/a.json', title: 'First day' },
    { rel: 'child', href: `${dataProxyUrl}/tides/gauges/winter/collection.json` },
    { rel: 'item', href: 'https://other.example/b.json', title: 'Elsewhere' },
    { rel: 'item', href: 'javascript:alert(1)', title: 'Script' },
    { rel: 'license', href: 'https://creativecommons.org/licenses/by/4.0/' },
  ],
  assets: { preview: { href: './p.png', type: 'image/png', roles: ['thumbnail', 'overview'], title: 'Overview' } },
};

describe('the page of a STAC collection', () => {
  const html = pageOf('stac/collection.json', collection);

  test.each([
    ['title', '<h3>Gauge images</h3>'],
    ['description as Markdown without HTML', 'Photos of <em>gauges</em>. &lt;script&gt;alert(1)&lt;/script&gt;'],
    ['license', '<dt>License</dt><dd>CC-BY-4.0</dd>'],
    ['time', '<dt>Time</dt><dd>2020-01-01T00:00:00Z – now</dd>'],
    ['extent', '<dd>-10, 40, 5, 60</dd>'],
    ['providers', '<dd>Tide Institute (producer, host)</dd>'],
    ['parent, once', '<h4>Part of</h4><ul><li><a href="/tides/gauges/catalog.json">All data</a></li></ul>'],
    ['items', '<a href="/tides/gauges/stac/items/a.json">First day</a>'],
    ['children at the URL of its data', '<a href="/tides/gauges/winter/collection.json">'],
    [
      'items elsewhere with their host',
      '<a href="https://other.example/b.json" rel="noopener nofollow ugc">Elsewhere</a> <span class="soft">(other.example)</span>',
    ],
    ['links of other schemes as text', '<li>Script</li>'],
    [
      'assets',
      '<td><a href="/tides/gauges/stac/p.png">Overview</a></td><td>image/png</td><td>thumbnail, overview</td>',
    ],
    ['map', '/-/preview/tides/gauges?path=stac/collection.json&amp;frame=1'],
    ['text', 'Show the text of the file'],
  ])('shows its %s', (_, markup) => {
    expect(html).toContain(markup);
  });

  it('has no link to a script', () => {
    expect(html).not.toMatch(/href="javascript/i);
  });
});

describe('the page of another JSON file', () => {
  test.each<[what: string, content: unknown, hasMap: boolean, shows: string]>([
    ['a catalog has no map', { type: 'Catalog', stac_version: '1.0.0', id: 'all', links: [] }, false, '<h3>all</h3>'],
    [
      'an item has a map, its properties, and its time',
      {
        type: 'Feature',
        stac_version: '1.0.0',
        id: 'a',
        geometry: { type: 'Point', coordinates: [1, 2] },
        properties: { datetime: '2024-02-29T00:00:00Z', 'eo:cloud_cover': 12 },
      },
      true,
      '<dt>eo:cloud_cover</dt><dd>12</dd>',
    ],
    [
      'a list of items has a map and links to the items',
      {
        type: 'FeatureCollection',
        features: [{ id: 'a', stac_version: '1.0.0', links: [{ rel: 'self', href: './a.json' }] }],
      },
      true,
      '<td><a href="/tides/gauges/stac/a.json">a</a></td>',
    ],
    ['a feature that is no item has neither', { type: 'Feature', geometry: { type: 'Point' } }, false, '<code>{'],
    ['a type that is no type has neither', { type: 'constructor', stac_version: '1.0.0' }, false, '<code>{'],
    ['a list has neither', [1], false, '<code>['],
  ])('shows that %s', (_, content, hasMap, shows) => {
    const html = pageOf('stac/x.json', content);
    expect(html).toContain(shows);
    expect(html.includes('/-/preview/')).toBe(hasMap);
  });

  it('shows only the first of many links', () => {
    const links = Array.from({ length: 3000 }, (_, at) => ({ rel: 'item', href: `./${at}.json` }));
    const html = pageOf('catalog.json', { type: 'Catalog', stac_version: '1.0.0', id: 'all', links });
    expect(html.match(/<li><a href="\/tides\/gauges\/\d/g)?.length).toBe(200);
    expect(html).toContain('The first 200 of 3,000 links.');
  });

  test.each<[what: string, change: Record<string, unknown>]>([
    ['numbers', { title: 5, description: 5, license: 5, providers: 5, extent: 5, links: 5, assets: 5, keywords: 5 }],
    [
      'nothing',
      { title: null, description: null, extent: null, links: [null], assets: { a: null }, providers: [null] },
    ],
    ['lists', { title: [[]], extent: { spatial: { bbox: [[]] }, temporal: { interval: [[]] } }, links: [[]] }],
    ['objects that cannot be converted to text', { title: { toString: 1 }, links: [{ rel: { toString: 1 } }] }],
  ])('shows a collection whose fields are %s', (_, change) => {
    expect(pageOf('collection.json', { ...collection, ...change })).toContain('STAC collection');
  });
});

describe('a link of a STAC file', () => {
  const file = { repository, key: 'stac/a/collection.json', dataProxyUrl };

  test.each<[href: string, key: string | undefined]>([
    ['./b.json', 'stac/a/b.json'],
    ['../b.json', 'stac/b.json'],
    ['b%20c.json?signature=1#a', 'stac/a/b c.json'],
    [`${dataProxyUrl}/tides/gauges/b.json`, 'b.json'],
    ['s3://tides/gauges/b.json', 'b.json'],
    ['../../../other/b.json', undefined],
    ['..%2F..%2F..%2Fother/b.json', undefined],
    ['%zz', undefined],
    ['//other.example/b.json', undefined],
    ['\\\\other.example\\b.json', undefined],
    ['javascript:alert(1)', undefined],
    ['data:text/html,a', undefined],
    [`${dataProxyUrl}/tides/gauges/../other/b.json`, undefined],
    [`${dataProxyUrl}/tides/gauges/..%2Fother/b.json`, undefined],
    [`${dataProxyUrl}/tides/gauges2/b.json`, undefined],
    [`${dataProxyUrl}.other.example/tides/gauges/b.json`, undefined],
    ['s3://other/gauges/b.json', undefined],
    ['', undefined],
  ])('to %s leads to the file %s', (href, key) => {
    expect(keyOfHref(href, file)).toBe(key);
  });

  test('inside a version leads to the file of this version', () => {
    const shownVersion = { name: 'v1' } as RepositoryVersion;
    const inVersion = { ...file, repository: { ...repository, shownVersion } };
    expect(keyOfHref(`${dataProxyUrl}/tides/gauges@v1/b.json`, inVersion)).toBe('b.json');
    expect(keyOfHref(`${dataProxyUrl}/tides/gauges/b.json`, inVersion)).toBe('b.json');
    expect(keyOfHref(`${dataProxyUrl}/tides/gauges@v2/b.json`, inVersion)).toBeUndefined();
  });
});
