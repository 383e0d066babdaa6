import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { storagePresets } from '../../../../lib/pages/site/storage-presets.ts';

const page = readFileSync('docs/operating/storage.md', 'utf8');

it.each(storagePresets)('$name has the endpoint, the region, and the sources of the page about storage', (preset) => {
  const { name, endpoint = '', region = '', sources } = preset;
  const row = page.split('\n').find((line) => line.startsWith(`| [${name}]`));
  expect(row).toContain(endpoint);
  expect(row).toContain(region);
  expect(row?.endsWith(`| ${preset.tested} |`)).toBe(true);
  expect(sources.filter((source) => !page.includes(source))).toEqual([]);
});
