import { daySeconds } from '../lib/domain/time.ts';
import { goal, printTable } from './report.ts';
import type { TableUse } from './table-meter.ts';

/** The year of the AWS price pages from which `prices` were taken. */
export const pricesOf = '2025';

/**
 * List prices in US dollars for us-east-1. They are the prices of the first tier, without free tiers. Compare them with
 * aws.amazon.com/<service>/pricing before you rely on a result, and then change `pricesOf`.
 */
const prices = {
  /** Prices of DynamoDB on demand, standard table class. They are valid since November 2024. */
  readUnit: 0.125e-6,
  writeUnit: 0.625e-6,
  /** Prices of CloudFront for viewers in the United States and Europe, and of CloudFront Functions. */
  cloudFrontRequest: 0.01 / 10_000,
  viewerFunction: 0.1e-6,
  /** The price of transfer to viewers in the United States and Europe, for the first 10 TB. */
  byteToViewer: 0.085e-9,
  /** Prices of S3 standard storage. The transfer to CloudFront is free. */
  storageRead: 0.4e-6,
  /** Prices of Lambda@Edge, which is billed by the millisecond. */
  edgeRun: 0.6e-6,
  edgeGbSecond: 0.00005001,
  /** The price of API Gateway's HTTP API. */
  apiRequest: 1e-6,
  /** Lambda on arm64. */
  lambdaRun: 0.2e-6,
  lambdaGbSecond: 0.0000133334,
  /** WAF. */
  webAcl: 5,
  webAclRule: 1,
  inspectedRequest: 0.6e-6,
  kmsKey: 1,
  kmsRequest: 0.03 / 10_000,
  secret: 0.4,
  secretRead: 0.05 / 10_000,
  /** CloudWatch Logs, ingestion. */
  logGb: 0.5,
} as const;

/**
 * Assumed values, which only a deployment could measure. The durations are mainly network time to the table's region.
 */
const assumptions = {
  exchangeMs: 50,
  warmObjectMs: 3,
  coldObjectMs: 100,
  shapeResponseMs: 2,
  managementMs: 150,
  /** The number of instances for object requests that stay warm all month, in all regions together. */
  warmInstances: 20,
  /** The read units of one read of the change feed. A read covers one or two partitions with strong consistency. */
  readUnitsOfLook: 2,
  /** The percentage of object requests for which the authorization data is not cached. */
  coldPercent: 10,
  connections: 10,
  /**
   * The bytes that Lambda logs for a run in addition to the function's own log, and the bytes of the access log for a
   * request.
   */
  logBytesOfRun: 400,
  logBytesOfRequest: 400,
} as const;

/** The measured capacity units of one request of each kind. */
export interface MeasuredUse {
  exchange: TableUse;
  coldObject: TableUse;
  /** A read of open data without credentials, when nothing is cached. */
  coldOpenRead: TableUse;
  /** The management of one service account in a month: each call of the management API once. */
  administration: readonly TableUse[];
}

export interface Costs {
  cloudFront: number;
  firewall: number;
  edge: number;
  api: number;
  table: number;
  secrets: number;
  logs: number;
}

interface Run {
  runs: number;
  memoryGb: number;
  milliseconds: number;
}

const secondsOfMonth = 30 * daySeconds;

/** The resources of a deployment that cost money even without traffic. */
interface BilledResources {
  webAcls: number;
  webAclRules: number;
  kmsKeys: number;
  secrets: number;
}

/** The numbers of billed resources with the default settings. A test compares them with the templates. */
export const deployedResources: BilledResources = { webAcls: 3, webAclRules: 9, kmsKeys: 3, secrets: 4 };

/** Returns the monthly costs of a deployment without traffic. */
export function fixedCosts(): Costs {
  const { webAcls, webAclRules, kmsKeys, secrets } = deployedResources;
  return {
    ...nothing,
    firewall: webAcls * prices.webAcl + webAclRules * prices.webAclRule,
    secrets: kmsKeys * prices.kmsKey + secrets * prices.secret,
  };
}

/**
 * Returns the costs of credential exchanges. Each exchange uses another key, so each one records the key's last use.
 */
export function exchangeCosts(exchanges: number, { exchange }: MeasuredUse): Costs {
  return {
    ...nothing,
    ...requestCosts(exchanges, [{ runs: exchanges, memoryGb: 1, milliseconds: assumptions.exchangeMs }]),
    table: exchanges * unitCosts(exchange),
  };
}

/** Returns the costs of object requests. Requests to storage, and CloudFront's data transfer, are not included. */
export function objectCosts(requests: number, { coldObject }: MeasuredUse): Costs {
  return decidedCosts(requests, requests, coldObject);
}

export interface OpenReadCosts extends Costs {
  /** The costs of requests to storage. The costs of the stored data are not included, because its owner pays for it. */
  storage: number;
  bytes: number;
}

/**
 * Returns the costs of open data. CloudFront answers `hitsPercent` of the reads from its cache, and only the two viewer
 * functions run for these reads. The number of warm instances is the same for all values of `hitsPercent`. If few reads
 * reach the functions, the computed costs are therefore too high.
 */
export function openReadCosts(
  { reads, bytes, hitsPercent }: { reads: number; bytes: number; hitsPercent: number },
  { coldOpenRead }: MeasuredUse,
): OpenReadCosts {
  const misses = (reads * (100 - hitsPercent)) / 100;
  const costs = decidedCosts(reads, misses, coldOpenRead);
  return {
    ...costs,
    cloudFront: costs.cloudFront + reads * prices.viewerFunction,
    storage: misses * prices.storageRead,
    bytes: bytes * prices.byteToViewer,
  };
}

/** Returns the costs that CloudFront's cache saves when it answers a read. */
export function behindTheCache({ edge, storage, table }: OpenReadCosts): number {
  return edge + storage + table;
}

/**
 * Returns the costs of object requests. `decided` is the number of requests that reach the edge functions, which
 * authorize them.
 */
function decidedCosts(requests: number, decided: number, coldUse: TableUse): Costs {
  const { coldPercent, warmInstances, connections, readUnitsOfLook } = assumptions;
  const cold = (decided * coldPercent) / 100;
  const looks = (warmInstances * secondsOfMonth) / 10;
  const rereads = (warmInstances * secondsOfMonth) / 300;
  return {
    ...nothing,
    ...requestCosts(requests, [
      { runs: decided - cold, memoryGb: 1, milliseconds: assumptions.warmObjectMs },
      { runs: cold, memoryGb: 1, milliseconds: assumptions.coldObjectMs },
      { runs: decided, memoryGb: 0.25, milliseconds: assumptions.shapeResponseMs },
    ]),
    table: cold * unitCosts(coldUse) + looks * readUnitsOfLook * prices.readUnit,
    secrets: rereads * (prices.secretRead + connections * prices.kmsRequest),
  };
}

/** Returns the costs of managing service accounts. Their data in the table costs less than a cent. */
export function serviceAccountCosts(serviceAccounts: number, { administration }: MeasuredUse): Costs {
  const requests = serviceAccounts * administration.length;
  const { cloudFront, firewall, logs } = requestCosts(requests, []);
  const runs = [{ runs: requests, memoryGb: 0.5, milliseconds: assumptions.managementMs }];
  return {
    ...nothing,
    cloudFront,
    firewall,
    api: requests * prices.apiRequest + runCosts(runs, prices.lambdaRun, prices.lambdaGbSecond),
    table: serviceAccounts * administration.reduce((sum, use) => sum + unitCosts(use), 0),
    logs: logs + gigabytes(requests * assumptions.logBytesOfRun) * prices.logGb,
  };
}

const nothing: Costs = { cloudFront: 0, firewall: 0, edge: 0, api: 0, table: 0, secrets: 0, logs: 0 };

/**
 * Returns the costs of requests through a CloudFront distribution, and of the edge functions that these requests start.
 */
function requestCosts(requests: number, edgeRuns: readonly Run[]) {
  const runs = edgeRuns.reduce((sum, run) => sum + run.runs, 0);
  return {
    cloudFront: requests * (prices.cloudFrontRequest + prices.viewerFunction),
    firewall: requests * prices.inspectedRequest,
    edge: runCosts(edgeRuns, prices.edgeRun, prices.edgeGbSecond),
    logs: gigabytes(requests * assumptions.logBytesOfRequest + runs * assumptions.logBytesOfRun) * prices.logGb,
  };
}

function runCosts(all: readonly Run[], run: number, gbSecond: number): number {
  return all.reduce(
    (sum, { runs, memoryGb, milliseconds }) => sum + runs * (run + memoryGb * (milliseconds / 1000) * gbSecond),
    0,
  );
}

function unitCosts({ readUnits, writeUnits }: TableUse): number {
  return readUnits * prices.readUnit + writeUnits * prices.writeUnit;
}

function gigabytes(bytes: number): number {
  return bytes / 1e9;
}

const titles = {
  cloudFront: 'CloudFront',
  firewall: 'WAF',
  edge: 'Lambda@Edge',
  api: 'API',
  storage: 'S3 requests',
  table: 'DynamoDB',
  secrets: 'KMS, secrets',
  logs: 'logs',
  bytes: 'bytes',
} satisfies Record<keyof OpenReadCosts, string>;
type Part = keyof typeof titles;

/** Returns a table cell for each part of the costs, and one for their sum. */
function cells(costs: Partial<OpenReadCosts>, parts: readonly Part[]): string[] {
  const dollars = parts.map((part) => costs[part] ?? 0);
  return [...dollars, dollars.reduce((sum, one) => sum + one)].map((one) => one.toFixed(2));
}

/**
 * Prints the monthly costs. They are computed from the billed resources, and from the table usage that the database
 * benchmark measures.
 */
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
    administration: ['list', 'issue', 'revoke'].map((verb) =>
      useOf(`${verb}-service-account-key${verb === 'list' ? 's' : ''}`),
    ),
  };
  const parts: readonly Part[] = ['cloudFront', 'firewall', 'edge', 'api', 'table', 'secrets', 'logs'];
  const rows: [string, Costs][] = [
    ['a deployment that nobody uses', fixedCosts()],
    ['1 million exchanges', exchangeCosts(1e6, measured)],
    ['100 million object requests', objectCosts(1e8, measured)],
    ['1,000 service accounts, a new key each', serviceAccountCosts(1000, measured)],
  ];
  printTable(
    `A month on AWS in US dollars, by list prices of us-east-1 of ${pricesOf} (see docs/operating/costs.md)`,
    ['', ...parts.map((part) => titles[part]), 'in all'],
    rows.map(([name, costs]) => [name, ...cells(costs, parts)]),
  );
  printOpenReads(measured);
}

function printOpenReads(measured: MeasuredUse): void {
  const parts = (Object.keys(titles) as Part[]).filter((part) => part !== 'api');
  const reads = { reads: 1e8, bytes: 8e12 };
  const uncached = behindTheCache(openReadCosts({ ...reads, hitsPercent: 0 }, measured));
  const rows = [0, 50, 90, 99].map((hitsPercent) => {
    const costs = openReadCosts({ ...reads, hitsPercent }, measured);
    const percent = (behindTheCache(costs) / uncached) * 100;
    const met = hitsPercent === 90 ? goal(percent, '<', 20, ' %') : '';
    const behind = behindTheCache(costs).toFixed(2);
    return [`${hitsPercent} % hits`, ...cells(costs, parts), behind, `${percent.toFixed(0)} %`, met];
  });
  printTable(
    '100 million reads of open data, 8 TB, in a month, by how many of them CloudFront has in its cache',
    ['', ...parts.map((part) => titles[part]), 'in all', 'Lambda@Edge, S3, DynamoDB', 'of uncached', 'goal'],
    rows,
  );
}
