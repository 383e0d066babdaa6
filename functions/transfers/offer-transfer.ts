import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { offerTransfer } from '../../lib/operations/transfers.ts';
import { newTransfer } from '../../lib/store/transfers/offers.ts';

export const handler = apiFunction(offerTransfer, async ({ target, body, services, now, event }) => {
  const { account_id, repository_id } = target.repository;
  const { to } = body;
  const transfer = await newTransfer(target.repository, to, services, now);
  const { transfer_id } = transfer;
  const offered = event('transfer.offered', account_id, { transfer_id, account_id, repository_id, to });
  await services.store.transfers.offer(transfer, offered, now);
  return transfer;
});
