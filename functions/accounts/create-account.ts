import { type Account, identityOfOrganization } from '../../lib/domain/accounts/accounts.ts';
import { isAdmin } from '../../lib/domain/accounts/callers.ts';
import { invalidInput } from '../../lib/domain/errors.ts';
import { requireUnreservedId } from '../../lib/domain/reserved-ids.ts';
import { toTimestamp } from '../../lib/domain/time.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { createAccount } from '../../lib/operations/accounts.ts';

export const handler = apiFunction(createAccount, async ({ caller, body, services, now, event }) => {
  const { account_id, account_type, profile } = body;
  // The operator of a new deployment has no account yet, so allow reserved IDs such as `root` for the first account.
  const isOperator = caller.kind === 'user' && caller.account === null && caller.isConfiguredAdmin;
  requireUnreservedId(account_id, 'account_id', { isAdmin: isAdmin(caller) || isOperator });
  if (body.identity_id !== undefined && !isAdmin(caller)) {
    throw invalidInput([{ path: 'identity_id', message: 'is for administrators; leave it out' }]);
  }
  if (body.identity_id !== undefined && account_type === 'organization') {
    throw invalidInput([{ path: 'identity_id', message: 'belongs to users and platform logins; leave it out' }]);
  }
  if (caller.kind !== 'user') throw new Error('an account is created by a user');
  // Give a platform service account an identity of its own. Sessions of its keys show this identity, and must not show
  // the administrator's.
  const identity_id = body.identity_id ?? (account_type === 'service' ? account_id : caller.identity_id);
  const account: Account = { account_id, account_type, identity_id, disabled: false, profile, flags: [] };
  const made = {
    event: event('account.created', account_id, { account_id, account_type }),
    counted: isAdmin(caller) ? undefined : { issuer: caller.issuer, identity_id: caller.identity_id },
  };
  switch (account_type) {
    case 'user':
      // An identity that an administrator names belongs to the administrator's own issuer, because a deployment has
      // only one user issuer.
      await services.store.accounts.createUser(account, { issuer: caller.issuer, identity_id }, made);
      return account;
    case 'service':
      await services.store.accounts.createPlatformLogin(account, made);
      return account;
    case 'organization': {
      const creator = caller.account;
      if (creator === null) {
        throw invalidInput([
          { path: 'account_type', message: 'an organization needs an owner; create your user account first' },
        ]);
      }
      const owner = {
        membership_id: services.random.uuid(),
        account_id: creator.account_id,
        membership_account_id: account_id,
        role: 'owners',
        state: 'member',
        state_changed: toTimestamp(now),
        created_at: toTimestamp(now),
      } as const;
      const organization = { ...account, identity_id: identityOfOrganization(account_id) };
      await services.store.accounts.createOrganization(organization, owner, made);
      return organization;
    }
  }
});
