import { type Operation, operationId, type TargetKind } from './operation.ts';
import { registry } from './registry.ts';

/** What `permissions` of a thing of this kind can name: what not everyone may, so that a stranger's list is empty. */
export function hintedOperations(kind: TargetKind): Operation[] {
  return registry.filter(({ target, permission }) => {
    return target === kind && permission.kind !== 'anyone' && permission.kind !== 'authenticated';
  });
}

/** What belongs to no account, such as data connections and new organizations: the list of the caller's own account names it. */
export const platformOperations: readonly Operation[] = registry.filter(
  ({ permission }) => permission.kind === 'admin' || permission.kind === 'account_creation',
);

/** The kinds of things that answers with `permissions` are of. */
const hintedTargets = ['account', 'repository', 'service_account'] as const satisfies readonly TargetKind[];
export type HintedTarget = (typeof hintedTargets)[number];

export const hintedOperationIds = [
  ...hintedTargets.flatMap((kind) => hintedOperations(kind)),
  ...platformOperations,
].map(operationId);
