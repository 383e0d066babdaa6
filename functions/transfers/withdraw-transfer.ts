import { requireOffered } from '../../lib/domain/data/transfers.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { withdrawTransfer } from '../../lib/operations/transfers.ts';

export const handler = apiFunction(withdrawTransfer, async ({ target, services, event }) => {
  const { transfer } = target;
  requireOffered(transfer);
  const { transfer_id, account_id, repository_id, to } = transfer;
  const withdrawn = event('transfer.withdrawn', account_id, { transfer_id, account_id, repository_id, to });
  return services.store.transfers.close(transfer, 'withdrawn', withdrawn);
});
