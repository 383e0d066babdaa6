import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import { startObjectStore } from '../lib/local/s3/server.ts';
import type { RepositoryStorage } from '../lib/s3/repository-storage.ts';
import { type FetchStorage, fetchBytes } from '../lib/s3/storage-fetch.ts';
import { continueFreeze, type FreezeCursor, type FreezeOutcome, firstCursor } from '../lib/s3/versions/freeze.ts';
import { openJobStorage } from '../lib/s3/versions/job-storage.ts';
import { findEntry, findPage } from '../lib/s3/versions/manifest.ts';
import { createManifestCache } from '../lib/s3/versions/manifest-cache.ts';
import { type Child, childArgument, runAsChild, startChild } from './child-process.ts';
import { distribution, distributionColumns, goal, printTable } from './report.ts';

const keyCount = 1_000_000;
const projectedKeys = 10_000_000;
const memoryMebibytesMax = 256;
/**
 * Limits the heap of Node. Without a limit, Node collects garbage so late that the heap grows far beyond what the job
 * that creates a version needs.
 */
const smallHeap = ['--max-old-space-size=96', '--max-semi-space-size=8'];
const credentials = { access_key_id: 'BENCH', secret_access_key: 'bench' };
const bucket = 'versions';
const prefix = 'data/';
const keyOf = (number: number) => `stations/${String(number).padStart(7, '0')}/readings.csv`;
const coldReads = 300;

interface Report {
  seconds: number;
  lists: number;
  writes: number;
  keys: number;
  /** The milliseconds of the first read of a key in a new instance (cold), and of a second read (warm). */
  cold: number[];
  warm: number[];
  /** The number of requests to storage in all cold reads, and in all warm reads. */
  coldRequests: number;
  warmRequests: number;
}

const processes = {
  /** Starts a storage with a million objects. They share one file, so that the start takes less than a minute. */
  async storage(): Promise<{ url: string }> {
    const directory = await mkdtemp(path.join(tmpdir(), 'sluice-versions-'));
    const folder = path.join(directory, bucket);
    await mkdir(path.join(folder, 'blobs'), { recursive: true });
    await writeFile(path.join(folder, 'blobs', 'shared'), '1');
    const index = createWriteStream(path.join(folder, 'index.jsonl'));
    const line = (change: object) => `${JSON.stringify(change)}\n`;
    index.write(line({ versioning: 'Enabled' }));
    for (let number = 0; number < keyCount; number += 1) {
      const order = `${number.toString(36).padStart(10, '0')}bench`;
      const stored = { file: 'shared', size_bytes: 1, etag: 'c4ca4238a0b923820dcc509a6f75849b', last_modified: 0 };
      const version = { key: prefix + keyOf(number), version_id: order, order, ...stored };
      const isFull = !index.write(line({ version: { headers: {}, storage_class: 'STANDARD', tags: [], ...version } }));
      if (isFull) await once(index, 'drain');
    }
    await finished(index.end());
    const store = await startObjectStore({ port: 0, directory, credentials, clock: Date.now, buckets: [bucket] });
    runAsChild({ url: store.url }, async () => {
      await store.close();
      await rm(directory, { recursive: true });
    });
    return { url: store.url };
  },

  /** Creates a version of a repository on the storage (a freeze), and reads keys of the version. */
  async freeze(endpoint: string): Promise<Report> {
    const report = await freezeAndRead(endpoint);
    runAsChild(report, async () => undefined);
    return report;
  },
};

async function freezeAndRead(endpoint: string): Promise<Report> {
  const storage: RepositoryStorage = {
    ...{ account_id: '', repository_id: '', data_connection_id: 'bench', isOfAccount: false, prefix, credentials },
    details: { provider: 's3', bucket, base_prefix: '', region: 'us-east-1', endpoint },
    authorization_read_at: 0,
  };
  const sent: string[] = [];
  const fetchStorage: FetchStorage = (request, ...more) => {
    const name = request.rawPath.split('/').at(-1) ?? '';
    sent.push(`${request.method} ${request.rawQuery.includes('versions') ? 'versions' : name}`);
    return fetchBytes(request, ...more);
  };
  const startedAt = performance.now();
  const outcome = await freezeAll(openJobStorage(storage, 'bench', { clock: Date.now, fetchStorage }));
  const seconds = (performance.now() - startedAt) / 1000;
  const count = (form: RegExp) => sent.filter((request) => form.test(request)).length;
  const frozen = { lists: count(/^GET versions/), writes: count(/^PUT \w+\.json/), keys: outcome.counts.keys };

  const times = { cold: [] as number[], warm: [] as number[] };
  const requests = { cold: 0, warm: 0 };
  const accountStorage = { headersMs: 5000, wholeMs: 5000 };
  for (let read = 0; read < coldReads; read += 1) {
    // Use a new cache for each cold and warm read, as in a new instance.
    const open = createManifestCache({ clock: Date.now, timeoutMs: 5000, accountStorage, fetchStorage });
    const key = keyOf(Math.floor((read / coldReads) * keyCount));
    for (const kind of ['cold', 'warm'] as const) {
      const before = sent.length;
      const from = performance.now();
      const manifest = open(storage, { version_uid: 'bench', index_sha256: outcome.index_sha256 });
      const page = findPage(await manifest.pages(), key);
      const entry = page && findEntry(await manifest.entries(page), key);
      times[kind].push(performance.now() - from);
      requests[kind] += sent.length - before;
      if (entry?.key !== key) throw new Error(`the version has no ${key}`);
    }
  }
  return {
    ...{ seconds, ...frozen, ...times },
    coldRequests: requests.cold,
    warmRequests: requests.warm,
  };
}

async function freezeAll(
  storage: ReturnType<typeof openJobStorage>,
): Promise<Extract<FreezeOutcome, { kind: 'ready' }>> {
  let cursor: FreezeCursor = firstCursor;
  const save = async (next: FreezeCursor) => {
    cursor = next;
  };
  for (;;) {
    const outcome = await continueFreeze(cursor, { storage, save, clock: Date.now, endsAt: Number.POSITIVE_INFINITY });
    if (outcome.kind === 'failed') throw new Error(`the freeze failed: ${outcome.reason}`);
    if (outcome.kind === 'ready') return outcome;
    await new Promise((resolve) => setTimeout(resolve, outcome.afterSeconds * 1000));
  }
}

/**
 * Creates a version of a repository with a million keys, and reads single keys of the version. Estimates the time for
 * ten million keys from this time. The estimate is possible because the job reads the list of the storage once, page by
 * page.
 */
export async function benchVersions(): Promise<void> {
  const here = new URL(import.meta.url);
  const store: Child<{ url: string }> = await startChild(here, ['storage']);
  try {
    const child: Child<Report> = await startChild(here, ['freeze', store.started.url], smallHeap);
    const { started: report } = child;
    const { peakBytes } = await child.usage();
    await child.stop();
    const peakMebibytes = Math.round(peakBytes / 2 ** 20);
    const perSecond = report.keys / report.seconds;
    printTable(
      'A freeze of a million keys',
      ['', 'measured', 'goal'],
      [
        ['keys', String(report.keys), goal(report.keys, '=', keyCount)],
        ['time', `${report.seconds.toFixed(1)} s, ${Math.round(perSecond)} keys/s`, ''],
        ['time for 10 million keys (projected)', `${Math.round(projectedKeys / perSecond)} s`, ''],
        ['resident memory, at most', `${peakMebibytes} MiB`, goal(peakMebibytes, '<', memoryMebibytesMax, ' MiB')],
        ['pages of the list', String(report.lists), `each read once: ${goal(report.lists, '<', keyCount / 1000 + 4)}`],
        ['stored parts of the manifest', String(report.writes), ''],
        [
          'requests for a cold key',
          String(report.coldRequests / coldReads),
          goal(report.coldRequests / coldReads, '=', 2),
        ],
        ['requests for a warm key', String(report.warmRequests), goal(report.warmRequests, '=', 0)],
      ],
    );
    printTable(
      'Finding a key of the version in its manifest (ms)',
      ['', ...distributionColumns],
      [
        ['cold', ...distribution(report.cold)],
        ['warm', ...distribution(report.warm)],
      ],
    );
  } finally {
    await store.stop();
  }
}

if (import.meta.main) {
  const [kind, argument = ''] = childArgument<[keyof typeof processes, string?]>();
  await processes[kind](argument);
}
