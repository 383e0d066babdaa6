import { apiFunction } from '../../lib/deployed/api-function.ts';
import type { Account } from '../../lib/domain/accounts/accounts.ts';
import { isAdmin } from '../../lib/domain/accounts/callers.ts';
import { toTimestamp } from '../../lib/domain/time.ts';
import { invalidInput } from '../../lib/http/validate.ts';
import { createAccount } from '../../lib/operations/accounts.ts';

export const handler = apiFunction(createAccount, async ({ caller, body, services, now, event }) => {
  if (body.identity_id !== undefined && !isAdmin(caller)) {
    throw invalidInput([{ path: 'identity_id', message: 'is for administrators; leave it out' }]);
  }
  const account: Account = {
    account_id: body.account_id,
    account_type: body.account_type,
    identity_id: body.identity_id ?? (caller.kind === 'person' ? caller.identity_id : ''),
    disabled: false,
    profile: body.profile,
    flags: [],
  };
  const created = event('account.created', account.account_id, {
    account_id: account.account_id,
    account_type: account.account_type,
  });
  switch (account.account_type) {
    case 'user':
      await services.store.accounts.createUser(account, created);
      return account;
    case 'service':
      await services.store.accounts.createPlatformLogin(account, created);
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
        membership_account_id: account.account_id,
        role: 'owners',
        state: 'member',
        state_changed: toTimestamp(now),
        created_at: toTimestamp(now),
      } as const;
      await services.store.accounts.createOrganization(account, owner, created);
      return account;
    }
  }
});
