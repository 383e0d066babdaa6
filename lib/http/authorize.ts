import * as z from 'zod';
import { accountTypeSchema } from '../domain/accounts/accounts.ts';
import { actingAccountOf, type Caller, isAdmin, isApiKey, withoutAdmin } from '../domain/accounts/callers.ts';
import type { Disableable } from '../domain/accounts/disabling.ts';
import { membershipRoleSchema } from '../domain/accounts/memberships.ts';
import {
  mayActOnAccount,
  mayCreateAccount,
  mayDelete,
  mayEnable,
  mayInvite,
  mayInviteSomebody,
  mayMoveMembership,
  mayRevokeApiKey,
} from '../domain/accounts/permissions.ts';
import { mayReadData, type Principal } from '../domain/data/data-access.ts';
import { needsBearerToken, type Operation } from '../operations/operation.ts';
import type { LoadedRequestData } from './targets.ts';

/**
 * Returns true when the operation's permission allows the caller. The pipeline checks the permission before it checks
 * that the target exists.
 */
export function isPermitted(operation: Operation, caller: Caller, facts: LoadedRequestData, body: unknown): boolean {
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
      return mayActOnAccount(permission.rule, caller, facts) || mayLearnOfAbsence(operation, caller, facts);
    case 'reading':
      return mayReadObjects(caller, facts);
    case 'enabling':
      return mayEnable(permission.rule, caller, facts, disableableThing(operation, facts));
    case 'deleting':
      return mayDelete(permission.rule, caller, facts, disableableThing(operation, facts));
    case 'invitation':
      return mayInvite(permission.rule, caller, facts, invitationSchema.parse(body).role);
    case 'inviter':
      return mayInviteSomebody(caller, facts, facts.scope);
    case 'membership':
      return mayMoveMembership(
        permission.step,
        caller,
        facts,
        facts.membership,
        permission.step === 'change_role' ? membershipRoleSchema.parse(body) : undefined,
      );
    case 'api_key':
      return mayRevokeApiKey(caller, facts, facts.apiKey);
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

export function disableableThing({ target }: Operation, facts: LoadedRequestData): Disableable | undefined {
  return target === 'repository' ? facts.repository : facts.account;
}

/**
 * Returns true when only the flag `admin` permits the request. Such a request is an act of the platform, not of the
 * owners.
 */
export function actsAsAdmin(operation: Operation, caller: Caller, facts: LoadedRequestData, body: unknown): boolean {
  return isAdmin(caller) && !isPermitted(operation, withoutAdmin(caller), facts, body);
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
