import type { LocalStorage } from '../lib/local/embedded-storage.ts';
import { seedNames } from '../lib/local/seed.ts';
import { type Child, startChild } from './child-process.ts';
import { LoadConnection, type PreparedRequest, prepareRequest, requestRate, type Timing } from './load-connection.ts';
import type { PassThrough } from './load-pass-through.ts';
import type { LoadedService } from './load-service.ts';
import { goal, median, printTable } from './report.ts';
import { exchange, exchangeForm, signedHeaders } from './signed-request.ts';

const roleArn = `arn:aws:iam::${seedNames.service_account_id}:role/FullAccess`;
const small = { name: 'small', bytes: 64 * 1024 };
const large = { name: 'large', bytes: 256 * 1024 * 1024 };
const firstByteRatioMax = 1.3;
const throughputRatioMin = 0.85;
/** Columns beside that of the edge. */
const others = ['bare pass-through', 'storage', 'edge/storage', 'edge/bare'];

interface Loaded {
  service: Child<LoadedService>;
  storage: Child<LocalStorage>;
  passThrough: Child<PassThrough>;
}

/** One request in each of the ways in which it is measured. */
interface Ways {
  storage: PreparedRequest;
  passThrough: PreparedRequest;
  edge: PreparedRequest;
}

/** The same GET through the local edge and straight from the storage behind it, each in a process of its own, and the exchange. */
export async function benchLoad(): Promise<void> {
  await using children = new AsyncDisposableStack();
  const start = async <Started>(file: string, argument?: unknown) => {
    const child = await startChild<Started>(new URL(file, import.meta.url), argument);
    children.defer(() => child.stop());
    return child;
  };
  const storage = await start<LocalStorage>('./load-storage.ts');
  const passThrough = await start<PassThrough>('./load-pass-through.ts', storage.started.endpoint);
  const service = await start<LoadedService>('./load-service.ts', storage.started);
  await measure({ service, storage, passThrough });
}

async function measure(loaded: Loaded): Promise<void> {
  const service = loaded.service.started;
  for (const { name, bytes } of [small, large]) await store(service, name, bytes);
  const ways = async (name: string): Promise<Ways> => {
    const storage = straight(service, name);
    const passThrough = { ...storage, url: new URL(loaded.passThrough.started.url) };
    return { storage, passThrough, edge: await throughEdge(service, name) };
  };
  const smallWays = await ways(small.name);
  await printRates(service, smallWays);
  const largeWays = await ways(large.name);
  await printCosts(loaded, smallWays, largeWays);
  await printTimes(smallWays, largeWays);
}

async function printRates(service: LoadedService, { edge, passThrough, storage }: Ways): Promise<void> {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const url = new URL('/.sts', service.dataUrl);
  const exchanging = prepareRequest('POST', url, form, exchangeForm(roleArn, service.key));
  const rows: string[][] = [];
  for (const connections of [16, 64]) {
    const exchanged = await requestRate(exchanging, connections);
    const straight = await requestRate(storage, connections);
    const passed = await requestRate(passThrough, connections);
    const served = await requestRate(edge, connections);
    const ratios = [ratio(served, straight), ratio(served, passed)];
    const row = ['GetObject 64 KiB', connections, served.toFixed(0), passed.toFixed(0), straight.toFixed(0), ...ratios];
    rows.push(['exchange by key', String(connections), exchanged.toFixed(0), '', '', '', '']);
    rows.push(row.map(String));
  }
  printTable('Requests a second', ['', 'connections', 'edge', ...others], rows);
}

async function printCosts(loaded: Loaded, smallWays: Ways, largeWays: Ways): Promise<void> {
  const rows: string[][] = [];
  for (const [size, { edge, passThrough, storage }, requests] of [
    ['64 KiB', smallWays, 4000],
    ['256 MiB', largeWays, 4],
  ] as const) {
    for (const [name, request, proxy] of [
      ['straight from the storage', storage, undefined],
      ['a bare pass-through', passThrough, loaded.passThrough],
      ['through the edge', edge, loaded.service],
    ] as const) {
      const spent = await cpuTimes(request, requests, [proxy, loaded.storage]);
      const cells = spent.map((microseconds) => `${(microseconds / 1000).toFixed(2)} ms`);
      rows.push([`${size} ${name}`, ...(proxy === undefined ? ['', ...cells.slice(1)] : cells)]);
    }
  }
  printTable('CPU time of one GetObject', ['', 'in between', 'storage', 'client'], rows);
}

async function printTimes(smallWays: Ways, largeWays: Ways): Promise<void> {
  const first = await inTurns(smallWays, { warmUp: 200, counted: 1000 }, ({ firstByteMs }) => firstByteMs);
  const whole = await inTurns(
    largeWays,
    { warmUp: 1, counted: 9 },
    ({ totalMs }) => large.bytes / 2 ** 20 / (totalMs / 1000),
  );
  const [slower, faster] = [first.edge / first.storage, whole.edge / whole.storage];
  const row = (name: string, { edge, passThrough, storage }: Times, unit: string, digits: number) => [
    name,
    ...[edge, passThrough, storage].map((measured) => `${measured.toFixed(digits)} ${unit}`),
    ratio(edge, storage),
    ratio(edge, passThrough),
  ];
  printTable(
    'One connection, medians',
    ['', 'edge', ...others, 'goal'],
    [
      [...row('first byte of GetObject 64 KiB', first, 'ms', 2), goal(slower, '<', firstByteRatioMax)],
      [...row('throughput of GetObject 256 MiB', whole, 'MiB/s', 0), goal(faster, '>', throughputRatioMin)],
    ],
  );
  const added = { edge: first.edge - first.storage, bare: first.passThrough - first.storage };
  const enoughMs = (added.edge / (firstByteRatioMax - 1)).toFixed(1);
  console.log(`
  The edge adds ${added.edge.toFixed(2)} ms to the first byte, of which ${added.bare.toFixed(2)} ms are what a second hop in Node adds that does nothing:
  under ${firstByteRatioMax} times for any storage that takes ${enoughMs} ms itself.`);
}

/** Of each child, 0 for none, and of this process, in microseconds. */
async function cpuTimes(
  request: PreparedRequest,
  requests: number,
  children: readonly (Child<unknown> | undefined)[],
): Promise<number[]> {
  const open = await Promise.all(Array.from({ length: 4 }, () => LoadConnection.open(request)));
  const send = async (count: number) => {
    await Promise.all(
      open.map(async (connection) => {
        for (let sent = 0; sent < count / open.length; sent += 1) await connection.send(request);
      }),
    );
  };
  const spent = async () => {
    const used = await Promise.all(children.map(async (child) => (await child?.usage())?.cpuMicroseconds ?? 0));
    const { user, system } = process.threadCpuUsage();
    return [...used, user + system];
  };
  await send(requests / 2);
  const before = await spent();
  await send(requests);
  const after = await spent();
  for (const connection of open) connection.close();
  return after.map((microseconds, index) => (microseconds - (before[index] ?? 0)) / requests);
}

type Times = Record<keyof Ways, number>;

/** Medians, measured turn and turn about, so that whatever else the machine does falls on all ways alike. */
async function inTurns(
  ways: Ways,
  { warmUp, counted }: { warmUp: number; counted: number },
  read: (timing: Timing) => number,
): Promise<Times> {
  const measure = async (request: PreparedRequest) => {
    const connection = await LoadConnection.open(request);
    const samples: number[] = [];
    return { request, connection, samples };
  };
  const measured = {
    edge: await measure(ways.edge),
    passThrough: await measure(ways.passThrough),
    storage: await measure(ways.storage),
  };
  for (let round = -warmUp; round < counted; round += 1) {
    for (const { request, connection, samples } of Object.values(measured)) {
      const sample = read(await connection.send(request));
      if (round >= 0) samples.push(sample);
    }
  }
  for (const { connection } of Object.values(measured)) connection.close();
  const { edge, passThrough, storage } = measured;
  return { edge: median(edge.samples), passThrough: median(passThrough.samples), storage: median(storage.samples) };
}

async function throughEdge({ dataUrl, key }: LoadedService, name: string): Promise<PreparedRequest> {
  const url = new URL(`/${seedNames.organization_id}/${seedNames.private_repository_id}/${name}`, dataUrl);
  return prepareRequest('GET', url, signedHeaders('GET', url, await exchange(dataUrl, roleArn, key)));
}

function straight({ storage }: LoadedService, name: string): PreparedRequest {
  const url = storageUrl(storage, name);
  return prepareRequest('GET', url, signedHeaders('GET', url, storage));
}

async function store({ storage }: LoadedService, name: string, bytes: number): Promise<void> {
  const url = storageUrl(storage, name);
  const headers = signedHeaders('PUT', url, storage);
  const answer = await fetch(url, { method: 'PUT', headers, body: new Uint8Array(bytes) });
  if (!answer.ok) throw new Error(`the storage answered an upload with ${answer.status}`);
}

function storageUrl({ endpoint, bucket }: LoadedService['storage'], name: string): URL {
  return new URL(`/${bucket}/${seedNames.organization_id}/${seedNames.private_repository_id}/${name}`, endpoint);
}

function ratio(edge: number, other: number): string {
  return (edge / other).toFixed(2);
}
