import * as z from 'zod';
import { accountTypeSchema } from '../domain/accounts/accounts.ts';
import {
  accountOf,
  actingAccountOf,
  type Caller,
  isAdmin,
  isApiKey,
  withoutAdmin,
} from '../domain/accounts/callers.ts';
import { type Disableable, whoDisabled } from '../domain/accounts/disabling.ts';
import { membershipRoleSchema } from '../domain/accounts/memberships.ts';
import {
  mayActOnAccount,
  mayActOnConnection,
  mayCreateAccount,
  mayDelete,
  mayEnable,
  mayInvite,
  mayInviteWithAnyRole,
  mayMoveMembership,
  mayRevokeApiKey,
} from '../domain/accounts/permissions.ts';
import { mayReadData, type Principal } from '../domain/data/data-access.ts';
import { ServiceError } from '../domain/errors.ts';
import { needsBearerToken, type Operation } from '../operations/operation.ts';
import type { LoadedRequestData } from './targets.ts';

/**
 * Returns true when the operation's permission allows the caller. The pipeline checks the permission before it checks
 * that the target exists.
 */
export function isPermitted(operation: Operation, caller: Caller, loaded: LoadedRequestData, body: unknown): boolean {
  if (needsBearerToken(operation) && isApiKey(caller)) return false;
  const { permission } = operation;
  switch (permission.kind) {
    case 'anyone':
      return true;
    case 'authenticated':
      return caller.kind !== 'anonymous';
    case 'enabled_account':
      return actingAccountOf(caller) !== null;
    case 'admin':
      return isAdmin(caller);
    case 'account':
      return mayActOnAccount(permission.rule, caller, loaded) || mayLearnOfAbsence(operation, caller, loaded);
    case 'reading':
      return mayReadObjects(caller, loaded);
    case 'enabling':
      return mayEnable(permission.rule, caller, loaded, disableableThing(operation, loaded));
    case 'deleting':
      return mayDelete(permission.rule, caller, loaded, disableableThing(operation, loaded));
    case 'invitation':
      return mayInvite(permission.rule, caller, loaded, invitationSchema.parse(body).role);
    case 'inviter':
      return mayInviteWithAnyRole(caller, loaded, loaded.scope);
    case 'membership':
      return mayMoveMembership(
        permission.step,
        caller,
        loaded,
        loaded.membership,
        permission.step === 'change_role' ? membershipRoleSchema.parse(body) : undefined,
      );
    case 'api_key':
      return mayRevokeApiKey(caller, loaded, loaded.apiKey);
    case 'data_connection':
      return mayActOnConnection(permission.rule, caller, loaded, loaded.dataConnection);
    case 'account_creation':
      return mayCreateAccount(caller, accountRequestSchema.parse(body).account_type);
  }
}

/**
 * Applies the data proxy's rules. The flag `admin` gives no access to data, and data keys cannot read through this API.
 */
function mayReadObjects(caller: Caller, { account, repository, roles }: LoadedRequestData): boolean {
  if (caller.kind === 'data_key') return false;
  const acting = actingAccountOf(caller);
  const principal: Principal =
    acting === null
      ? { kind: 'anonymous' }
      : { kind: 'api_key', access_key_id: '', account_id: acting.account_id, repository_id: undefined };
  const held = roles.repository && { role: roles.repository, repository_uid: repository?.uid };
  return mayReadData(principal, {
    owner: account,
    repository,
    // Requests with an API key do not depend on `times_disabled`.
    actingAccount: acting === null ? undefined : { ...acting, times_disabled: 0 },
    roles: { account: roles.account, repository: held },
    serviceAccount: undefined,
    grant: undefined,
  });
}

/**
 * Returns true for an admin when the target does not exist, so that the response is 404. An admin manages no service
 * accounts but may read every account. For a transfer, only a stored offer tells which account may see it.
 */
function mayLearnOfAbsence(
  { target }: Operation,
  caller: Caller,
  { serviceAccount, transfer }: LoadedRequestData,
): boolean {
  if (!isAdmin(caller)) return false;
  switch (target) {
    case 'service_account':
      return serviceAccount === undefined;
    case 'incoming_transfer':
    case 'outgoing_transfer':
      return transfer === undefined;
    default:
      return false;
  }
}

function disableableThing({ target }: Operation, loaded: LoadedRequestData): Disableable | undefined {
  return target === 'repository' ? loaded.repository : loaded.account;
}

/**
 * Returns true when only the flag `admin` permits the request. Such a request is an act of the platform, not of the
 * owners.
 */
export function actsAsAdmin(operation: Operation, caller: Caller, loaded: LoadedRequestData, body: unknown): boolean {
  return isAdmin(caller) && !isPermitted(operation, withoutAdmin(caller), loaded, body);
}

const invitationSchema = z.object({ role: membershipRoleSchema });
const accountRequestSchema = z.object({ account_type: accountTypeSchema });

/** Returns the body that requires the least permission, to check if a caller may use an operation at all. */
export function leastBodyOf({ permission }: Operation): unknown {
  switch (permission.kind) {
    case 'invitation':
      return { role: 'read_data' };
    case 'account_creation':
      // Permission hints exist only for users who already have their user account.
      return { account_type: 'organization' };
    default:
      return undefined;
  }
}

/** The next step for permissions that an account owner cannot give. */
const nextSteps: Partial<Record<Operation['permission']['kind'], string>> = {
  admin: 'it is for administrators, ask one of them',
  account_creation: 'ask an administrator for the right to create such an account',
  enabled_account: 'create your account first',
};

/**
 * Returns the refusal of a caller without permission, with advice. The refusal does not reveal if the target exists.
 */
export function notAllowed(operation: Operation, caller: Caller, loaded: LoadedRequestData): ServiceError {
  if (needsBearerToken(operation) && isApiKey(caller))
    return new ServiceError('bearer_token_required', 'An API key may not do this; sign in and use a bearer token');
  if (accountOf(caller)?.disabled)
    return new ServiceError('account_disabled', 'This account is disabled; ask an administrator to enable it again');
  const next = nextSteps[operation.permission.kind] ?? 'ask an owner of the account for access';
  const reason = whoMayInstead(operation, caller, loaded) ?? `You are not allowed to do this; ${next}`;
  return new ServiceError('access_denied', reason);
}

/**
 * Returns the reason for callers who could have had the permission. Other callers learn neither that the target exists
 * nor that it is disabled.
 */
function whoMayInstead(
  { permission, ...operation }: Operation,
  caller: Caller,
  loaded: LoadedRequestData,
): string | undefined {
  if (permission.kind !== 'enabling' && permission.kind !== 'deleting') return undefined;
  const thing = disableableThing({ permission, ...operation }, loaded);
  const what = permission.kind === 'enabling' ? 'enable it again' : 'delete it';
  const disabledBy = thing && whoDisabled(thing);
  if (disabledBy === 'owner' && isAdmin(caller))
    return `Its owners or maintainers disabled it; ask one of them to ${what}`;
  if (disabledBy === 'admin' && mayActOnAccount(permission.rule, caller, loaded))
    return `An administrator disabled this; ask one to ${what}`;
  return undefined;
}
