import type { Operation } from '../../../../../lib/operations/operation.ts';
import { registry } from '../../../../../lib/operations/registry.ts';
import { furtherOperations } from './further-operations.ts';
import {
  type CallerKind,
  type CaseName,
  callerKinds,
  type Matrix,
  type Row,
  type Scope,
  type Verdict,
} from './matrix-shape.ts';
import { specifiedOperations } from './specified-operations.ts';

export const matrix: Matrix = { ...specifiedOperations, ...furtherOperations };

export interface MatrixRow {
  name: CaseName;
  scope: Scope;
  operation: Operation;
  verdicts: ReadonlyMap<CallerKind, Verdict>;
}

export const matrixRows: readonly MatrixRow[] = (Object.entries(matrix) as [CaseName, Record<string, Row>][]).flatMap(
  ([name, rows]) =>
    (['user', 'organization', 'service', 'any'] as const).flatMap((scope) => {
      const row = rows[scope];
      if (row === undefined) return [];
      const verdicts = new Map(callerKinds.map((kind, index) => [kind, row[index] ?? 'denied']));
      return [{ name, scope, operation: operationOf(name), verdicts }];
    }),
);

export function isOfRepository(name: CaseName): boolean {
  return name.endsWith(' of a repository');
}

function operationOf(name: CaseName): Operation {
  const operation = registry.find((declared) => declared.name === name.replace(' of a repository', ''));
  if (operation === undefined) throw new Error(`no operation ${name}`);
  return operation;
}
