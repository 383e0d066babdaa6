import type { EdgeRequest } from '../lib/domain/data/decision.ts';
import { CachedDataAccess, type DataAccessSource } from '../lib/edge/cached-data-access.ts';
import { createResponseHandler } from '../lib/edge/shape-response-handler.ts';
import { decideObjectRequest, type ObjectDependencies } from '../lib/s3/decide.ts';
import { handleExchange } from '../lib/sts/exchange.ts';
import { responseEvent } from '../test/lib/edge/event-builders.ts';
import { dataFixture, now, signed } from '../test/lib/s3/data-fixture.ts';
import { ExchangeSetup, formBody, formRequest } from '../test/lib/sts/exchange-setup.ts';
import { catalogueSearches } from './catalogue-search.ts';
import { listPageRewrite } from './list-page.ts';
import { goal, median, printTable } from './report.ts';

const neverAsked = () => Promise.reject(new Error('no connection here is reached through a role'));

const batches = 41;
const warmUpBatches = 10;

/**
 * Measures the CPU time of a warm instance with a stubbed table. The figure is that of the whole process, including
 * garbage collection.
 */
export async function benchCpu(): Promise<void> {
  const exchange = new ExchangeSetup();
  exchange.trust();
  const byKey = formRequest(formBody({}, exchange.key));
  const byToken = formRequest(formBody({}, exchange.issuer.token(exchange.claims())));
  const exchangeWith = (request: EdgeRequest) => async () => {
    const answer = await handleExchange(request, exchange.dependencies);
    if (answer.status !== 200) throw new Error(`an exchange answered ${answer.status}: ${answer.body}`);
  };

  const searches = catalogueSearches();
  const cases = [
    ['verify a signature and decide (GetObject)', await objectRequests(), 40, 1000],
    ['shape an answer of storage (GetObject)', shapedAnswers(), 40, 1000],
    ['exchange by key', exchangeWith(byKey), 200, 1000],
    ['exchange by CI token (RS256)', exchangeWith(byToken), 400, 1000],
    ['rewrite a list page of 1,000 keys', await listPageRewrite(), 5000, 20],
    ['search 100,000 repositories for words that most have', searches.common, 30_000, 5],
    ['search 100,000 repositories for a word that few have', searches.rare, 15_000, 5],
  ] as const;
  const rows: string[][] = [];
  for (const [name, run, boundMicroseconds, batchRuns] of cases) {
    const microseconds = await cpuMicroseconds(run, batchRuns);
    rows.push([name, `${microseconds.toFixed(1)} µs`, goal(microseconds, '<', boundMicroseconds, ' µs')]);
  }
  printTable('CPU time of one, warm, no table', ['', 'median', 'goal'], rows);
}

/** Returns requests for different objects in one session, signed as the AWS SDK for JavaScript signs. */
async function objectRequests(): Promise<(index: number) => Promise<void>> {
  const requests = await Promise.all(
    Array.from({ length: 64 }, (_, index) =>
      signed({
        path: `/tide-institute/raw-drafts/2026/station=${index}/part-0.parquet`,
        query: { 'x-id': 'GetObject' },
        headers: {
          accept: '*/*',
          'accept-encoding': 'identity',
          'amz-sdk-invocation-id': '2f1d5c5e-6f0c-4f0e-9f2c-0d3a1b9b7a11',
          'amz-sdk-request': 'attempt=1; max=3',
          range: 'bytes=0-65535',
          'user-agent': 'aws-sdk-js/3.1169.0 ua/2.1 os/linux lang/js md/nodejs#24.21.0 api/s3#3.1169.0 m/E,e',
          'x-amz-user-agent': 'aws-sdk-js/3.1169.0',
        },
      }),
    ),
  );
  const dependencies = warmDependencies();
  return async (index) => {
    const request = requests[index % requests.length];
    const decision = request && (await decideObjectRequest(request, dependencies));
    if (decision?.kind !== 'forward') throw new Error('a good request was not forwarded');
  };
}

/** Returns the work for each response that CloudFront does not cache, in addition to the authorization. */
function shapedAnswers(): () => Promise<void> {
  const shape = createResponseHandler({
    isBucketMissing: async () => false,
    clock: () => now,
    openDataCacheSeconds: 60,
    log: () => undefined,
  });
  const event = responseEvent('200', {
    'accept-ranges': 'bytes',
    'content-length': '65536',
    'content-type': 'application/octet-stream',
    date: 'Sun, 22 Nov 2026 10:00:00 GMT',
    etag: '"0cc175b9c0f1b6a831c399e269772661"',
    'last-modified': 'Sun, 22 Nov 2026 09:00:00 GMT',
    server: 'AmazonS3',
    'x-amz-id-2': 'h3eXvsoP1bA7/example',
    'x-amz-meta-station': 'harbour',
    'x-amz-request-id': '4442587FB7D0A2F9',
    'x-amz-server-side-encryption': 'AES256',
  });
  return async () => {
    const { status } = await shape(event);
    if (status !== '200') throw new Error(`a good answer became ${status}`);
  };
}

/** Returns the cache of a deployed instance over a table in memory. */
function warmDependencies(): ObjectDependencies {
  const { deps } = dataFixture();
  const { readAccess, readApiKey, readConnectionCredentials, ...listed } = deps.access;
  const source: DataAccessSource = {
    readRights: (principal) => listed.readRights(principal, 0),
    readAccounts: (accountIds) => listed.readAccounts(accountIds, 0),
    readRepositories: (paths) => listed.readRepositories(paths, 0),
    readNames: (accountId, share, range) => listed.readNames(accountId, share, range, 0),
    readAccess: (principal, path) => readAccess(principal, path, 0),
    readApiKey: (accessKeyId) => readApiKey(accessKeyId, 0),
    readConnection: async () => {
      const path = { account_id: 'tide-institute', repository_id: 'raw-drafts' };
      const { connection } = await readAccess({ kind: 'anonymous' }, path, 0);
      return connection && { ...connection, created_at: '', in_use: true, version: 1, sealed_authentication: 'sealed' };
    },
  };
  const open = async (_sealed: string, dataConnectionId: string) => {
    const { credentials } = await readConnectionCredentials(dataConnectionId);
    if (credentials === undefined) throw new Error('a connection of the stubbed world has credentials');
    return { type: 's3_access_key' as const, ...credentials };
  };
  return { ...deps, access: new CachedDataAccess(source, { secrets: { open }, roles: neverAsked }, () => now) };
}

async function cpuMicroseconds(run: (index: number) => Promise<void> | void, batchRuns: number): Promise<number> {
  const samples: number[] = [];
  // Garbage of the previous case must not count here. One collection only: after a forced collection V8 starts with a
  // very small young generation. It would then collect far more often than in a warm instance.
  globalThis.gc?.();
  for (let batch = -warmUpBatches; batch < batches; batch += 1) {
    const before = process.cpuUsage();
    for (let index = 0; index < batchRuns; index += 1) await run(index);
    const { user, system } = process.cpuUsage(before);
    if (batch >= 0) samples.push((user + system) / batchRuns);
  }
  return median(samples);
}
