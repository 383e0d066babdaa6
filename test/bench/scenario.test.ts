import { expect, test } from 'vitest';
import { scenario } from '../../bench/database-scenario.ts';
import { registry } from '../../lib/operations/registry.ts';

/** Operations that the benchmark cannot send: reports that a secret-scanning partner signs. */
const withoutStep = ['report-found-keys'];

test('what every operation asks of the table is measured', () => {
  const routes = new Set(scenario.map(({ route }) => route));
  const missed = registry.filter(({ method, path }) => !routes.has(`${method} ${path}`)).map(({ name }) => name);
  expect(missed).toEqual(withoutStep);
});

test('every step is of an operation that there is', () => {
  const declared = new Set<string>(registry.map(({ method, path }) => `${method} ${path}`));
  expect(scenario.map(({ route }) => route).filter((route) => !declared.has(route))).toEqual([]);
});
