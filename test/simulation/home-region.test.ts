import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { describeOutage, measureOutage } from './home-region.ts';

test('docs/concepts/proof.md lists the operations that work while the home region is unreachable', async () => {
  const page = await readFile(new URL('../../docs/concepts/proof.md', import.meta.url), 'utf8');
  for (const row of describeOutage(await measureOutage())) expect(page).toContain(row);
});
