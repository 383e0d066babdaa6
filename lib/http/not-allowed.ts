import { accountOf, type Caller, isAdmin, isApiKey } from '../domain/accounts/callers.ts';
import { whoDisabled } from '../domain/accounts/disabling.ts';
import { mayActOnAccount } from '../domain/accounts/permissions.ts';
import { ServiceError } from '../domain/errors.ts';
import { needsBearerToken, type Operation } from '../operations/operation.ts';
import { disableableThing } from './authorize.ts';
import type { LoadedRequestData } from './targets.ts';

/** The next step for permissions that an account owner cannot give. */
const whatNext: Partial<Record<Operation['permission']['kind'], string>> = {
  admin: 'it is for administrators, ask one of them',
  account_creation: 'ask an administrator for the right to create such an account',
  enabled_account: 'create your account first',
};

/**
 * Returns the refusal of a caller without permission, with advice. The refusal does not reveal if the target exists.
 */
export function notAllowed(operation: Operation, caller: Caller, facts: LoadedRequestData): ServiceError {
  if (needsBearerToken(operation) && isApiKey(caller))
    return new ServiceError('bearer_token_required', 'An API key may not do this; sign in and use a bearer token');
  if (accountOf(caller)?.disabled)
    return new ServiceError('account_disabled', 'This account is disabled; ask an administrator to enable it again');
  const next = whatNext[operation.permission.kind] ?? 'ask an owner of the account for access';
  const reason = whoMayInstead(operation, caller, facts) ?? `You are not allowed to do this; ${next}`;
  return new ServiceError('access_denied', reason);
}

/**
 * Returns the reason for callers who could have had the permission. Other callers learn neither that the target exists
 * nor that it is disabled.
 */
function whoMayInstead(
  { permission, ...operation }: Operation,
  caller: Caller,
  facts: LoadedRequestData,
): string | undefined {
  if (permission.kind !== 'enabling' && permission.kind !== 'deleting') return undefined;
  const thing = disableableThing({ permission, ...operation }, facts);
  const what = permission.kind === 'enabling' ? 'enable it again' : 'delete it';
  const disabledBy = thing && whoDisabled(thing);
  if (disabledBy === 'owner' && isAdmin(caller))
    return `The people who manage it disabled it; ask one of them to ${what}`;
  if (disabledBy === 'admin' && mayActOnAccount(permission.rule, caller, facts))
    return `An administrator disabled this; ask one to ${what}`;
  return undefined;
}
