import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { getServiceUsage } from '../../lib/operations/usage.ts';

export const handler = apiFunction(getServiceUsage, ({ query, services, now }) =>
  services.store.usage.show('service', query, now),
);
