import { usageBadge } from '../../lib/domain/usage/badge.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { getRepositoryUsageBadge } from '../../lib/operations/usage.ts';
import { usageScopeOf } from '../../lib/store/usage.ts';

export const handler = apiFunction(getRepositoryUsageBadge, async ({ target, services, now }) => {
  const { periods } = await services.store.usage.show(usageScopeOf(target.repository), { by: 'day' }, now);
  return usageBadge(periods.reduce((sum, { downloads }) => sum + downloads, 0));
});
