import { setTimeout as wait } from 'node:timers/promises';
import { seedNames } from '../../lib/local/seed.ts';
import { roleArn } from '../../test/service/data-clients.ts';
import { goal, percentile, printTable } from '../report.ts';
import { exchange, exchangeRequest, signedHeaders } from '../requests.ts';
import { startServer } from './servers.ts';

const { organization_id, private_repository_id, service_account_id } = seedNames;
const smallBytes = 64 * 1024;
/** The number of workers of each kind. A worker waits for a response before it sends its next request. */
const workersOf = { read: 8, write: 4, exchange: 2, manage: 1, revoke: 1 };

type Kind = keyof typeof workersOf;
type Send = (turn: number) => Promise<unknown>;
type Service = Awaited<ReturnType<typeof startServer<'service'>>>;

/**
 * Sends a mixed load to the service in a process of its own: reads, writes, exchanges, management requests, and
 * revocations. Prints throughput, times, errors, and the memory after the first minute and at the end.
 */
export async function benchSoak(minutes = 10): Promise<void> {
  const service = await startServer('service');
  try {
    const { requests, stop } = await createRequests(service);
    const load = startLoad(requests, minutes);
    const memoryAfter = async (until: number) => {
      await wait(Math.max(0, until - load.seconds()) * 1000);
      return service.usage('collect');
    };
    const first = await memoryAfter(60);
    await load.finished;
    stop();
    const last = await memoryAfter(minutes * 60);
    printLoad(load, minutes);
    // The resident memory also contains garbage that is not collected yet, and free pages that the allocator keeps.
    for (const [name, of] of [
      ['Reachable memory', 'liveBytes'],
      ['Resident memory', 'residentBytes'],
    ] as const) {
      const [before, after] = [first[of] / 2 ** 20, last[of] / 2 ** 20];
      const ratio = after / before;
      console.log(
        `\n  ${name} ${before.toFixed(1)} MiB after the first minute, ${after.toFixed(1)} MiB at the end: ratio ${goal(ratio, '<', 1.1)} (${ratio.toFixed(2)})`,
      );
    }
  } finally {
    await service.stop();
  }
}

/** Returns one request of each kind. The credentials of the data requests are renewed until `stop` is called. */
async function createRequests({ started }: Service) {
  const { apiUrl, dataUrl, key, userToken } = started;
  const repository = `${dataUrl}/${organization_id}/${private_repository_id}`;
  let credentials = await exchange(dataUrl, key);
  const renewed = setInterval(async () => {
    credentials = await exchange(dataUrl, key);
  }, 600_000);
  const object = (method: 'GET' | 'PUT', name: string, body?: Uint8Array<ArrayBuffer>) => {
    const url = new URL(`${repository}/soak/${name}`);
    return send(url.href, { method, headers: signedHeaders(method, url, credentials), body: body ?? null });
  };
  const manage = (method: string, path: string, status: number, body?: object) =>
    send(`${apiUrl}/api/v1${path}`, {
      method,
      status,
      headers: { authorization: `Bearer ${userToken}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
  const keys = `/service-accounts/${service_account_id}/keys`;
  const requests: Readonly<Record<Kind, Send>> = {
    read: () => object('GET', 'read'),
    write: (turn) => object('PUT', `write-${turn % 100}`, new Uint8Array(smallBytes)),
    exchange: () => {
      const { url, ...init } = exchangeRequest(dataUrl, roleArn(), key);
      return send(url, init);
    },
    manage: () => manage('GET', `/repositories/${organization_id}`, 200),
    // Each request creates a key of its own and revokes it. The list of keys contains revoked keys for a while.
    revoke: async () => {
      const { key_id } = JSON.parse(await manage('POST', keys, 201, { label: 'soak', expiry: '30d' }));
      await manage('DELETE', `${keys}/${key_id}`, 200);
    },
  };
  await object('PUT', 'read', new Uint8Array(smallBytes));
  return { requests, stop: () => clearInterval(renewed) };
}

/** Sends a request and returns the body. Throws if the status differs from the expected one. */
async function send(url: string, { status = 200, ...init }: RequestInit & { status?: number }): Promise<string> {
  const response = await fetch(url, init);
  const body = await response.text();
  if (response.status !== status) throw new Error(`${init.method} answered ${response.status}: ${body}`);
  return body;
}

type Load = ReturnType<typeof startLoad>;

/** Starts the workers of each kind. Collects the times in milliseconds, and counts the errors. */
function startLoad(requests: Readonly<Record<Kind, Send>>, minutes: number) {
  const kinds = Object.keys(workersOf) as Kind[];
  const times = Object.fromEntries(kinds.map((kind) => [kind, []])) as unknown as Record<Kind, number[]>;
  const errors = new Map<Kind, { count: number; first: unknown }>();
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  const work = async (kind: Kind, worker: number) => {
    for (let turn = worker; seconds() < minutes * 60; turn += workersOf[kind]) {
      const sentAt = performance.now();
      await requests[kind](turn).then(
        () => times[kind].push(performance.now() - sentAt),
        (error: unknown) => {
          const { count, first } = errors.get(kind) ?? { count: 0, first: error };
          errors.set(kind, { count: count + 1, first });
        },
      );
    }
  };
  const workers = kinds.flatMap((kind) => Array.from({ length: workersOf[kind] }, (_, worker) => work(kind, worker)));
  return { kinds, times, errors, seconds, finished: Promise.all(workers) };
}

function printLoad({ kinds, times, errors, seconds }: Load, minutes: number): void {
  const rows = kinds.map((kind) => {
    const [p50, p99] = [0.5, 0.99].map((part) => percentile(times[kind], part).toFixed(1));
    const failed = errors.get(kind)?.count ?? 0;
    return [kind, (times[kind].length / seconds()).toFixed(1), `${p50} ms`, `${p99} ms`, goal(failed, '=', 0)];
  });
  printTable(`A mixed load for ${minutes} minutes`, ['', 'a second', 'p50', 'p99', 'errors'], rows);
  for (const [kind, { count, first }] of errors) console.log(`  ${kind}: ${count} errors, the first: ${first}`);
}
