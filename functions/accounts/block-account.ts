import { invalidInput } from '../../lib/domain/errors.ts';
import { toTimestamp } from '../../lib/domain/time.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { blockAccount } from '../../lib/operations/accounts.ts';

export const handler = apiFunction(blockAccount, async ({ target, path, services, now, event }) => {
  const { account_id } = target.account;
  const { blocked_account_id } = path;
  const { requestData, blockedAccounts } = services.store;
  const [{ account: blocked }, blockedBefore] = await Promise.all([
    requestData.readRequestData({ scope: { account_id: blocked_account_id } }),
    blockedAccounts.find(account_id, blocked_account_id),
  ]);
  if (blockedBefore !== undefined) return { isNew: false, answer: blockedBefore };
  if (blocked === undefined || blocked_account_id === account_id) {
    throw invalidInput([
      { path: 'blocked_account_id', message: 'must be the account of another user or organization; check the ID' },
    ]);
  }
  const answer = { account_id: blocked_account_id, blocked_at: toTimestamp(now) };
  await blockedAccounts.block(
    account_id,
    answer,
    event('account.blocked', account_id, { account_id, blocked_account_id }),
  );
  return { isNew: true, answer };
});
