import type { RepositoryPath } from '../../domain/data/open-data.ts';
import { clientKinds } from '../../domain/usage/client-kinds.ts';
import { laterPeriod } from '../../domain/usage/periods.ts';
import type { ShownPeriod } from '../../domain/usage/usage.ts';
import { counted, formatBytes, formatCount } from './format.ts';
import { Card } from './parts.tsx';
import { NamedValues } from './tables.tsx';

// The server and the console render these parts, so this module must run in both.

/**
 * Usage as the API returns it. `periods` contains only periods with reads. `from` and `to` are the first and the last
 * period of the requested range.
 */
export interface ShownUsage {
  by: 'day' | 'month';
  from: string;
  to: string;
  periods: readonly ShownPeriod[];
}

const clientLabels: Readonly<Record<(typeof clientKinds)[number], string>> = {
  browsers: 'Browsers',
  tools: 'Tools and libraries',
  ci: 'CI systems',
  robots: 'Robots (not counted in sums)',
};

/**
 * The height of the usage chart, and its width in the chart's own units. On the page, the chart is as wide as the text.
 */
const chart = { width: 300, height: 96, gap: 1 };

/** Shows the downloads of each period as a bar. A table below the chart has the numbers. */
export function UsageChart({ usage }: { usage: ShownUsage }) {
  const periods = withEmptyPeriods(usage);
  const most = Math.max(1, ...periods.map(({ downloads }) => downloads));
  const step = chart.width / periods.length;
  return (
    <>
      <svg
        width="100%"
        height={chart.height}
        viewBox={`0 0 ${chart.width} ${chart.height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summaryOf(usage)}
      >
        {periods.map(({ period, downloads }, at) => {
          const height = downloads === 0 ? 1 : Math.max(2, (downloads / most) * chart.height);
          return (
            <rect
              key={period}
              fill={downloads === 0 ? 'var(--line)' : 'var(--link)'}
              x={rounded(at * step)}
              y={rounded(chart.height - height)}
              width={rounded(step - chart.gap)}
              height={rounded(height)}
            >
              <title>{`${period}: ${counted(downloads, 'download')}`}</title>
            </rect>
          );
        })}
      </svg>
      <p class="soft">
        {usage.from} to {usage.to}
      </p>
      <details>
        <summary>Numbers by {usage.by}</summary>
        <UsageTable usage={usage} />
      </details>
    </>
  );
}

function UsageTable({ usage: { by, periods } }: { usage: ShownUsage }) {
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={`Usage by ${by}`}>
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">{by === 'day' ? 'Day' : 'Month'}</th>
            {['Downloads', 'Bytes', by === 'day' ? 'Visitors' : 'Daily visitors, summed'].map((name) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {periods.toReversed().map(({ period, downloads, bytes, visitors, is_final }) => (
            <tr key={period}>
              <th scope="row">
                {period}
                {!is_final && <small>provisional</small>}
              </th>
              <td class="number">{formatCount(downloads)}</td>
              <td class="number">{formatBytes(bytes)}</td>
              <td class="number">{formatCount(visitors)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const countriesShown = 5;

/** Shows the usage of an open repository in the last days on a card. */
export function UsageCard({ repository, usage }: { repository: RepositoryPath; usage: ShownUsage }) {
  const downloads = sumOf(usage, 'downloads');
  if (downloads === 0) return null;
  const countries = countriesOf(usage);
  const path = usagePath(repository);
  return (
    <Card title="Usage">
      <p>
        <strong>{counted(downloads, 'download')}</strong> in 30 days, {formatBytes(sumOf(usage, 'bytes'))}
      </p>
      <UsageChart usage={usage} />
      <NamedValues
        rows={[
          ['Read with', shares(clientsOf(usage).filter(({ kind }) => kind !== 'robots'))],
          ['Countries', shares(countries.slice(0, countriesShown))],
        ]}
      />
      <p class="soft">
        <a href={`${path}.csv`}>CSV</a>, <a href={`${path}/counter`}>COUNTER report</a>. Robots do not count.
      </p>
    </Card>
  );
}

/** Returns the path of a repository's usage in the API. */
export function usagePath({ account_id, repository_id }: RepositoryPath): string {
  return `/api/v1/repositories/${account_id}/${repository_id}/usage`;
}

function shares(rows: readonly { name: string; downloads: number }[]): string {
  return rows.map(({ name, downloads }) => `${name} (${formatCount(downloads)})`).join(', ');
}

/** Returns the downloads of all periods by country, the most frequent first. */
export function countriesOf({ periods }: Pick<ShownUsage, 'periods'>): { name: string; downloads: number }[] {
  const sums = new Map<string, number>();
  for (const { countries } of periods) {
    for (const { country, downloads } of countries) sums.set(country, (sums.get(country) ?? 0) + downloads);
  }
  return [...sums]
    .map(([country, downloads]) => ({ name: countryName(country), downloads }))
    .sort((a, b) => b.downloads - a.downloads);
}

/** Returns the downloads of all periods by kind of client. Kinds without downloads are absent. */
export function clientsOf({ periods }: Pick<ShownUsage, 'periods'>) {
  return clientKinds
    .map((kind) => ({
      kind,
      name: clientLabels[kind],
      downloads: periods.reduce((sum, { clients }) => sum + (clients[kind]?.downloads ?? 0), 0),
    }))
    .filter(({ downloads }) => downloads > 0);
}

export function sumOf({ periods }: Pick<ShownUsage, 'periods'>, field: 'downloads' | 'bytes' | 'requests'): number {
  return periods.reduce((sum, period) => sum + period[field], 0);
}

function summaryOf(usage: ShownUsage): string {
  const most = usage.periods.toSorted((a, b) => b.downloads - a.downloads)[0];
  const peak = most === undefined ? '' : `, most on ${most.period} (${formatCount(most.downloads)})`;
  const range = `${usage.from} to ${usage.to}`;
  return `Downloads by ${usage.by}, ${range}: ${formatCount(sumOf(usage, 'downloads'))} in all${peak}`;
}

function countryName(country: string): string {
  if (country === 'other') return 'Other countries';
  if (country === 'ZZ') return 'Unknown';
  return new Intl.DisplayNames('en', { type: 'region' }).of(country) ?? country;
}

/** Returns all periods of the range. Periods that the API left out have no downloads. */
function withEmptyPeriods({ from, to, periods }: ShownUsage): { period: string; downloads: number }[] {
  const downloads = new Map(periods.map((period) => [period.period, period.downloads]));
  const all: { period: string; downloads: number }[] = [];
  for (let period = from; period <= to; period = laterPeriod(period, 1)) {
    all.push({ period, downloads: downloads.get(period) ?? 0 });
  }
  return all;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
