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
import { isOpenToAnyone } from '../domain/data/repositories.ts';
import { ServiceError } from '../domain/errors.ts';
import { needsBearerToken, type Operation } from '../operations/operation.ts';
import type { LoadedRequestData } from './targets.ts';

/**
 * Returns true if the caller may run the operation. The pipeline calls this function before it checks that the target
 * exists.
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
      return (
        mayReadObjects(caller, loaded) ||
        (permission.rule !== undefined && mayActOnAccount(permission.rule, caller, loaded))
      );
    case 'usage':
      return (
        (isUsagePublic(loaded.repository) && mayReadObjects(caller, loaded)) ||
        mayActOnAccount(permission.rule, caller, loaded)
      );
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
 * Returns true if the caller may read objects, by the rules of the data proxy. The flag `admin` gives no access to
 * data. Data keys cannot read through the management API.
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
    // Set the number to 0, because requests with an API key do not depend on `times_disabled`.
    actingAccount: acting === null ? undefined : { ...acting, times_disabled: 0 },
    roles: { account: roles.account, repository: held },
    serviceAccount: undefined,
    grant: undefined,
  });
}

function isUsagePublic(repository: LoadedRequestData['repository']): boolean {
  return repository !== undefined && isOpenToAnyone(repository) && repository.hides_usage !== true;
}

/**
 * Returns true if an administrator requests a service account or a transfer that does not exist. The response is then
 * 404 instead of 403. It reveals nothing about service accounts, because an administrator may read every account. For a
 * transfer, no other check is possible, because only a stored offer shows which accounts may see it.
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
 * Returns true if the caller may run the operation only because of the flag `admin`. The audit trail then shows that
 * the platform acted, and not the account's owners.
 */
export function actsAsAdmin(operation: Operation, caller: Caller, loaded: LoadedRequestData, body: unknown): boolean {
  return isAdmin(caller) && !isPermitted(operation, withoutAdmin(caller), loaded, body);
}

const invitationSchema = z.object({ role: membershipRoleSchema });
const accountRequestSchema = z.object({ account_type: accountTypeSchema });

/**
 * Returns the request body that requires the least permission. Permission hints (the field `permissions` of a response)
 * use this body to check whether a caller may use the operation at all.
 */
export function leastBodyOf({ permission }: Operation): unknown {
  switch (permission.kind) {
    case 'invitation':
      return { role: 'read_data' };
    case 'account_creation':
      // Use an organization, because permission hints are only for users who already have their user account.
      return { account_type: 'organization' };
    default:
      return undefined;
  }
}

/** Advice for a refused caller, for operations whose permission no account owner can give. */
const nextSteps: Partial<Record<Operation['permission']['kind'], string>> = {
  admin: 'it is for administrators, ask one of them',
  data_connection: 'ask an owner of its account, or an administrator if it belongs to the site',
  account_creation: 'ask an administrator for the right to create such an account',
  enabled_account: 'create your account first',
};

/**
 * Returns the error for a caller without permission, with advice. The error does not reveal whether the target exists.
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
 * Returns who may enable or delete a disabled resource, if the caller may not. Returns undefined for a caller who may
 * not know that the resource exists or that it is disabled.
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
