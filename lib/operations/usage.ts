import * as z from 'zod';
import { accountRules } from '../domain/accounts/permissions.ts';
import { limits } from '../domain/limits.ts';
import { counterReportSchema } from '../domain/usage/counter-report.ts';
import { fileUsageSchema, monthSchema, periodSchema, shownPeriodSchema } from '../domain/usage/usage.ts';
import * as values from './example-values.ts';
import { declarators } from './operation.ts';

const define = declarators({ group: 'usage', target: 'repository' });
export const usageOperations = define.all;

const path = '/repositories/{account_id}/{repository_id}/usage';
const permission = { kind: 'usage', rule: accountRules.usage } as const;
const tableAccess = { actions: ['Query'] } as const;

/** The periods of a request. `from` and `to` are both included, and have the form that `by` selects. */
const querySchema = z
  .strictObject({
    by: z.enum(['day', 'month']).default('day'),
    from: periodSchema.optional(),
    to: periodSchema.optional(),
  })
  .describe(`At most ${limits.usagePeriodsMax} days or months. The default is the last 30 days or 12 months.`);

const usageSchema = z.object({
  by: z.enum(['day', 'month']),
  from: periodSchema,
  to: periodSchema,
  /** The periods in which the repository was read. Periods without reads are absent. */
  periods: z.array(shownPeriodSchema),
});

const example = { query: { by: 'month' }, response: values.usage };

export const getRepositoryUsage = define.read({
  name: 'get-repository-usage',
  summary: 'Get how often, how much, from where, and with which tools a repository was read',
  path,
  permission,
  query: querySchema,
  response: usageSchema,
  tableAccess,
  example,
});

export const getRepositoryUsageFiles = define.read({
  name: 'get-repository-usage-files',
  summary: 'Get the most downloaded files of a repository in a day or a month',
  path: `${path}/files`,
  permission,
  query: z.strictObject({ period: periodSchema.optional() }),
  response: z.object({ period: periodSchema, is_final: z.boolean(), files: z.array(fileUsageSchema) }),
  tableAccess: { actions: ['GetItem'] },
  example: { query: { period: '2026-08' }, response: values.usageFiles },
});

export const getRepositoryUsageTable = define.read({
  name: 'get-repository-usage-table',
  summary: 'Get the usage of a repository as CSV',
  path: `${path}.csv`,
  permission,
  query: querySchema,
  response: z.string(),
  mediaType: 'text/csv',
  tableAccess,
  example: { query: { by: 'month' }, response: values.usageTable },
});

export const getRepositoryUsageReport = define.read({
  name: 'get-repository-usage-report',
  summary: 'Get the usage of a repository by month as a COUNTER dataset report',
  path: `${path}/counter`,
  permission,
  query: z.strictObject({ from: monthSchema.optional(), to: monthSchema.optional() }),
  response: counterReportSchema,
  showsSite: true,
  tableAccess,
  example: { query: { from: '2026-08', to: '2026-08' }, response: values.usageReport },
});

export const getRepositoryUsageBadge = define.read({
  name: 'get-repository-usage-badge',
  summary: 'Get an image with the number of downloads of a repository in the last 30 days',
  path: `${path}/badge.svg`,
  permission,
  response: z.string(),
  mediaType: 'image/svg+xml',
  tableAccess,
  example: { response: values.usageBadge },
});

export const getAccountUsage = define.read({
  name: 'get-account-usage',
  summary: 'Get the usage of all repositories of an account',
  path: '/accounts/{account_id}/usage',
  target: 'account',
  permission: { kind: 'account', rule: accountRules.account_usage },
  query: querySchema,
  response: usageSchema,
  tableAccess,
  example,
});

export const getServiceUsage = define.read({
  name: 'get-service-usage',
  summary: 'Get the usage of all repositories',
  path: '/usage',
  target: 'nothing',
  permission: { kind: 'admin' },
  query: querySchema,
  response: usageSchema,
  tableAccess,
  example,
});
