import { type MembershipRole, membershipRoleSchema } from '../domain/accounts/memberships.ts';
import { type HintedTarget, hintedOperations, platformOperations } from '../operations/hinted-operations.ts';
import { inviteAccountMember, inviteRepositoryMember } from '../operations/memberships.ts';
import { type Operation, operationId } from '../operations/operation.ts';

/** The `may` function of a `RunContext`: returns true when the caller may run an operation on the loaded target. */
type May = (operation: Operation, body?: unknown) => boolean;

/**
 * Returns the IDs of the operations that the caller may run on a target of this kind. The pipeline applies the same
 * rules to a request. A permitted operation can still fail because of a state or a limit.
 */
export function permissionHints(kind: HintedTarget, may: May): string[] {
  return hintedOperations(kind)
    .filter((operation) => may(operation))
    .map(operationId);
}

const inviting = { account: inviteAccountMember, repository: inviteRepositoryMember } as const;

/** Returns the roles that the caller may give, change, and revoke. A caller without such roles may still leave. */
export function roleHints(kind: keyof typeof inviting, may: May): MembershipRole[] {
  return membershipRoleSchema.options.filter((role) => may(inviting[kind], { role }));
}

/** Returns the IDs of the permitted operations that have no account as target. */
export function platformHints(may: May): string[] {
  return platformOperations.filter((operation) => may(operation)).map(operationId);
}
