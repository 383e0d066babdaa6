import { dayOf, monthOf } from '../../lib/domain/usage/periods.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { getRepositoryUsageFiles } from '../../lib/operations/usage.ts';
import { usageScopeOf } from '../../lib/store/usage.ts';

export const handler = apiFunction(getRepositoryUsageFiles, async ({ target, query, services, now }) => {
  const { period = monthOf(dayOf(now)) } = query;
  const record = await services.store.usage.find(usageScopeOf(target.repository), period);
  return { period, is_final: record?.is_final ?? false, files: record?.files ?? [] };
});
