import { accountOf, type Caller, isAdmin, isApiKey } from '../domain/accounts/callers.ts';
import { whoDisabled } from '../domain/accounts/disabling.ts';
import { mayActOnAccount } from '../domain/accounts/permissions.ts';
import { ServiceError } from '../domain/errors.ts';
import { needsBearerToken, type Operation } from '../operations/operation.ts';
import { disableableThing } from './authorize.ts';
import type { LoadedRequestData } from './targets.ts';

/** Where no owner of an account could help. */
const whatNext: Partial<Record<Operation['permission']['kind'], string>> = {
  admin: 'it is for administrators, ask one of them',
  account_creation: 'ask an administrator for the right to create such an account',
  enabled_account: 'create your account first',
};

/** The refusal of a caller who is not permitted, with what would help. It says nothing of whether the target is there. */
export function notAllowed(operation: Operation, caller: Caller, facts: LoadedRequestData): ServiceError {
  if (needsBearerToken(operation) && isApiKey(caller))
    return new ServiceError('bearer_token_required', 'An API key may not do this; sign in and use a bearer token');
  if (accountOf(caller)?.disabled)
    return new ServiceError('account_disabled', 'This account is disabled; ask an administrator to enable it again');
  const next = whatNext[operation.permission.kind] ?? 'ask an owner of the account for access';
  const reason = whoMayInstead(operation, caller, facts) ?? `You are not allowed to do this; ${next}`;
  return new ServiceError('access_denied', reason);
}

/** Told to those alone who might have been the ones: others learn neither that it is there nor that it is disabled. */
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
