import { describe, expect, it } from 'vitest';
import { counterReport, counterReportSchema } from '../../../lib/domain/usage/counter-report.ts';
import type { ShownPeriod, UsageCounts } from '../../../lib/domain/usage/usage.ts';

const counts = (total_requests: number, unique_requests: number): UsageCounts => ({
  ...{ requests: 900, downloads: 90, bytes: 1, visitors: 1 },
  ...{ total_requests, unique_requests },
});
const month = (period: string, clients: ShownPeriod['clients'], is_final = true): ShownPeriod => ({
  ...{ period, is_final, clients, countries: [], requests: 1, downloads: 1, bytes: 1, visitors: 1 },
});
const input = {
  site: { name: 'Tide data', url: 'https://tides.example' },
  account: { account_id: 'tides', profile: { name: 'Tide institute' } },
  repository: {
    ...{ account_id: 'tides', repository_id: 'gauges', published: '2025-03-04T05:06:07.000Z' },
    meta: { title: 'Gauges', description: '', tags: '' },
  },
  ...{ from: '2026-01', to: '2026-02', now: Date.parse('2026-03-10T12:00:00Z') },
};
const clients = { browsers: counts(5, 4), tools: counts(7, 6), ci: counts(2, 1), robots: counts(1000, 1000) };
const report = counterReport({ ...input, periods: [month('2026-01', {}), month('2026-02', clients)] });

describe('the COUNTER report', () => {
  it('has the requests of browsers as regular use and those of programs as machine use, and none of robots', () => {
    const [dataset] = report['report-datasets'];
    const instance = (method: string, metric: string, count: number) => ({
      ...{ 'access-method': method, 'metric-type': `${metric}-dataset-requests`, count },
    });
    expect(dataset?.performance).toEqual([
      {
        period: { 'begin-date': '2026-02-01', 'end-date': '2026-02-28' },
        instance: [
          ...[instance('regular', 'total', 5), instance('regular', 'unique', 4)],
          ...[instance('machine', 'total', 9), instance('machine', 'unique', 7)],
        ],
      },
    ]);
  });

  it('names the dataset, its publisher, and the range of months', () => {
    expect(counterReportSchema.parse(report)).toEqual(report);
    expect(report['report-header']).toMatchObject({
      ...{ 'report-id': 'DSR', release: 'rd1', created: '2026-03-10', 'created-by': 'Tide data', exceptions: [] },
      'reporting-period': { 'begin-date': '2026-01-01', 'end-date': '2026-02-28' },
    });
    expect(report['report-datasets']).toMatchObject([
      {
        ...{ 'dataset-title': 'Gauges', publisher: 'Tide institute', platform: 'Tide data', yop: '2025' },
        'dataset-id': [{ type: 'uri', value: 'https://tides.example/tides/gauges' }],
      },
    ]);
  });

  it('identifies a dataset by its DOI, if it has one', () => {
    const repository = { ...input.repository, meta: { ...input.repository.meta, doi: '10.1234/gauges' } };
    const [dataset] = counterReport({ ...input, repository, periods: [] })['report-datasets'];
    expect(dataset?.['dataset-id']).toEqual([{ type: 'doi', value: '10.1234/gauges' }]);
  });

  it('warns of months whose numbers can still change', () => {
    const { exceptions } = counterReport({ ...input, periods: [month('2026-02', clients, false)] })['report-header'];
    expect(exceptions).toMatchObject([{ code: 3040, severity: 'warning' }]);
  });
});
