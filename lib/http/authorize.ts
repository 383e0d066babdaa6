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

/** Whether the caller may, by the operation's permission. Decided before anyone looks whether the target is there. */
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

/** As the data proxy decides. The flag `admin` gives no data, and keys that are for data alone have nothing to look at here. */
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
    // For keys nothing hangs on how often their account was disabled.
    actingAccount: acting === null ? undefined : { ...acting, times_disabled: 0 },
    roles: { account: roles.account, repository: held },
    serviceAccount: undefined,
    grant: undefined,
  });
}

/**
 * An admin manages no service account, yet is told that an ID names none: an admin may read every account anyway. Of offers,
 * whose ID alone could tell who may know, an admin too learns that one is not there.
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

/** Whether the flag `admin` alone lets the caller do it: an act of the platform then, not of the owners. */
export function actsAsAdmin(operation: Operation, caller: Caller, facts: LoadedRequestData, body: unknown): boolean {
  return isAdmin(caller) && !isPermitted(operation, withoutAdmin(caller), facts, body);
}

const invitationSchema = z.object({ role: membershipRoleSchema });
const accountRequestSchema = z.object({ account_type: accountTypeSchema });

/** A body that asks for least, for whether a caller may carry out an operation at all. */
export function leastBodyOf({ permission }: Operation): unknown {
  switch (permission.kind) {
    case 'invitation':
      return { role: 'read_data' };
    case 'account_creation':
      // A person's own account is there once anything can be told of it.
      return { account_type: 'organization' };
    default:
      return undefined;
  }
}
