import { expect, test } from 'vitest';
import { registry } from '../../../../../lib/operations/registry.ts';
import { caseOf, matrixRows } from './matrix.ts';
import { callerKinds, repositoryCase } from './matrix-shape.ts';
import { modelledVerdict } from './modelled-verdict.ts';
import { specifiedOperations } from './specified-operations.ts';

// test/contract/authorization.test.ts compares this matrix with the running service.

test.for(matrixRows)(
  '$name ($scope) is allowed and refused as in the reference model',
  ({ name, scope, operation, verdicts }) => {
    const modelled = callerKinds.map((kind) => [kind, modelledVerdict(operation, kind, scope, caseOf(name))]);
    expect(Object.fromEntries(verdicts)).toEqual(Object.fromEntries(modelled));
  },
);

test.for(matrixRows)('$name ($scope) requires authentication unless anyone may call it', (row) => {
  const isOpen = row.operation.permission.kind === 'anyone';
  expect(row.verdicts.get('anonymous')).toBe(isOpen ? 'allowed' : 'unauthenticated');
});

test('the registry has the 31 operations of the specification', () => {
  const numbered = Object.entries(specifiedOperations).filter(([name]) => !name.endsWith(repositoryCase));
  expect(registry.map(({ name }) => name)).toEqual(expect.arrayContaining(numbered.map(([name]) => name)));
  expect(numbered.map(([, { number }]) => number)).toEqual(Array.from({ length: 31 }, (_, index) => index + 1));
});
