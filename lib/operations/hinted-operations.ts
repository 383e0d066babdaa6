import { type Operation, operationId, type TargetKind } from './operation.ts';
import { registry } from './registry.ts';

/**
 * Returns the operations that the field `permissions` of a resource can contain. It leaves out operations that everyone
 * may call.
 */
export function hintedOperations(kind: TargetKind): Operation[] {
  return registry.filter(({ target, permission }) => {
    return target === kind && permission.kind !== 'anyone' && permission.kind !== 'authenticated';
  });
}

/**
 * Operations that concern no account, such as operations on data connections. The response for the caller's own account
 * lists them.
 */
export const platformOperations: readonly Operation[] = registry.filter(({ permission }) =>
  ['admin', 'account_creation', 'data_connection'].includes(permission.kind),
);

/** The kinds of resources whose responses contain the field `permissions`. */
const hintedTargets = ['account', 'repository', 'service_account'] as const satisfies readonly TargetKind[];
export type HintedTarget = (typeof hintedTargets)[number];

export const hintedOperationIds = [
  ...hintedTargets.flatMap((kind) => hintedOperations(kind)),
  ...platformOperations,
].map(operationId);
