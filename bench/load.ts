import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { seedNames } from '../lib/local/seed.ts';
import { LoadConnection, type PreparedRequest, prepareRequest, requestRate, type Timing } from './load-connection.ts';
import type { LoadedService, ServiceUsage } from './load-service.ts';
import { goal, median, printTable } from './report.ts';
import { exchange, exchangeForm, signedHeaders } from './signed-request.ts';

const roleArn = `arn:aws:iam::${seedNames.service_account_id}:role/FullAccess`;
const small = { name: 'small', bytes: 64 * 1024 };
const large = { name: 'large', bytes: 256 * 1024 * 1024 };
const firstByteRatioMax = 1.3;
const throughputRatioMin = 0.85;

/** The same GET through the local edge and straight from the storage behind it, and the exchange. */
export async function benchLoad(): Promise<void> {
  const child = fork(fileURLToPath(new URL('./load-service.ts', import.meta.url)), {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exit = once(child, 'exit');
  try {
    const failed = exit.then(() => Promise.reject(new Error('the service under load did not start')));
    const hear = async () => (await Promise.race([once(child, 'message'), failed]))[0];
    const service: LoadedService = await hear();
    await measure(service, async () => {
      child.send('usage');
      return hear();
    });
  } finally {
    if (child.connected) child.disconnect();
    await exit;
  }
}

async function measure(service: LoadedService, usage: () => Promise<ServiceUsage>): Promise<void> {
  for (const { name, bytes } of [small, large]) await store(service, name, bytes);
  const ways = async (name: string) => ({
    edge: await throughEdge(service, name),
    storage: await straight(service, name),
  });
  const smallWays = await ways(small.name);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const exchanging = prepareRequest(
    'POST',
    new URL('/.sts', service.dataUrl),
    form,
    exchangeForm(roleArn, service.key),
  );

  const rates: string[][] = [];
  for (const connections of [16, 64]) {
    const exchanged = await requestRate(exchanging, connections);
    const storage = await requestRate(smallWays.storage, connections);
    const edge = await requestRate(smallWays.edge, connections);
    rates.push(['exchange by key', String(connections), exchanged.toFixed(0), '', '']);
    rates.push(['GetObject 64 KiB', String(connections), edge.toFixed(0), storage.toFixed(0), ratio(edge, storage)]);
  }
  printTable('Requests a second', ['', 'connections', 'edge', 'storage', 'edge/storage'], rates);

  const largeWays = await ways(large.name);
  const costs: string[][] = [];
  for (const [name, request, requests] of [
    ['64 KiB straight from the storage', smallWays.storage, 4000],
    ['64 KiB through the edge', smallWays.edge, 4000],
    ['256 MiB straight from the storage', largeWays.storage, 4],
    ['256 MiB through the edge', largeWays.edge, 4],
  ] as const) {
    const spent = await cpuTimes(request, requests, usage);
    costs.push([name, ...spent.map((microseconds) => `${(microseconds / 1000).toFixed(2)} ms`)]);
  }
  printTable('CPU time of one GetObject', ['', 'edge', 'storage', 'client'], costs);

  const first = await alternate(smallWays, { warmUp: 100, counted: 400 });
  const whole = await alternate(largeWays, { warmUp: 1, counted: 3 });
  const firstByteMs = ({ edge, storage }: typeof first) =>
    [edge, storage].map((timings) => median(timings.map((timing) => timing.firstByteMs))) as [number, number];
  const mebibytes = ({ totalMs }: Timing) => large.bytes / 2 ** 20 / (totalMs / 1000);
  const [edgeMs, storageMs] = firstByteMs(first);
  const [edgeSpeed, storageSpeed] = [whole.edge, whole.storage].map((timings) => median(timings.map(mebibytes))) as [
    number,
    number,
  ];
  const [quicker, faster] = [edgeMs / storageMs, edgeSpeed / storageSpeed];
  printTable(
    'One connection, medians',
    ['', 'edge', 'storage', 'edge/storage', 'goal'],
    [
      [
        'first byte of GetObject 64 KiB',
        `${edgeMs.toFixed(2)} ms`,
        `${storageMs.toFixed(2)} ms`,
        quicker.toFixed(2),
        goal(quicker, '<', firstByteRatioMax),
      ],
      [
        'throughput of GetObject 256 MiB',
        `${edgeSpeed.toFixed(0)} MiB/s`,
        `${storageSpeed.toFixed(0)} MiB/s`,
        faster.toFixed(2),
        goal(faster, '>', throughputRatioMin),
      ],
    ],
  );
  const addedMs = edgeMs - storageMs;
  const enoughMs = (addedMs / (firstByteRatioMax - 1)).toFixed(1);
  console.log(
    `\n  The edge adds ${addedMs.toFixed(2)} ms: under ${firstByteRatioMax} times for any storage that takes ${enoughMs} ms itself.`,
  );
}

/** Of the edge, the storage with all that works for it, and this process, in microseconds. */
async function cpuTimes(
  request: PreparedRequest,
  requests: number,
  usage: () => Promise<ServiceUsage>,
): Promise<number[]> {
  const open = await Promise.all(Array.from({ length: 4 }, () => LoadConnection.open(request)));
  const send = async (count: number) => {
    await Promise.all(
      open.map(async (connection) => {
        for (let sent = 0; sent < count / open.length; sent += 1) await connection.send(request);
      }),
    );
  };
  await send(requests / 4);
  const before = await usage();
  const mineBefore = process.threadCpuUsage();
  await send(requests);
  const { user, system } = process.threadCpuUsage(mineBefore);
  const after = await usage();
  for (const connection of open) connection.close();
  const edge = after.edgeMicroseconds - before.edgeMicroseconds;
  const all = after.allMicroseconds - before.allMicroseconds;
  return [edge, all - edge, user + system].map((microseconds) => microseconds / requests);
}

/** Turn and turn about, so that whatever else the machine does falls on both alike. */
async function alternate(
  ways: { edge: PreparedRequest; storage: PreparedRequest },
  { warmUp, counted }: { warmUp: number; counted: number },
): Promise<{ edge: Timing[]; storage: Timing[] }> {
  const edge = await LoadConnection.open(ways.edge);
  const storage = await LoadConnection.open(ways.storage);
  const timings: { edge: Timing[]; storage: Timing[] } = { edge: [], storage: [] };
  for (let round = -warmUp; round < counted; round += 1) {
    const pair = { edge: await edge.send(ways.edge), storage: await storage.send(ways.storage) };
    if (round < 0) continue;
    timings.edge.push(pair.edge);
    timings.storage.push(pair.storage);
  }
  edge.close();
  storage.close();
  return timings;
}

async function throughEdge({ dataUrl, key }: LoadedService, name: string): Promise<PreparedRequest> {
  const url = new URL(`/${seedNames.organization_id}/${seedNames.private_repository_id}/${name}`, dataUrl);
  return prepareRequest('GET', url, signedHeaders('GET', url, await exchange(dataUrl, roleArn, key)));
}

async function straight({ storage }: LoadedService, name: string): Promise<PreparedRequest> {
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

function ratio(edge = Number.NaN, storage = Number.NaN): string {
  return (edge / storage).toFixed(2);
}
