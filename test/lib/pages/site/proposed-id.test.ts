import { expect, test } from 'vitest';
import { identifierSchema } from '../../../../lib/domain/identifiers.ts';
import { proposedId } from '../../../../lib/pages/site/proposed-id.ts';

test.each([
  ['Ocean heat', 'ocean-heat'],
  ['  Été: 2026/27 (draft)  ', 'ete-2026-27-draft'],
  ['-- A -- B --', 'a-b'],
  [`${'a'.repeat(39)} b`, 'a'.repeat(39)],
  ['x'.repeat(50), 'x'.repeat(40)],
])('derives from the title %j the valid ID %s', (title, id) => {
  expect(proposedId(title)).toBe(id);
  expect(identifierSchema.safeParse(id).success).toBe(true);
});

test.each(['', 'A!', '海の温度'])('derives no ID from the title %j', (title) => {
  expect(proposedId(title)).toBe('');
});
