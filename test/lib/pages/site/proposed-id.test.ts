import { expect, test } from 'vitest';
import { identifierSchema } from '../../../../lib/domain/identifiers.ts';
import { proposedId } from '../../../../lib/pages/site/proposed-id.ts';

test.each([
  ['Ocean heat', 'ocean-heat'],
  ['  Été: 2026/27 (draft)  ', 'ete-2026-27-draft'],
  ['-- A -- B --', 'a-b'],
  [`${'a'.repeat(39)} b`, 'a'.repeat(39)],
  ['x'.repeat(50), 'x'.repeat(40)],
])('the title %j makes the ID %s, which the rule takes', (title, id) => {
  expect(proposedId(title)).toBe(id);
  expect(identifierSchema.safeParse(id).success).toBe(true);
});

test.each(['', 'A!', '海の温度'])('the title %j makes none', (title) => {
  expect(proposedId(title)).toBe('');
});
