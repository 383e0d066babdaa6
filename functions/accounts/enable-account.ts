import { ServiceError } from '../../lib/domain/errors.ts';
import { parseServiceAccountId } from '../../lib/domain/identifiers.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { enableAccount } from '../../lib/operations/accounts.ts';

export const handler = apiFunction(enableAccount, async ({ target, actsAsAdmin, services, event }) => {
  const { account } = target;
  const { account_id } = account;
  if (parseServiceAccountId(account_id) !== undefined) {
    throw new ServiceError(
      'wrong_state',
      'A service account has routes of its own; enable it with POST /service-accounts/{service_account_id}/enable',
    );
  }
  if (account.disabled) {
    const enabled = event('account.enabled', account_id, { account_id });
    await services.store.accounts.setDisabled(account, undefined, enabled, { asAdmin: actsAsAdmin });
  }
  return { ...account, disabled: false };
});
