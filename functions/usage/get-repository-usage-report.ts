import { counterReport } from '../../lib/domain/usage/counter-report.ts';
import { siteFunction } from '../../lib/lambda/functions/api-function.ts';
import { getRepositoryUsageReport } from '../../lib/operations/usage.ts';
import { usageScopeOf } from '../../lib/store/usage.ts';

export const handler = siteFunction(getRepositoryUsageReport, async ({ target, query, services, now }) => {
  const { account, repository } = target;
  const usage = await services.store.usage.show(usageScopeOf(repository), { by: 'month', ...query }, now);
  return counterReport({ site: services.site(), account, repository, ...usage, now });
});
