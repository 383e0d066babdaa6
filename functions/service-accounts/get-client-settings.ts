import { clientSettings } from '../../lib/domain/service-accounts/client-settings.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { getClientSettings } from '../../lib/operations/service-accounts.ts';

export const handler = apiFunction(getClientSettings, async ({ target, services }) => {
  const { service_account_id } = target.serviceAccount;
  const { url: data_proxy_url, audience } = services.dataProxy();
  return clientSettings({ service_account_id, data_proxy_url, audience, ci_issuers: services.ciIssuers });
});
