import { Bench } from 'tinybench';
import { ciProviderKindSchema } from '../lib/domain/ci/issuers.ts';
import type { CiProviderKind } from '../lib/domain/ci/providers.ts';
import type { BufferedResponse, EdgeRequest } from '../lib/domain/data/decision.ts';
import { CachedDataAccess, type DataAccessSource } from '../lib/edge/cached-data-access.ts';
import { createResponseHandler } from '../lib/edge/shape-response-handler.ts';
import { decideObjectRequest, type ObjectDependencies } from '../lib/s3/decide.ts';
import { parseResource } from '../lib/s3/resource.ts';
import { CatalogueIndex, type SearchPage } from '../lib/search/catalogue-index.ts';
import { decodeSegment, encodeSegment } from '../lib/search/segment.ts';
import { handleExchange } from '../lib/sts/exchange.ts';
import { responseEvent } from '../test/lib/edge/event-builders.ts';
import { dataFixture, now, signed } from '../test/lib/s3/data-fixture.ts';
import { madeCatalogue, segmentOf } from '../test/lib/search/made-catalogue.ts';
import { ciClaims } from '../test/lib/sts/ci-claim-table.ts';
import { ExchangeSetup, formBody, formRequest } from '../test/lib/sts/exchange-setup.ts';
import { TestIssuer } from '../test/lib/sts/test-issuer.ts';
import { goal, printTable } from './report.ts';

const batches = 41;
const warmUpBatches = 10;

/**
 * Measures the CPU time of a warm instance, with an emulated table. The CPU time is that of the whole process,
 * including garbage collection. Other load on the machine affects CPU time less than elapsed time.
 */
export async function benchCpu(): Promise<void> {
  const exchange = new ExchangeSetup();
  const exchangeWith = (request: EdgeRequest) => async () => {
    const answer = await handleExchange(request, exchange.dependencies);
    if (answer.status !== 200) throw new Error(`an exchange returned ${answer.status}: ${answer.body}`);
  };
  const byKey = formRequest(formBody({}, exchange.key));
  exchange.trust();
  const configured = exchangeWith(formRequest(formBody({}, exchange.issuer.token(exchange.claims()))));
  const searches = catalogueSearches();
  type Case = [name: string, run: (index: number) => unknown, maxMicroseconds: number, batchRuns: number];
  const cases: readonly Case[] = [
    ['verify a signature and decide (GetObject)', await objectRequests(), 40, 1000],
    ['shape an answer of storage (GetObject)', shapedAnswers(), 40, 1000],
    ['exchange by key', exchangeWith(byKey), 200, 1000],
    ['exchange by CI token (RS256)', configured, 400, 1000],
    ...ciProviderKindSchema.options.map((kind) => {
      const request = formRequest(formBody({}, registeredToken(exchange, kind)));
      const row: Case = [`exchange by ${kind} token of a registered issuer`, exchangeWith(request), 600, 1000];
      return row;
    }),
    ['rewrite a list page of 1,000 keys', await listPageRewrite(), 5000, 20],
    ['search 100,000 repositories for words that most have', searches.common, 30_000, 5],
    ['search 100,000 repositories for a word that few have', searches.rare, 15_000, 5],
    ['search for words that most have, and count the facets', searches.counted, 60_000, 5],
    ['suggest repositories for two letters', searches.suggested, 30_000, 5],
  ];
  const bench = new Bench({
    iterations: batches,
    warmupIterations: warmUpBatches,
    time: 0,
    warmupTime: 0,
    throws: true,
    now: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    },
    // Collect the garbage of the previous case, so that it does not count in this case. Collect only once: after each
    // forced collection, V8 begins with a very small young generation and collects far more often than in a warm
    // instance.
    setup: (_task, mode) => {
      if (mode === 'warmup') globalThis.gc?.();
    },
  });
  for (const [name, run, , batchRuns] of cases)
    bench.add(name, async () => {
      for (let index = 0; index < batchRuns; index += 1) await run(index);
    });
  const rows = (await bench.run()).map(({ name, result }, index) => {
    const [, , maxMicroseconds = 0, batchRuns = 1] = cases[index] ?? [];
    if (result.state !== 'completed') throw new Error(`${name} did not complete`);
    const microseconds = (result.latency.p50 * 1000) / batchRuns;
    return [name, `${microseconds.toFixed(1)} µs`, goal(microseconds, '<', maxMicroseconds, ' µs')];
  });
  printTable('CPU time of one, warm, no table', ['', 'median', 'goal'], rows);
}

/** Registers an issuer of this kind and trusts one of its workloads. Returns a token of the workload. */
function registeredToken(exchange: ExchangeSetup, kind: CiProviderKind): string {
  const issuer = TestIssuer.create(`https://${kind}.example.net`);
  exchange.register(kind, { issuer: issuer.url, keys: issuer.keys });
  exchange.trust(ciClaims[kind].trusted, kind, issuer.url);
  const { iat, nbf, exp } = exchange.claims();
  return issuer.token({ ...ciClaims[kind].run, iss: issuer.url, iat, nbf, exp });
}

/**
 * Returns requests for different objects in one session. They are signed in the same way as the AWS SDK for JavaScript
 * signs.
 */
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
    const decision = request && (await decideObjectRequest(request, parseResource(request, undefined), dependencies));
    if (decision?.kind !== 'forward') throw new Error('a good request was not forwarded');
  };
}

/**
 * Returns a function that does the work for a response that CloudFront does not cache. Authorization is not part of it.
 */
function shapedAnswers(): () => Promise<void> {
  const shape = createResponseHandler({
    checkStorage: async () => undefined,
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

/** Returns the dependencies of a deployed instance with its caches. The table is in memory. */
function warmDependencies(): ObjectDependencies {
  const { deps } = dataFixture();
  const { readAccess, readApiKey, readConnectionCredentials, ...listed } = deps.access;
  const source: DataAccessSource = {
    readRights: (principal) => listed.readRights(principal, 0),
    readAccounts: (accountIds) => listed.readAccounts(accountIds, 0),
    readRepositories: (paths) => listed.readRepositories(paths, 0),
    readNames: (accountId, share, range) => listed.readNames(accountId, share, range, 0),
    readAccess: (principal, path) => readAccess(principal, path, 0),
    readVersion: async (versionsUid, name) => (await listed.readVersion(versionsUid, name, 0)).version,
    readApiKey: (accessKeyId) => readApiKey(accessKeyId, 0),
    readConnection: async () => {
      const path = { account_id: 'tide-institute', repository_id: 'raw-drafts' };
      const { connection } = await readAccess({ kind: 'anonymous' }, path, 0);
      return (
        connection && {
          ...connection,
          uid: '',
          created_at: '',
          in_use: true,
          version: 1,
          sealed_authentication: 'sealed',
        }
      );
    },
  };
  const open = async (_sealed: string, dataConnectionId: string) => {
    const { credentials } = await readConnectionCredentials({ data_connection_id: dataConnectionId });
    if (credentials === undefined) throw new Error('a stubbed connection has credentials');
    return { type: 's3_access_key' as const, ...credentials };
  };
  return {
    ...deps,
    access: new CachedDataAccess(
      source,
      { secrets: { open }, roles: () => Promise.reject(new Error('no role')) },
      () => now,
    ),
  };
}

/**
 * Returns a function that rewrites a list from storage into the list for the client. It has 1,000 objects, the maximum
 * of a page.
 */
async function listPageRewrite(): Promise<() => void> {
  const query = { 'list-type': '2', prefix: 'raw-drafts/2026/', 'encoding-type': 'url' };
  const request = await signed({ path: '/tide-institute', query });
  const decision = await decideObjectRequest(request, parseResource(request, undefined), dataFixture().deps);
  if (decision.kind !== 'relay') throw new Error('a good list was not relayed');
  const page = storagePage();
  return () => {
    const shown = decision.rewrite(page);
    if (shown.status !== 200 || !shown.body.includes(`<KeyCount>1000</KeyCount>`)) throw new Error('a page got lost');
  };
}

/** Returns a list as S3 sends it. The names have the lengths that are usual in a partitioned data set. */
function storagePage(): BufferedResponse {
  const contents = Array.from({ length: 1000 }, (_, index) => {
    const key = `hidden/tide-institute/raw-drafts/2026/region%3Dnorth+sea/station%3D${index}/part-0.parquet`;
    const hash = index.toString(16).padStart(32, '0');
    return `<Contents><Key>${key}</Key><LastModified>2026-11-21T10:00:00.000Z</LastModified><ETag>&quot;${hash}&quot;</ETag><ChecksumAlgorithm>CRC64NVME</ChecksumAlgorithm><ChecksumType>FULL_OBJECT</ChecksumType><Size>${65_536 + index}</Size><StorageClass>STANDARD</StorageClass></Contents>`;
  });
  const body = `<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>hidden-bucket</Name><Prefix>hidden/tide-institute/raw-drafts/2026/</Prefix><NextContinuationToken>1ueGcxLPRx1Tr/XYExHnhbYLgveDs2J/wm36Hy4vbOwM=</NextContinuationToken><KeyCount>1000</KeyCount><MaxKeys>1000</MaxKeys><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>${contents.join('')}</ListBucketResult>`;
  return { status: 200, headers: { 'content-type': 'application/xml' }, body };
}

const repositories = 100_000;

/**
 * Returns searches in the largest catalogue that the index supports. The words of the search `common` are in nearly all
 * entries, and those of `rare` are in few entries. `counted` also counts the facets of the search page, and `suggested`
 * is the search of the field while a reader types.
 */
function catalogueSearches(): Readonly<Record<'common' | 'rare' | 'counted' | 'suggested', () => void>> {
  const { words, repositories: make } = madeCatalogue(repositories);
  const index = new CatalogueIndex(decodeSegment(encodeSegment(segmentOf(make()))), []);
  const searchFor =
    (q: string, page: Partial<SearchPage> = {}) =>
    () => {
      const { hits } = index.search({ q, sort: 'relevance' }, { limit: 110, after: undefined, ...page });
      if (hits.length === 0) throw new Error('a search found nothing');
    };
  const common = `${words[3]} ${words[5]}`;
  return {
    common: searchFor(common),
    rare: searchFor(`${words[3000]} ${words[1]}`),
    counted: searchFor(common, { withCounts: true }),
    suggested: searchFor((words[3] ?? '').slice(0, 2), { limit: 18 }),
  };
}
