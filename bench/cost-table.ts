import {
  behindTheCache,
  type Costs,
  exchangeCosts,
  fixedCosts,
  type MeasuredUse,
  objectCosts,
  openReadCosts,
  serviceAccountCosts,
} from './costs.ts';
import { goal, printTable } from './report.ts';
import type { TableUse } from './table-meter.ts';

/** Prints the monthly costs, from the table usage that the other tables show. */
export function printCosts(uses: ReadonlyMap<string, TableUse>): void {
  const useOf = (name: string) => {
    const use = uses.get(name);
    if (use === undefined) throw new Error(`no measurement of ${name}`);
    return use;
  };
  const measured = {
    exchange: useOf('exchange by key, first in a minute'),
    coldObject: useOf('PutObject, cold'),
    coldOpenRead: useOf('GetObject without credentials, cold'),
    administration: [
      useOf('list-service-account-keys'),
      useOf('issue-service-account-key'),
      useOf('revoke-service-account-key'),
    ],
  };
  const rows: [string, Costs][] = [
    ['a deployment that nobody uses', fixedCosts()],
    ['1 million exchanges', exchangeCosts(1e6, measured)],
    ['100 million object requests', objectCosts(1e8, measured)],
    ['1,000 service accounts, a new key each', serviceAccountCosts(1000, measured)],
  ];
  printTable(
    'A month on AWS in US dollars, by list prices of us-east-1 (see docs/operating/costs.md)',
    ['', 'CloudFront', 'WAF', 'Lambda@Edge', 'API', 'DynamoDB', 'KMS, secrets', 'logs', 'in all'],
    rows.map(([name, costs]) => [name, ...cells(costs)]),
  );
  printOpenReads(measured);
}

function printOpenReads(measured: MeasuredUse): void {
  const reads = { reads: 1e8, bytes: 8e12 };
  const uncached = behindTheCache(openReadCosts({ ...reads, hitsPercent: 0 }, measured));
  const rows = [0, 50, 90, 99].map((hitsPercent) => {
    const costs = openReadCosts({ ...reads, hitsPercent }, measured);
    const { cloudFront, firewall, edge, storage, table, secrets, logs, bytes } = costs;
    const parts = [cloudFront, firewall, edge, storage, table, secrets, logs, bytes];
    const percent = (behindTheCache(costs) / uncached) * 100;
    const cells = [...parts, parts.reduce((sum, part) => sum + part), behindTheCache(costs)].map((dollars) =>
      dollars.toFixed(2),
    );
    return [
      `${hitsPercent} % hits`,
      ...cells,
      `${percent.toFixed(0)} %`,
      hitsPercent === 90 ? goal(percent, '<', 20, ' %') : '',
    ];
  });
  printTable(
    '100 million reads of open data, 8 TB, in a month, by how many of them CloudFront has in its cache',
    [
      '',
      'CloudFront',
      'WAF',
      'Lambda@Edge',
      'S3 requests',
      'DynamoDB',
      'KMS, secrets',
      'logs',
      'bytes',
      'in all',
      'Lambda@Edge, S3, DynamoDB',
      'of uncached',
      'goal',
    ],
    rows,
  );
}

function cells({ cloudFront, firewall, edge, api, table, secrets, logs }: Costs): string[] {
  const parts = [cloudFront, firewall, edge, api, table, secrets, logs];
  return [...parts, parts.reduce((sum, part) => sum + part)].map((dollars) => dollars.toFixed(2));
}
