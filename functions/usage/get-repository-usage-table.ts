import { usageTable } from '../../lib/domain/usage/table.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { getRepositoryUsageTable } from '../../lib/operations/usage.ts';
import { usageScopeOf } from '../../lib/store/usage.ts';

export const handler = apiFunction(getRepositoryUsageTable, async ({ target, query, services, now }) =>
  usageTable(await services.store.usage.show(usageScopeOf(target.repository), query, now)),
);
