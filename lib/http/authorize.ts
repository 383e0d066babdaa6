import { accountTypeSchema } from '../domain/accounts.ts';
import { actingAccountOf, type Caller, isAdmin } from '../domain/callers.ts';
import { mayActOnAccount, mayCreateAccount, mayMoveMembership, mayRevokeApiKey } from '../domain/permissions.ts';
import type { Operation } from '../operations/operation.ts';
import type { LoadedFacts } from './targets.ts';

/** Whether the caller may, by the operation's permission. Asked before anyone looks whether the target is there. */
export function isPermitted(operation: Operation, caller: Caller, facts: LoadedFacts, body: unknown): boolean {
  if (operation.bearerTokenOnly && caller.kind !== 'person') return false;
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
      return mayActOnAccount(permission.rule, caller, facts);
    case 'membership':
      return mayMoveMembership(permission.step, caller, facts, facts.membership);
    case 'api_key':
      return mayRevokeApiKey(caller, facts, facts.apiKey);
    case 'account_creation':
      return mayCreateAccount(caller, requestedAccountType(body));
  }
}

function requestedAccountType(body: unknown) {
  return accountTypeSchema.parse(
    body !== null && typeof body === 'object' && 'account_type' in body ? body.account_type : undefined,
  );
}
