import { describe, expect, it, test } from 'vitest';
import { readZarrMetadata } from '../../../../lib/pages/site/previews/zarr.tsx';

describe('Zarr metadata', () => {
  it('reads an array of version 2', () => {
    const text = JSON.stringify({
      zarr_format: 2,
      shape: [1000, 500],
      chunks: [100, 500],
      dtype: '<f4',
      compressor: { id: 'blosc', cname: 'lz4' },
      fill_value: 'NaN',
    });
    expect(readZarrMetadata('.zarray', text)).toEqual({
      format: '2',
      arrayCount: 1,
      arrays: [
        {
          path: '',
          type: '<f4',
          shape: '1,000 × 500',
          chunks: '100 × 500',
          dimensions: '',
          codecs: 'blosc',
          fill: 'NaN',
        },
      ],
      attributes: [],
    });
  });

  it('reads a group of version 3 with its arrays and attributes', () => {
    const array = {
      shape: [4],
      data_type: 'int16',
      chunk_grid: { name: 'regular', configuration: { chunk_shape: [2] } },
      codecs: [{ name: 'bytes' }, { name: 'zstd' }],
      fill_value: 0,
      dimension_names: ['time', null],
    };
    const text = JSON.stringify({
      zarr_format: 3,
      node_type: 'group',
      attributes: { title: '<img src=x onerror=alert(1)>' },
      consolidated_metadata: { metadata: { height: array, group: { node_type: 'group' } } },
    });
    expect(readZarrMetadata('zarr.json', text)).toEqual({
      format: '3',
      arrayCount: 1,
      arrays: [
        {
          path: 'height',
          type: 'int16',
          shape: '4',
          chunks: '2',
          dimensions: 'time, ',
          codecs: 'bytes, zstd',
          fill: '0',
        },
      ],
      attributes: [['title', '<img src=x onerror=alert(1)>']],
    });
  });

  it('reads consolidated metadata of version 2 with dimension names', () => {
    const metadata = {
      '.zattrs': { source: 'gauges' },
      'level/.zarray': { shape: [2], chunks: [1], dtype: '|u1', compressor: null },
      'level/.zattrs': { _ARRAY_DIMENSIONS: ['time'] },
    };
    const read = readZarrMetadata('.zmetadata', JSON.stringify({ zarr_consolidated_format: 1, metadata }));
    expect(read?.arrays.map(({ path, dimensions }) => [path, dimensions])).toEqual([['level', 'time']]);
    expect(read?.attributes).toEqual([['source', 'gauges']]);
  });

  test.each([
    ['no text', '{"toString":1,"valueOf":1}', '{toStrin…'],
    ['a list of lists without end', '['.repeat(100_000) + ']'.repeat(100_000), '[[[[…]]]…'],
  ])('shows metadata whose format is %s', (_, format, shown) => {
    const text = `{"zarr_format":${format},"shape":[1]}`;
    expect(readZarrMetadata('zarr.json', text)).toMatchObject({ format: shown, arrays: [{ shape: '1' }] });
  });

  test.each(['', 'null', '[]', '{}', '<script>', '{"zarr_format":', '['.repeat(100_000)])('rejects %.20s', (text) => {
    expect(readZarrMetadata('zarr.json', text)).toBeUndefined();
  });
});
