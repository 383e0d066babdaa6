import { type Operation, operationId, type TargetKind } from '../operations/operation.ts';
import { registry } from '../operations/registry.ts';

/** Whether a caller may carry out an operation on the target that was loaded for another: `may` of a `RunContext`. */
type May = (operation: Operation) => boolean;

/**
 * The ids of the operations that the caller may carry out on a target of this kind, by the rules that the pipeline asks
 * when they come. What anyone may is not among them, so that a stranger's list is empty. One that is among them can still
 * meet a state or a limit that does not allow it.
 */
export function permissionHints(kind: TargetKind, may: May): string[] {
  return registry
    .filter((operation) => operation.target === kind && isForSome(operation) && may(operation))
    .map(operationId);
}

function isForSome({ permission }: Operation): boolean {
  return permission.kind !== 'anyone' && permission.kind !== 'authenticated';
}
