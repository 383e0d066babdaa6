import type { Principal } from '../lib/domain/data/data-access.ts';
import { limits } from '../lib/domain/limits.ts';
import { CachedDataAccess } from '../lib/edge/cached-data-access.ts';
import { dataFixture, now } from '../test/lib/s3/data-fixture.ts';
import { goal, printTable } from './report.ts';

const different = 10_000;
const requests = 100_000;
const requestsPerSecond = 1000;
const heapMaxMebibytes = 50;

/**
 * Measures how much memory the caches of a warm instance need for many principals and repositories. Run Node with
 * `--expose-gc`.
 */
export async function benchCaches(): Promise<void> {
  const rows = [
    await measure('each principal in its own repository, in turns', (index) => [index % different, index % different]),
    await measure('few often, most rarely (Zipf), each in its own repository', () => {
      const rank = zipf();
      return [rank, rank];
    }),
    await measure('any principal in any repository', () => [anyIndex(), anyIndex()]),
  ];
  const title = `Authorization data in the memory of one instance: ${different} principals, ${different} repositories, ${requests} reads, ${requestsPerSecond} a second`;
  printTable(title, ['', 'pairs', 'reads of the table', 'hit rate', 'heap in use', 'goal'], rows);
}

async function measure(name: string, next: (index: number) => [principal: number, repository: number]) {
  let reads = 0;
  let clock = now;
  const data = await dataFixture().deps.access.readAccess(
    { kind: 'anonymous' },
    { account_id: 'tide-institute', repository_id: 'raw-drafts' },
    0,
  );
  const text = JSON.stringify(data);
  const source = {
    readAccess: async () => {
      reads += 1;
      return JSON.parse(text) as typeof data;
    },
    readRights: () => unused(),
    readAccounts: () => unused(),
    readRepositories: () => unused(),
    readNames: () => unused(),
    readVersion: async () => undefined,
    readApiKey: async () => undefined,
    readConnection: async () => undefined,
  };
  const storageAccess = { secrets: { open: () => unused() }, roles: () => unused() };
  const cache = new CachedDataAccess(source, storageAccess, () => clock);
  const pairs = new Set<number>();
  const before = heapMebibytes();
  for (let index = 0; index < requests; index += 1) {
    const [who, where] = next(index);
    const principal: Principal = {
      kind: 'service_account',
      service_account_id: `owner-${where}--sync-${who}`,
      service_account_uid: `uid-${who}`,
      times_disabled: 0,
      role: 'FullAccess',
      signed_in_by: { kind: 'key', id: `key-${who}` },
    };
    const path = { account_id: `owner-${where}`, repository_id: `repository-${where}` };
    await cache.readAccess(principal, path, limits.readAuthorizationTtlSeconds);
    pairs.add(who * different + where);
    clock += 1000 / requestsPerSecond;
  }
  const countedPairs = pairs.size;
  pairs.clear();
  const heapGrowth = heapMebibytes() - before;
  // Use the cache after the measurement. If nothing used it, the garbage collector would delete it earlier.
  await cache.readApiKey('', 0);
  return [
    name,
    String(countedPairs),
    String(reads),
    `${((1 - reads / requests) * 100).toFixed(1)} %`,
    `${heapGrowth.toFixed(1)} MiB`,
    goal(heapGrowth, '<', heapMaxMebibytes, ' MiB'),
  ];
}

function unused(): never {
  throw new Error('not measured here');
}

function anyIndex(): number {
  return Math.floor(Math.random() * different);
}

/**
 * Returns a random index. Low indexes are more frequent, approximately as in Zipf's distribution with exponent 1, in
 * which the logarithm of the rank is uniform.
 */
function zipf(): number {
  return Math.floor((different + 1) ** Math.random()) - 1;
}

function heapMebibytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
