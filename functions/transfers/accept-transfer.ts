import { requireOffered } from '../../lib/domain/data/transfers.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { acceptTransfer } from '../../lib/operations/transfers.ts';
import { requireAcceptable } from '../../lib/store/transfers/offers.ts';

export const handler = apiFunction(acceptTransfer, async ({ caller, target, actsAsAdmin, services, event }) => {
  const { transfer } = target;
  requireOffered(transfer);
  const repository = await requireAcceptable(transfer, target.account, caller, services);
  const { transfer_id, account_id, repository_id, to } = transfer;
  const accepted = event('transfer.accepted', to, { transfer_id, account_id, repository_id, to });
  const opener = { asAdmin: actsAsAdmin };
  return services.store.transfers.accept(transfer, repository, services.random.uuid(), accepted, opener);
});
