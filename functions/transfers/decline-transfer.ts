import { requireOffered } from '../../lib/domain/data/transfers.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { declineTransfer } from '../../lib/operations/transfers.ts';

export const handler = apiFunction(declineTransfer, async ({ target, services, event }) => {
  const { transfer } = target;
  requireOffered(transfer);
  const { transfer_id, account_id, repository_id, to } = transfer;
  const declined = event('transfer.declined', to, { transfer_id, account_id, repository_id, to });
  return services.store.transfers.close(transfer, 'declined', declined);
});
