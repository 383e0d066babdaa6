import { type MembershipRole, membershipRoleSchema } from '../domain/accounts/memberships.ts';
import { type HintedTarget, hintedOperations, platformOperations } from '../operations/hinted-operations.ts';
import { inviteAccountMember, inviteRepositoryMember } from '../operations/memberships.ts';
import { type Operation, operationId } from '../operations/operation.ts';

/** Whether a caller may carry out an operation on the target that was loaded for another: `may` of a `RunContext`. */
type May = (operation: Operation, body?: unknown) => boolean;

/**
 * The ids of the operations that the caller may carry out on a target of this kind, by the rules that the pipeline asks
 * when they come. One that is among them can still meet a state or a limit that does not allow it.
 */
export function permissionHints(kind: HintedTarget, may: May): string[] {
  return hintedOperations(kind)
    .filter((operation) => may(operation))
    .map(operationId);
}

const inviting = { account: inviteAccountMember, repository: inviteRepositoryMember } as const;

/** The roles that the caller may give, change and take in a thing of this kind; whoever may none may still leave. */
export function roleHints(kind: keyof typeof inviting, may: May): MembershipRole[] {
  return membershipRoleSchema.options.filter((role) => may(inviting[kind], { role }));
}

/** The same of what belongs to no account. */
export function platformHints(may: May): string[] {
  return platformOperations.filter((operation) => may(operation)).map(operationId);
}
