import {
  disabledSubject,
  disablingOf,
  isDisablingNews,
  requireNoServiceAccount,
} from '../../lib/domain/accounts/disabling.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { disableAccount } from '../../lib/operations/accounts.ts';

export const handler = apiFunction(disableAccount, async ({ target, body, actsAsAdmin, services, event }) => {
  const { account } = target;
  const { account_id } = account;
  requireNoServiceAccount(account, 'disable');
  const disabling = disablingOf({ actsAsAdmin, body });
  if (!isDisablingNews(account, disabling)) return account;
  const disabled = event('account.disabled', account_id, { account_id, ...disabledSubject(disabling) });
  return services.store.accounts.setDisabled(account, disabling, disabled);
});
