import { type MembershipRole, membershipRoleSchema } from '../domain/accounts/memberships.ts';
import { type HintedTarget, hintedOperations, platformOperations } from '../operations/hinted-operations.ts';
import { inviteAccountMember, inviteRepositoryMember } from '../operations/memberships.ts';
import { type Operation, operationId } from '../operations/operation.ts';

/** The function `may` of a `RunContext`. It returns true if the caller may run an operation on the loaded target. */
type May = (operation: Operation, body?: unknown) => boolean;

/**
 * Returns the IDs of the operations that the caller may run on the target, by the rules that the pipeline applies to a
 * request. A permitted operation can still fail because of the target's state or a limit.
 */
export function permissionHints(kind: HintedTarget, may: May): string[] {
  return hintedOperations(kind)
    .filter((operation) => may(operation))
    .map(operationId);
}

const inviting = { account: inviteAccountMember, repository: inviteRepositoryMember } as const;

/**
 * Returns the roles that the caller may grant, change, and revoke. The list can be empty. Every member may leave, so
 * the list does not contain this right.
 */
export function roleHints(kind: keyof typeof inviting, may: May): MembershipRole[] {
  return membershipRoleSchema.options.filter((role) => may(inviting[kind], { role }));
}

/** Returns the IDs of the permitted operations that concern no account. */
export function platformHints(may: May): string[] {
  return platformOperations.filter((operation) => may(operation)).map(operationId);
}
