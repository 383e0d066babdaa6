import { request as sendRequest } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { LocalStorage } from '../../lib/local/embedded-storage.ts';
import { seedNames } from '../../lib/local/seed.ts';
import type { SigningCredentials } from '../../lib/sigv4/sign.ts';
import { type Child, startChild } from '../child-process.ts';
import { LoadConnection, type PreparedRequest, prepareRequest } from '../load/load-connection.ts';
import type { MemoryAnswer, MemoryServer } from '../load/load-memory.ts';
import type { PassThrough } from '../load/load-pass-through.ts';
import type { LoadedService } from '../load/load-service.ts';
import { goal, median, printTable } from '../report.ts';
import { exchange, exchangeForm, signedHeaders } from '../signed-request.ts';
import { startInstalledStorages, startNginx } from './programs.ts';

const roleArn = `arn:aws:iam::${seedNames.service_account_id}:role/FullAccess`;
const small = { name: 'small', bytes: 64 * 1024 };
const large = { name: 'large', bytes: 256 * 1024 * 1024 };
const rounds = 3;
const connections = 64;
const hits = 6400;
const hitRounds = 9;
const idleMs = 3000;
/** By then V8 has compiled the code of a proxy in Node. Before that, the compiler takes most of the CPU time. */
const warmUpGets = 6400;

interface Peer {
  name: string;
  origin: string;
  /** The path before the object's name. */
  place: string;
  credentials: SigningCredentials;
  usage(): Promise<{ cpuMicroseconds: number }>;
}

interface Figures {
  smallCpuMs: number[];
  p99Ms: number[];
  uploadMs: number[];
  uploadCpuMs: number[];
  downloadMs: number[];
}

/**
 * Measures the same requests to one storage: through the local edge, through a bare pass-through in Node, through nginx
 * if installed, and directly. The routes take turns, and the CPU time of the proxy counts, because other load on the
 * machine does not change it.
 */
export async function benchPeers(): Promise<void> {
  await using started = new AsyncDisposableStack();
  const start = async <Started>(file: string, argument?: unknown) => {
    const child = await startChild<Started>(new URL(`../load/${file}`, import.meta.url), argument);
    started.defer(() => child.stop());
    return child;
  };
  const [installed, ...others] = await startInstalledStorages(started);
  const own = installed === undefined ? await start<LocalStorage>('load-storage.ts') : undefined;
  const storage = installed?.storage ?? own?.started;
  if (storage === undefined) throw new Error('there is always a storage');
  const storageName = installed?.name ?? 'the store of one machine, in a process of its own';
  const bare = await start<PassThrough>('load-pass-through.ts', storage.endpoint);
  const service = await start<LoadedService>('load-service.ts', storage);
  const nginx = await startNginx(storage.endpoint, started);

  const straight = straightTo(storage);
  const { organization_id, private_repository_id } = seedNames;
  const edge: Peer = {
    name: 'our edge',
    origin: service.started.dataUrl,
    place: `${organization_id}/${private_repository_id}/`,
    credentials: await exchange(service.started.dataUrl, roleArn, service.started.key),
    usage: () => service.usage(),
  };
  const usage = () => (own ?? installed ?? bare).usage();
  const peers: Peer[] = [
    { ...straight, name: 'bare pass-through', origin: bare.started.url, usage: () => bare.usage() },
    edge,
    ...(nginx === undefined ? [] : [{ ...straight, name: 'nginx', origin: nginx.url, usage: nginx.usage }]),
    { ...straight, name: 'the storage alone', origin: storage.endpoint, usage },
    ...others.map((other) => ({ ...straightTo(other.storage), name: `${other.name} alone`, usage: other.usage })),
  ];
  const missing = ['versitygw', 'minio', 'nginx'].filter(
    (name) => name !== installed?.name && name !== nginx?.name && !others.some((other) => other.name === name),
  );
  console.log(`\n  Before ${storageName}. ${missing.length > 0 ? `Not installed here: ${missing.join(', ')}.` : ''}`);
  for (const peer of peers) await upload(peer, small.name, small.bytes);
  printFigures(peers, await measureInTurns(peers));
  await printHits(edge, (answer) => start<MemoryServer>('load-memory.ts', answer));
  await printExchange(service.started, () => service.usage());
}

/** Prints the cost of a cache hit at the local edge, next to a server that only returns the same response. */
async function printHits(edge: Peer, startBare: (answer: MemoryAnswer) => Promise<Child<MemoryServer>>): Promise<void> {
  const { organization_id, open_repository_id } = seedNames;
  const open = { ...edge, place: `${organization_id}/${open_repository_id}/` };
  await upload(open, small.name, small.bytes);
  const headers = new Headers((await fetch(urlOf(open, small.name), { method: 'HEAD' })).headers);
  for (const ofTheConnection of ['connection', 'keep-alive']) headers.delete(ofTheConnection);
  const bare = await startBare({ headers: Object.fromEntries(headers), bodyBytes: small.bytes });
  const sides = [
    { usage: () => bare.usage(), request: prepareRequest('GET', new URL(bare.started.url), {}) },
    { usage: edge.usage, request: prepareRequest('GET', urlOf(open, small.name), {}) },
  ];
  // The service polls its table's stream all the time. This idle CPU time is measured first.
  const idle: number[] = [];
  for (const { usage } of sides) {
    const { cpuMs, ms } = await spending({ usage }, () => wait(idleMs));
    idle.push(cpuMs / ms);
  }
  const cpuMs: number[][] = sides.map(() => []);
  for (let round = 0; round <= hitRounds; round += 1) {
    for (const [index, { usage, request }] of sides.entries()) {
      const spent = await spending({ usage }, () => getMany(request, hits));
      if (round > 0) cpuMs[index]?.push((spent.cpuMs - (idle[index] ?? 0) * spent.ms) / hits);
    }
  }
  const [bareMs = Number.NaN, hitMs = Number.NaN] = cpuMs.map(median);
  const ratio = hitMs / bareMs;
  console.log(
    `\n  A hit of the local cache, 64 KiB, takes ${hitMs.toFixed(3)} ms of CPU time; a bare Node server that gives the same ${bareMs.toFixed(3)} ms: ${ratio.toFixed(2)}, ${goal(ratio, '<', 1.3)}.`,
  );
}

async function measureInTurns(peers: readonly Peer[]): Promise<Figures[]> {
  const all = peers.map((): Figures => ({ smallCpuMs: [], p99Ms: [], uploadMs: [], uploadCpuMs: [], downloadMs: [] }));
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, peer] of peers.entries()) {
      const figures = round === 0 ? undefined : all[index];
      const gets = await spending(peer, () => getMany(prepareGet(peer, small.name), round === 0 ? warmUpGets : 960));
      figures?.smallCpuMs.push(gets.cpuMs / gets.result.length);
      figures?.p99Ms.push(gets.result.toSorted((a, b) => a - b)[Math.floor(gets.result.length * 0.99)] ?? 0);
      const sent = await spending(peer, () => upload(peer, large.name, large.bytes));
      figures?.uploadMs.push(sent.ms);
      figures?.uploadCpuMs.push(sent.cpuMs);
      figures?.downloadMs.push((await spending(peer, () => getOne(prepareGet(peer, large.name)))).ms);
    }
  }
  return all;
}

function printFigures(peers: readonly Peer[], all: readonly Figures[]): void {
  const [bare] = all;
  if (bare === undefined) return;
  const ratio = (figures: Figures, of: (figures: Figures) => number[]) => median(of(figures)) / median(of(bare));
  const rows = all.map((figures, index) => {
    const isOurs = peers[index]?.name === 'our edge';
    const meets = (measured: number, sign: '<' | '>', bound: number) => (isOurs ? goal(measured, sign, bound) : '');
    const ratios = {
      cpu: ratio(figures, ({ smallCpuMs }) => smallCpuMs),
      p99: ratio(figures, ({ p99Ms }) => p99Ms),
      upload: 1 / ratio(figures, ({ uploadMs }) => uploadMs),
      uploadCpu: ratio(figures, ({ uploadCpuMs }) => uploadCpuMs),
      download: 1 / ratio(figures, ({ downloadMs }) => downloadMs),
    };
    const cell = (value: number, digits: number, unit: string, over: number, met: string) =>
      `${value.toFixed(digits)} ${unit} (${over.toFixed(2)}${met === '' ? '' : `, ${met}`})`;
    const mebibytes = large.bytes / 2 ** 20;
    return [
      peers[index]?.name ?? '',
      cell(median(figures.smallCpuMs), 2, 'ms', ratios.cpu, meets(ratios.cpu, '<', 1.8)),
      cell(median(figures.p99Ms), 0, 'ms', ratios.p99, meets(ratios.p99, '<', 1.5)),
      cell((mebibytes / median(figures.uploadMs)) * 1000, 0, 'MiB/s', ratios.upload, meets(ratios.upload, '>', 0.9)),
      cell(median(figures.uploadCpuMs), 0, 'ms', ratios.uploadCpu, meets(ratios.uploadCpu, '<', 1.5)),
      cell(
        (mebibytes / median(figures.downloadMs)) * 1000,
        0,
        'MiB/s',
        ratios.download,
        meets(ratios.download, '>', 1),
      ),
    ];
  });
  printTable(
    `Medians of ${rounds} turns, and in brackets the ratio to the bare pass-through`,
    [
      '',
      'CPU of a GET of 64 KiB',
      `p99 at ${connections} connections`,
      'upload of 256 MiB',
      'its CPU',
      'download of 256 MiB',
    ],
    rows,
  );
}

async function printExchange({ dataUrl, key }: LoadedService, usage: Peer['usage']): Promise<void> {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const request = prepareRequest('POST', new URL('/.sts', dataUrl), form, exchangeForm(roleArn, key));
  await getMany(request, 300);
  const cpuMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const spent = await spending({ usage }, () => getMany(request, 300));
    cpuMs.push(spent.cpuMs / spent.result.length);
  }
  console.log(`\n  An exchange by key takes ${median(cpuMs).toFixed(2)} ms of CPU time, the database's apart.`);
}

async function spending<T>(
  { usage }: Pick<Peer, 'usage'>,
  work: () => Promise<T>,
): Promise<{ result: T; ms: number; cpuMs: number }> {
  const before = await usage();
  const startedAt = performance.now();
  const result = await work();
  const ms = performance.now() - startedAt;
  return { result, ms, cpuMs: ((await usage()).cpuMicroseconds - before.cpuMicroseconds) / 1000 };
}

/** Returns the duration of each request. */
async function getMany(request: PreparedRequest, count: number): Promise<number[]> {
  const open = await Promise.all(Array.from({ length: connections }, () => LoadConnection.open(request)));
  const times = await Promise.all(
    open.map(async (connection) => {
      const own: number[] = [];
      while (own.length < count / connections) own.push((await connection.send(request)).totalMs);
      connection.close();
      return own;
    }),
  );
  return times.flat();
}

async function getOne(request: PreparedRequest): Promise<void> {
  const connection = await LoadConnection.open(request);
  await connection.send(request);
  connection.close();
}

const piece = Buffer.alloc(1024 * 1024, 'tide');

function upload(peer: Peer, name: string, bytes: number): Promise<void> {
  const url = urlOf(peer, name);
  const headers = { ...signedHeaders('PUT', url, peer.credentials), 'content-length': bytes };
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const sent = sendRequest(url, { method: 'PUT', headers, agent: false }, (answer) => {
    answer.resume().once('end', () => {
      if (answer.statusCode === 200) resolve();
      else reject(new Error(`an upload to ${peer.name} was answered with ${answer.statusCode}`));
    });
  });
  sent.once('error', reject);
  let left = bytes;
  const send = () => {
    while (left > 0) {
      const next = piece.subarray(0, left);
      left -= next.length;
      if (!sent.write(next)) return void sent.once('drain', send);
    }
    sent.end();
  };
  send();
  return promise;
}

function prepareGet(peer: Peer, name: string): PreparedRequest {
  const url = urlOf(peer, name);
  return prepareRequest('GET', url, signedHeaders('GET', url, peer.credentials));
}

function urlOf({ origin, place }: Peer, name: string): URL {
  return new URL(`/${place}${name}`, origin);
}

function straightTo({ endpoint, bucket, ...credentials }: LocalStorage) {
  const prefix = `${seedNames.organization_id}/${seedNames.private_repository_id}/`;
  return { origin: endpoint, place: `${bucket}/${prefix}`, credentials };
}
