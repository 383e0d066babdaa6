import { expect, test } from 'vitest';
import type { Caller } from '../../../../../lib/domain/accounts/callers.ts';
import { isPermitted } from '../../../../../lib/http/authorize.ts';
import { registry } from '../../../../../lib/operations/registry.ts';
import { account, bodyOf, factsOf } from './caller-facts.ts';
import { matrixRows } from './matrix.ts';
import { callerKinds } from './matrix-shape.ts';
import { specifiedOperations } from './specified-operations.ts';

test.for(matrixRows)('$name ($scope) is permitted to exactly those whom the table names', (row) => {
  const expected = Object.fromEntries(
    callerKinds.map((kind) => [kind, row.verdicts.get(kind) === 'allowed' ? 'allowed' : 'denied']),
  );
  const ruled = callerKinds.map((kind) => {
    const { caller, facts } = factsOf(row, kind);
    return [kind, isPermitted(row.operation, caller, facts, bodyOf(row)) ? 'allowed' : 'denied'];
  });
  expect(Object.fromEntries(ruled)).toEqual(expected);
});

test.for(matrixRows)('$name ($scope) asks for an identity exactly where not everybody is allowed', (row) => {
  const isOpen = row.operation.permission.kind === 'anyone';
  expect(row.verdicts.get('anonymous')).toBe(isOpen ? 'allowed' : 'unauthenticated');
});

test('the specification’s 31 operations have their numbers', () => {
  const numbered = registry.flatMap(({ name, specNumber }) => (specNumber === undefined ? [] : [[name, specNumber]]));
  const transcribed = Object.entries(specifiedOperations)
    .filter(([name]) => !name.endsWith(' of a repository'))
    .map(([name, { number }]) => [name, number] as const);
  expect(Object.fromEntries(numbered)).toEqual(Object.fromEntries(transcribed));
  expect(transcribed.map(([, number]) => number)).toEqual(Array.from({ length: 31 }, (_, index) => index + 1));
});

test.for(matrixRows)('$name ($scope) takes an identity of the configuration for an admin', (row) => {
  const { facts } = factsOf(row, 'admin');
  const configured: Caller = {
    kind: 'person',
    issuer: 'https://people.example.org',
    identity_id: 'first-admin',
    account: account('first-admin'),
    isConfiguredAdmin: true,
  };
  expect(isPermitted(row.operation, configured, facts, bodyOf(row))).toBe(row.verdicts.get('admin') === 'allowed');
});
