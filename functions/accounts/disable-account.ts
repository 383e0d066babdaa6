import { isDisablingNews } from '../../lib/domain/accounts/disabling.ts';
import { ServiceError } from '../../lib/domain/errors.ts';
import { parseServiceAccountId } from '../../lib/domain/identifiers.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { disableAccount } from '../../lib/operations/accounts.ts';

export const handler = apiFunction(disableAccount, async ({ target, actsAsAdmin, services, event }) => {
  const { account } = target;
  const { account_id } = account;
  if (parseServiceAccountId(account_id) !== undefined) {
    throw new ServiceError(
      'wrong_state',
      'A service account has routes of its own; disable it with POST /service-accounts/{service_account_id}/disable',
    );
  }
  const by = actsAsAdmin ? 'admin' : 'owner';
  if (isDisablingNews(account, by)) {
    const disabled = event('account.disabled', account_id, { account_id, disabled_by: by });
    await services.store.accounts.setDisabled(account, by, disabled);
  }
  return { ...account, disabled: true };
});
