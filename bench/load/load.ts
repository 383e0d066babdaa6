import { setTimeout as wait } from 'node:timers/promises';
import { seedNames } from '../../lib/local/seed.ts';
import type { SigningCredentials } from '../../lib/sigv4/sign.ts';
import { roleArn } from '../../test/service/data-clients.ts';
import type { Child } from '../child-process.ts';
import { distribution, distributionColumns, goal, median, percentile, printTable } from '../report.ts';
import { download, exchange, exchangeRequest, type RepeatedRequest, sendMany, signedGet, upload } from '../requests.ts';
import { type Bare, type LoadedService, startServer } from './servers.ts';

const { organization_id, open_repository_id, private_repository_id } = seedNames;
const smallBytes = 64 * 1024;
const largeBytes = 256 * 1024 * 1024;
const connections = 64;
const rounds = 3;
/**
 * The number of requests before the measurement. During the first requests, V8 compiles the code of the proxy and needs
 * most of the CPU time.
 */
const warmUpRequests = 6400;

/**
 * One of the ways in which the benchmark reads objects. `process` is the process of the proxy, or of the storage if the
 * way has no proxy.
 */
interface Route {
  name: string;
  /** The base URL of the objects. */
  base: string;
  credentials: SigningCredentials;
  process: Child<unknown>;
}

interface Figures {
  perSecond: number[];
  p99Ms: number[];
  smallCpuMs: number[];
  uploadMs: number[];
  uploadCpuMs: number[];
  downloadMs: number[];
}

/**
 * Sends the same requests to the same storage in three ways: directly, through a minimal proxy in Node, and through the
 * local edge. The storage, the proxy, and the edge run in separate processes. The three ways are measured in turn,
 * because other load on the machine changes.
 */
export async function benchLoad(): Promise<void> {
  await using children = new AsyncDisposableStack();
  const started = async <T>(child: Promise<Child<T>>) => {
    children.defer(async () => (await child).stop());
    return child;
  };
  const storage = await started(startServer('storage'));
  const { endpoint, bucket } = storage.started;
  const passThrough = await started(startServer('passThrough', endpoint));
  const service = await started(startServer('service', storage.started));
  const { dataUrl, key } = service.started;
  const credentials = await exchange(dataUrl, key);
  const repository = `${organization_id}/${private_repository_id}/`;
  const below = (url: string) => ({ base: `${url}/${bucket}/${repository}`, credentials: storage.started });
  const routes: readonly Route[] = [
    { name: 'bare pass-through', ...below(passThrough.started.url), process: passThrough },
    { name: 'local edge', base: `${dataUrl}/${repository}`, credentials, process: service },
    { name: 'storage alone', ...below(endpoint), process: storage },
  ];
  await upload(new URL(`${routes[0]?.base}small`), smallBytes, storage.started);
  await printRoutes(routes);
  await printExchanges(service);
  const open = new URL(`${dataUrl}/${organization_id}/${open_repository_id}/small`);
  await upload(open, smallBytes, credentials);
  await printCacheHits(service, await started(startServer('copies', [open.href])), open);
}

async function printRoutes(routes: readonly Route[]): Promise<void> {
  const all = routes.map(
    (): Figures => ({ perSecond: [], p99Ms: [], smallCpuMs: [], uploadMs: [], uploadCpuMs: [], downloadMs: [] }),
  );
  // The first round only warms up the servers, so its result is not used.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, route] of routes.entries()) {
      const { base, credentials, process } = route;
      const request = signedGet(new URL(`${base}small`), credentials);
      const large = new URL(`${base}large`);
      const amount = round === 0 ? warmUpRequests : 960;
      const gets = await spending(process, () => sendMany(request, amount, connections));
      const sent = await spending(process, () => upload(large, largeBytes, credentials));
      const received = await spending(process, () => download(large, largeBytes, credentials));
      const figures = round === 0 ? undefined : all[index];
      figures?.perSecond.push(gets.result.perSecond);
      figures?.p99Ms.push(percentile(gets.result.times, 0.99));
      figures?.smallCpuMs.push(gets.cpuMs / amount);
      figures?.uploadMs.push(sent.ms);
      figures?.uploadCpuMs.push(sent.cpuMs);
      figures?.downloadMs.push(received.ms);
    }
  }
  const mebibytesPerSecond = (ms: number) => (largeBytes / 2 ** 20 / ms) * 1000;
  const columns = [
    ['GET of 64 KiB', 'perSecond', '/s', 0, undefined, undefined],
    [`p99 at ${connections} connections`, 'p99Ms', 'ms', 0, '<', 1.5],
    ['CPU of a GET', 'smallCpuMs', 'ms', 2, '<', 1.8],
    ['upload of 256 MiB', 'uploadMs', 'MiB/s', 0, '>', 0.9],
    ['CPU of the upload', 'uploadCpuMs', 'ms', 0, '<', 1.5],
    ['download of 256 MiB', 'downloadMs', 'MiB/s', 0, '>', 1],
  ] as const;
  const rows = all.map((figures, index) => [
    routes[index]?.name ?? '',
    ...columns.map(([, figure, unit, digits, sign, bound]) => {
      const [value = 0, bare = 0] = [figures, all[0]].map((of) => {
        const middle = median(of?.[figure] ?? []);
        return unit === 'MiB/s' ? mebibytesPerSecond(middle) : middle;
      });
      const met =
        sign === undefined || routes[index]?.name !== 'local edge' ? '' : `, ${goal(value / bare, sign, bound)}`;
      return `${value.toFixed(digits)} ${unit} (${(value / bare).toFixed(2)}${met})`;
    }),
  ]);
  const title = `Medians of ${rounds} turns, and in brackets the ratio to the bare pass-through`;
  printTable(title, ['', ...columns.map(([name]) => name)], rows);
}

/** Prints the cost of an exchange, and the durations of 1,000 concurrent exchanges. */
async function printExchanges(service: Child<LoadedService>): Promise<void> {
  const { dataUrl, key, ciToken } = service.started;
  const rows: string[][] = [];
  for (const [name, token] of [
    ['by key', key],
    ['by CI token', ciToken],
  ] as const) {
    const request = exchangeRequest(dataUrl, roleArn(), token);
    await sendMany(request, 320, connections);
    const spent = await spending(service, () => sendMany(request, 960, connections));
    const { times } = await sendMany(request, 1000, 1000);
    const cost = [`${(spent.cpuMs / 960).toFixed(2)} ms`, spent.result.perSecond.toFixed(0)];
    rows.push([name, ...cost, ...distribution(times), goal(1000 - times.length, '=', 0, ' failed')]);
  }
  const title = 'Exchanges, and milliseconds to the answers of 1,000 at the same moment over as many connections';
  printTable(title, ['', 'CPU', 'a second', ...distributionColumns, 'goal'], rows);
}

/**
 * Prints the cost of a cache hit at the local edge. For comparison, also prints the cost of a server that only returns
 * the same response.
 */
async function printCacheHits(service: Child<unknown>, bare: Child<Bare>, open: URL): Promise<void> {
  const sides: readonly [Child<unknown>, RepeatedRequest][] = [
    [bare, { url: bare.started.url + open.pathname }],
    [service, { url: open.href }],
  ];
  const cpuMs: number[] = [];
  for (const [process, request] of sides) {
    // The service polls the stream of its table all the time. Measure the CPU time of an idle service, and subtract it
    // from that of a service that answers cache hits.
    const idle = await spending(process, () => wait(3000));
    const samples: number[] = [];
    for (let round = 0; round <= 9; round += 1) {
      const spent = await spending(process, () => sendMany(request, warmUpRequests, connections));
      if (round > 0) samples.push((spent.cpuMs - (idle.cpuMs / idle.ms) * spent.ms) / warmUpRequests);
    }
    cpuMs.push(median(samples));
  }
  const [bareMs = Number.NaN, hitMs = Number.NaN] = cpuMs;
  console.log(
    `\n  A cache hit of 64 KiB takes ${hitMs.toFixed(3)} ms of CPU time, a bare Node server ${bareMs.toFixed(3)} ms: ratio ${(hitMs / bareMs).toFixed(2)}, ${goal(hitMs / bareMs, '<', 1.3)}.`,
  );
}

/** Measures the duration of some work, and the CPU time of one process during the work. */
async function spending<T>(process: Child<unknown>, work: () => Promise<T>) {
  const before = await process.usage();
  const startedAt = performance.now();
  const result = await work();
  const ms = performance.now() - startedAt;
  return { result, ms, cpuMs: ((await process.usage()).cpuMicroseconds - before.cpuMicroseconds) / 1000 };
}
