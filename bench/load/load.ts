import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { LocalStorage } from '../../lib/local/embedded-storage.ts';
import { seedNames } from '../../lib/local/seed.ts';
import type { SigningCredentials } from '../../lib/sigv4/sign.ts';
import { type Child, startChild } from '../child-process.ts';
import { goal, median, printTable } from '../report.ts';
import { exchange, exchangeForm, signedHeaders } from '../signed-request.ts';
import { LoadConnection, type PreparedRequest, prepareRequest, requestRate } from './load-connection.ts';
import type { PassThrough } from './load-pass-through.ts';
import type { LoadedService } from './load-service.ts';

const roleArn = `arn:aws:iam::${seedNames.service_account_id}:role/FullAccess`;
const small = { name: 'small', bytes: 64 * 1024 };
const large = { name: 'large', bytes: 256 * 1024 * 1024 };
const firstByteRatioMax = 1.3;
const throughputRatioMin = 0.85;

/** One route to the same object, with the processes on it. */
interface Way {
  name: string;
  origin: string;
  /** The path before the object's name. */
  bucket: string;
  prefix: string;
  credentials: SigningCredentials;
  between: Child<unknown> | undefined;
  storage: Child<unknown> | undefined;
}

interface Ways {
  /** The edge as `npm start` runs it. The embedded storage is in the same process. */
  edge: Way;
  edgeBefore: Way;
  passThrough: Way;
  storage: Way;
}

/**
 * Measures the same GET through the local edge and directly from a storage, each in its own process, and the exchange.
 */
export async function benchLoad(): Promise<void> {
  await using children = new AsyncDisposableStack();
  const start = async <Started>(file: string, argument?: unknown) => {
    const child = await startChild<Started>(new URL(file, import.meta.url), argument);
    children.defer(() => child.stop());
    return child;
  };
  const storage = await start<LocalStorage>('./load-storage.ts');
  const passThrough = await start<PassThrough>('./load-pass-through.ts', storage.started.endpoint);
  const service = await start<LoadedService>('./load-service.ts');
  const before = await start<LoadedService>('./load-service.ts', storage.started);
  const straight = straightTo(storage.started);
  const ways: Ways = {
    edge: {
      name: 'edge with its storage',
      ...(await throughEdge(service.started)),
      between: service,
      storage: undefined,
    },
    edgeBefore: { name: 'edge before another', ...(await throughEdge(before.started)), between: before, storage },
    passThrough: {
      ...straight,
      name: 'bare pass-through',
      origin: passThrough.started.url,
      between: passThrough,
      storage,
    },
    storage: { name: 'storage alone', ...straight, between: undefined, storage },
  };
  for (const { name, bytes } of [small, large]) {
    for (const started of [storage.started, service.started.storage]) await store(started, name, bytes);
  }
  await printRates(ways, service.started);
  await printCosts(ways);
  await printTimes(ways);
}

async function printRates(ways: Ways, { dataUrl, key }: LoadedService): Promise<void> {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const exchanging = prepareRequest('POST', new URL('/.sts', dataUrl), form, exchangeForm(roleArn, key));
  const rows: string[][] = [];
  for (const connections of [16, 64]) {
    const exchanged = await requestRate(exchanging, connections);
    rows.push(['exchange by key', String(connections), exchanged.toFixed(0)]);
    const rates: number[] = [];
    for (const way of Object.values(ways)) rates.push(await requestRate(prepareGet(way, small.name), connections));
    const [edge = 0, , , alone = 0] = rates;
    const cells = rates.map((rate) => rate.toFixed(0));
    rows.push(['GetObject 64 KiB', String(connections), ...cells, (edge / alone).toFixed(2)]);
  }
  printTable('Requests a second', ['', 'connections', ...namesOf(ways), 'edge/alone'], rows);
}

async function printCosts(ways: Ways): Promise<void> {
  const rows: string[][] = [];
  for (const [size, name, requests] of [
    ['64 KiB', small.name, 4000],
    ['256 MiB', large.name, 4],
  ] as const) {
    for (const way of Object.values(ways)) {
      const processes = [way.between, way.storage];
      const spent = await cpuTimes(prepareGet(way, name), requests, processes);
      const cells = spent.map((microseconds, index) =>
        index < processes.length && processes[index] === undefined ? '' : `${(microseconds / 1000).toFixed(2)} ms`,
      );
      rows.push([`${size} ${way.name}`, ...cells]);
    }
  }
  printTable('CPU time of one GetObject', ['', 'in between', 'storage', 'client'], rows);
}

async function printTimes(ways: Ways): Promise<void> {
  const all = Object.values(ways);
  const sdk = await inTurns(all.map(sdkFirstByte), { turns: 10, samples: 200 });
  const bare = await inTurns(all.map(bareFirstByte), { turns: 10, samples: 200 });
  const whole = await inTurns(all.map(throughput), { turns: 9, samples: 1 });
  const row = (name: string, medians: number[], unit: string, digits: number, meets: (ratio: number) => string) => {
    const [edge = 0, , , alone = 0] = medians;
    const cells = medians.map((measured) => `${measured.toFixed(digits)} ${unit}`);
    return [name, ...cells, (edge / alone).toFixed(2), meets(edge / alone)];
  };
  const quick = (ratio: number) => goal(ratio, '<', firstByteRatioMax);
  const fast = (ratio: number) => goal(ratio, '>', throughputRatioMin);
  printTable(
    'One client that asks for one object after the other, medians',
    ['', ...namesOf(ways), 'edge/alone', 'goal'],
    [
      row('first byte of 64 KiB, AWS SDK for JavaScript', sdk, 'ms', 2, quick),
      row('first byte of 64 KiB, bytes written to a socket', bare, 'ms', 2, quick),
      row('throughput of 256 MiB', whole, 'MiB/s', 0, fast),
    ],
  );
  const [edge = 0, , passed = 0, alone = 0] = bare;
  console.log(`
  An S3 client takes most of its time itself. Of what is left, the edge adds ${(edge - alone).toFixed(2)} ms to what the storage takes; a
  second process that does nothing but pass it on adds ${(passed - alone).toFixed(2)} ms.`);
}

function namesOf(ways: Ways): string[] {
  return Object.values(ways).map(({ name }) => name);
}

/** Returns the CPU time of each process (0 if there is none) and of this one, in microseconds. */
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

/** A measurement that is repeated. */
interface Measured {
  sample(): Promise<number>;
  close(): void;
}

function sdkFirstByte({ origin, bucket, prefix, credentials }: Way): Measured {
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: sessionToken } = credentials;
  const client = new S3Client({
    endpoint: origin,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
  });
  return {
    async sample() {
      const startedAt = performance.now();
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: `${prefix}${small.name}` }));
      let firstByteMs = 0;
      for await (const _ of Body as AsyncIterable<Uint8Array>) firstByteMs ||= performance.now() - startedAt;
      return firstByteMs;
    },
    close: () => client.destroy(),
  };
}

function bareFirstByte(way: Way): Measured {
  return onOneConnection(prepareGet(way, small.name), async (connection, request) => {
    const { firstByteMs } = await connection.send(request);
    return firstByteMs;
  });
}

/** Measures MiB per second. */
function throughput(way: Way): Measured {
  return onOneConnection(prepareGet(way, large.name), async (connection, request) => {
    const { totalMs } = await connection.send(request);
    return large.bytes / 2 ** 20 / (totalMs / 1000);
  });
}

function onOneConnection(
  request: PreparedRequest,
  measure: (connection: LoadConnection, request: PreparedRequest) => Promise<number>,
): Measured {
  let connection: LoadConnection | undefined;
  return {
    async sample() {
      connection ??= await LoadConnection.open(request);
      return measure(connection, request);
    },
    close: () => connection?.close(),
  };
}

/**
 * Returns medians. The routes take turns, so that other load on the machine affects all of them equally. Within a turn,
 * requests go to the same process. With a change of process at each request, every process would first have to wake up.
 */
async function inTurns(
  measured: readonly Measured[],
  { turns, samples: each }: { turns: number; samples: number },
): Promise<number[]> {
  const samples = measured.map((): number[] => []);
  // The first turn warms up.
  for (let turn = 0; turn <= turns; turn += 1) {
    for (const [index, { sample }] of measured.entries()) {
      for (let count = 0; count < each; count += 1) {
        const taken = await sample();
        if (turn > 0) samples[index]?.push(taken);
      }
    }
  }
  for (const { close } of measured) close();
  return samples.map(median);
}

function prepareGet({ origin, bucket, prefix, credentials }: Way, name: string): PreparedRequest {
  const url = new URL(`/${bucket}/${prefix}${name}`, origin);
  return prepareRequest('GET', url, signedHeaders('GET', url, credentials));
}

type Target = Pick<Way, 'origin' | 'bucket' | 'prefix' | 'credentials'>;

async function throughEdge({ dataUrl, key }: LoadedService): Promise<Target> {
  const credentials = await exchange(dataUrl, roleArn, key);
  const { organization_id: bucket, private_repository_id } = seedNames;
  return { origin: dataUrl, bucket, prefix: `${private_repository_id}/`, credentials };
}

function straightTo({ endpoint, bucket, ...credentials }: LocalStorage): Target {
  const prefix = `${seedNames.organization_id}/${seedNames.private_repository_id}/`;
  return { origin: endpoint, bucket, prefix, credentials };
}

async function store(storage: LocalStorage, name: string, bytes: number): Promise<void> {
  const { origin, bucket, prefix, credentials } = straightTo(storage);
  const url = new URL(`/${bucket}/${prefix}${name}`, origin);
  const headers = signedHeaders('PUT', url, credentials);
  const answer = await fetch(url, { method: 'PUT', headers, body: new Uint8Array(bytes) });
  if (!answer.ok) throw new Error(`the storage answered an upload with ${answer.status}`);
}
