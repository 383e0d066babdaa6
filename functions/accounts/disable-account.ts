import { isDisablingNews, requireNoServiceAccount } from '../../lib/domain/accounts/disabling.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { disableAccount } from '../../lib/operations/accounts.ts';

export const handler = apiFunction(disableAccount, async ({ target, actsAsAdmin, services, event }) => {
  const { account } = target;
  const { account_id } = account;
  requireNoServiceAccount(account, 'disable');
  const by = actsAsAdmin ? 'admin' : 'owner';
  if (isDisablingNews(account, by)) {
    const disabled = event('account.disabled', account_id, { account_id, disabled_by: by });
    await services.store.accounts.setDisabled(account, by, disabled);
  }
  return { ...account, disabled: true };
});
