import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { getRepositoryUsage } from '../../lib/operations/usage.ts';
import { usageScopeOf } from '../../lib/store/usage.ts';

export const handler = apiFunction(getRepositoryUsage, ({ target, query, services, now }) =>
  services.store.usage.show(usageScopeOf(target.repository), query, now),
);
