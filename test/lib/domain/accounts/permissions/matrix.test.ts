import { expect, test } from 'vitest';
import { registry } from '../../../../../lib/operations/registry.ts';
import { specifiedOperations } from './specified-operations.ts';

test('the registry has the numbers of the 31 specified operations', () => {
  const numbered = registry.flatMap(({ name, specNumber }) => (specNumber === undefined ? [] : [[name, specNumber]]));
  const transcribed = Object.entries(specifiedOperations)
    .filter(([name]) => !name.endsWith(' of a repository'))
    .map(([name, { number }]) => [name, number] as const);
  expect(Object.fromEntries(numbered)).toEqual(Object.fromEntries(transcribed));
  expect(transcribed.map(([, number]) => number)).toEqual(Array.from({ length: 31 }, (_, index) => index + 1));
});
