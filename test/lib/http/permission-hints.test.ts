import { expect, test } from 'vitest';
import { isPermitted, leastBodyOf } from '../../../lib/http/authorize.ts';
import { permissionHints } from '../../../lib/http/permission-hints.ts';
import { operationId } from '../../../lib/operations/operation.ts';
import { factsOf } from '../domain/accounts/permissions/caller-facts.ts';
import { matrixRows } from '../domain/accounts/permissions/matrix.ts';
import { callerKinds } from '../domain/accounts/permissions/matrix-shape.ts';

/**
 * test/contract compares the matrix with the answers of the running service. A hint must name the callers that the
 * matrix allows.
 */
const cases = (['account', 'repository', 'service_account'] as const).flatMap((target) =>
  (['user', 'organization'] as const).flatMap((scope) => callerKinds.map((kind) => ({ target, scope, kind }))),
);

test.each(cases)(
  '$kind is told of exactly what the matrix allows them on the $target of type $scope',
  ({ target, scope, kind }) => {
    const rows = matrixRows.filter((row) => row.scope === scope && row.operation.target === target);
    const [row] = rows;
    if (row === undefined) throw new Error('the matrix has rows for both');
    const { caller, facts } = factsOf(row, kind);
    const allowed = rows.filter(
      ({ operation, verdicts }) => operation.permission.kind !== 'anyone' && verdicts.get(kind) === 'allowed',
    );
    const hints = permissionHints(target, (operation) => isPermitted(operation, caller, facts, leastBodyOf(operation)));
    expect(hints.toSorted()).toEqual(allowed.map(({ operation }) => operationId(operation)).toSorted());
  },
);
