import * as z from 'zod';
import type { Account } from '../accounts/accounts.ts';
import type { Repository } from '../data/repositories.ts';
import type { ShownSite } from '../site.ts';
import type { ClientKind } from './client-kinds.ts';
import { dayOf, lastDayOf } from './periods.ts';
import type { ShownPeriod } from './usage.ts';

/**
 * A dataset report (DSR) of the COUNTER Code of Practice for Research Data, release 1, in the JSON form of DataCite's
 * usage reports (SUSHI). The report has only the fields that this form requires. It contains no investigations, because
 * the service does not count views of pages.
 */
const dayField = z.string().regex(/^\d{4}-\d\d-\d\d$/);
const namedValue = z.object({ name: z.string(), value: z.string() });
const identifier = z.object({ type: z.string(), value: z.string() });

export const counterReportSchema = z.object({
  'report-header': z.object({
    'report-name': z.literal('dataset report'),
    'report-id': z.literal('DSR'),
    release: z.literal('rd1'),
    created: dayField,
    'created-by': z.string(),
    'reporting-period': z.object({ 'begin-date': dayField, 'end-date': dayField }),
    'report-filters': z.array(namedValue),
    'report-attributes': z.array(namedValue),
    /** Contains the COUNTER warning 3040 if the numbers of a month can still change. */
    exceptions: z.array(
      z.object({
        code: z.int(),
        severity: z.literal('warning'),
        message: z.string(),
        'help-url': z.string(),
        data: z.string(),
      }),
    ),
  }),
  'report-datasets': z.array(
    z.object({
      'dataset-title': z.string(),
      'dataset-id': z.array(z.object({ type: z.enum(['doi', 'uri']), value: z.string() })),
      'dataset-contributors': z.array(identifier),
      'dataset-dates': z.array(z.object({ type: z.literal('pub-date'), value: dayField })),
      platform: z.string(),
      publisher: z.string(),
      'publisher-id': z.array(identifier),
      'data-type': z.literal('dataset'),
      yop: z.string().regex(/^\d{4}$/),
      uri: z.string(),
      performance: z.array(
        z.object({
          period: z.object({ 'begin-date': dayField, 'end-date': dayField }),
          instance: z.array(
            z.object({
              'access-method': z.enum(['regular', 'machine']),
              'metric-type': z.enum(['total-dataset-requests', 'unique-dataset-requests']),
              count: z.int().min(1),
            }),
          ),
        }),
      ),
    }),
  ),
});
export type CounterReport = z.infer<typeof counterReportSchema>;

/**
 * Maps kinds of clients to COUNTER's access methods. Browsers are regular use, and programs are machine use (text and
 * data mining). Reports do not count robots.
 */
const accessMethods = {
  regular: ['browsers'],
  machine: ['tools', 'ci'],
} as const satisfies Record<string, readonly ClientKind[]>;

const metrics = { 'total-dataset-requests': 'total_requests', 'unique-dataset-requests': 'unique_requests' } as const;

interface CounterInput {
  site: Pick<ShownSite, 'name' | 'url'>;
  account: Pick<Account, 'account_id' | 'profile'>;
  repository: Pick<Repository, 'account_id' | 'repository_id' | 'meta' | 'published'>;
  /** The first and the last month of the report, such as `2026-11`. */
  from: string;
  to: string;
  periods: readonly ShownPeriod[];
  now: number;
}

export function counterReport({ site, account, repository, from, to, periods, now }: CounterInput): CounterReport {
  const { meta, published } = repository;
  const publisher = account.profile.name ?? account.account_id;
  const uri = `${site.url}/${repository.account_id}/${repository.repository_id}`;
  const isFinal = periods.every(({ is_final }) => is_final);
  const range = { 'begin-date': `${from}-01`, 'end-date': lastDayOf(to) };
  const performance = periods.map((period) => ({
    period: { 'begin-date': `${period.period}-01`, 'end-date': lastDayOf(period.period) },
    instance: instancesOf(period),
  }));
  return {
    'report-header': {
      'report-name': 'dataset report',
      'report-id': 'DSR',
      release: 'rd1',
      created: dayOf(now),
      'created-by': site.name,
      'reporting-period': range,
      'report-filters': [
        { name: 'begin-date', value: range['begin-date'] },
        { name: 'end-date', value: range['end-date'] },
      ],
      'report-attributes': [],
      exceptions: isFinal ? [] : [notFinal],
    },
    'report-datasets': [
      {
        'dataset-title': meta.title || repository.repository_id,
        'dataset-id': [meta.doi === undefined ? { type: 'uri', value: uri } : { type: 'doi', value: meta.doi }],
        'dataset-contributors': [{ type: 'name', value: publisher }],
        'dataset-dates': [{ type: 'pub-date', value: published.slice(0, 10) }],
        platform: site.name,
        publisher,
        'publisher-id': [],
        'data-type': 'dataset',
        yop: published.slice(0, 4),
        uri,
        performance: performance.filter(({ instance }) => instance.length > 0),
      },
    ],
  };
}

const notFinal = {
  code: 3040,
  severity: 'warning' as const,
  message: 'partial data returned',
  'help-url': '',
  data: 'usage data has not been processed for the entire reporting period',
};

function instancesOf({ clients }: ShownPeriod) {
  return Object.entries(accessMethods).flatMap(([method, kinds]) =>
    Object.entries(metrics).flatMap(([metric, field]) => {
      const count = kinds.reduce((sum, kind) => sum + (clients[kind]?.[field] ?? 0), 0);
      // A COUNTER report contains no entries with a count of zero.
      if (count === 0) return [];
      return [
        {
          'access-method': method as keyof typeof accessMethods,
          'metric-type': metric as keyof typeof metrics,
          count,
        },
      ];
    }),
  );
}
