import { type Costs, exchangeCosts, fixedCosts, objectCosts, serviceAccountCosts } from './costs.ts';
import { printTable } from './report.ts';
import type { TableUse } from './table-meter.ts';

/** What a month costs, by the uses of the table that the other tables show. */
export function printCosts(uses: ReadonlyMap<string, TableUse>): void {
  const useOf = (name: string) => {
    const use = uses.get(name);
    if (use === undefined) throw new Error(`nothing was measured of ${name}`);
    return use;
  };
  const measured = {
    exchange: useOf('exchange by key, first in a minute'),
    coldObject: useOf('PutObject, cold'),
    administration: [
      useOf('list-service-account-keys'),
      useOf('issue-service-account-key, second'),
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
}

function cells({ cloudFront, firewall, edge, api, table, secrets, logs }: Costs): string[] {
  const parts = [cloudFront, firewall, edge, api, table, secrets, logs];
  return [...parts, parts.reduce((sum, part) => sum + part)].map((dollars) => dollars.toFixed(2));
}
