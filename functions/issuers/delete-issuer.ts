import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { deleteIssuer } from '../../lib/operations/issuers.ts';

/**
 * Deletes the issuer but not its trusted workflows. Sign-ins of these workflows fail, because the exchange finds no
 * keys.
 */
export const handler = apiFunction(deleteIssuer, async ({ target, path, services, event }) => {
  const { account_id } = target.account;
  const { issuer_id } = path;
  const { registeredIssuers } = services.store;
  const record = await registeredIssuers.load(account_id, issuer_id);
  const { issuer, kind } = record;
  await registeredIssuers.delete(record, event('issuer.deleted', account_id, { account_id, issuer_id, issuer, kind }));
  return undefined;
});
