import { limits } from '../../lib/domain/limits.ts';
import { clientSettings } from '../../lib/domain/service-accounts/client-settings.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { getClientSettings } from '../../lib/operations/service-accounts.ts';

export const handler = apiFunction(getClientSettings, async ({ target, services }) => {
  const { service_account_id } = target.serviceAccount;
  const { url: data_proxy_url, audience } = services.dataProxy();
  const page = { limit: limits.registeredIssuersMax, after: undefined };
  const { items } = await services.store.registeredIssuers.list(target.account.account_id, page);
  // Leave out a registered issuer that the deployment configures, too, because the configured kind applies.
  const registered = items.filter(({ issuer }) => services.ciIssuers.every((known) => known.issuer !== issuer));
  const ci_issuers = [...services.ciIssuers, ...registered];
  return clientSettings({ service_account_id, data_proxy_url, audience, ci_issuers });
});
