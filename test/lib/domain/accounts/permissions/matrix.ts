import type { Operation } from '../../../../../lib/operations/operation.ts';
import { registry } from '../../../../../lib/operations/registry.ts';
import { type CallerKind, callerKinds, ownedCase, repositoryCase, type Scope, type Verdict } from './matrix-shape.ts';
import { modelledVerdict } from './modelled-verdict.ts';
import { specifiedOperations } from './specified-operations.ts';

export interface MatrixRow {
  /** The name of the operation. ` of a repository` is added for the row about a repository as the target. */
  name: string;
  scope: Scope;
  operation: Operation;
  verdicts: ReadonlyMap<CallerKind, Verdict>;
}

/** Every operation, with the types of account that its target may belong to. */
export const matrixRows: readonly MatrixRow[] = registry.flatMap((operation) =>
  casesOf(operation).flatMap((name) =>
    scopesOf(operation, name).map((scope): MatrixRow => {
      const row = specifiedOperations[name]?.[scope];
      const verdictOf = (kind: CallerKind, index: number) =>
        row?.[index] ?? modelledVerdict(operation, kind, scope, caseOf(name));
      return { name, scope, operation, verdicts: new Map(callerKinds.map((kind, at) => [kind, verdictOf(kind, at)])) };
    }),
  ),
);

export function isOfRepository(name: string): boolean {
  return name.endsWith(repositoryCase);
}

export function caseOf(name: string) {
  return { isOfRepository: isOfRepository(name), isOwned: isOwned(name) };
}

export function isOwned(name: string): boolean {
  return name.endsWith(ownedCase);
}

function casesOf({ name, target }: Operation): string[] {
  const isOfEither = ['membership', 'api_key', 'scope'].includes(target);
  if (target === 'data_connection') return [name, name + ownedCase];
  return isOfEither ? [name, name + repositoryCase] : [name];
}

/**
 * Returns the types of the target account. A service account owns no repositories and no service accounts, and receives
 * no transfers.
 */
function scopesOf({ target, permission }: Operation, name: string): Scope[] {
  if (isOwned(name)) return ['user', 'organization'];
  if (permission.kind !== 'account_creation' && ['nothing', 'data_connection'].includes(target)) return ['any'];
  const hasOwner = ['service_account', 'incoming_transfer', 'outgoing_transfer'].includes(target);
  return hasOwner || isOfRepository(name) ? ['user', 'organization'] : ['user', 'organization', 'service'];
}
