import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { seedNames } from '../lib/local/seed.ts';
import { countBytes, makeBytes, startByteMaker } from '../test/lib/local/cloudfront/byte-maker.ts';
import { startChild } from './child-process.ts';
import type { LoadedService } from './load/load-service.ts';
import { goal, printTable } from './report.ts';
import { exchange, signedHeaders } from './signed-request.ts';

const objectBytes = 5 * 1024 ** 3;
const growthMebibytesMax = 200;

/**
 * Measures an upload and a download of 5 GiB through the whole local service. The storage only counts and generates
 * bytes.
 */
export async function benchStreaming(): Promise<void> {
  const maker = await startByteMaker();
  const storage = {
    endpoint: `http://127.0.0.1:${maker.port}`,
    region: 'us-east-1',
    bucket: 'counted',
    access_key_id: 'COUNTED',
    secret_access_key: 'counted',
  };
  const child = await startChild<LoadedService>(new URL('./load/load-service.ts', import.meta.url), storage);
  try {
    const { residentBytes } = await child.usage();
    const rows: string[][] = [];
    for (const [way, move] of [
      ['up', upload],
      ['down', download],
    ] as const) {
      const startedAt = performance.now();
      await move(child.started);
      const seconds = (performance.now() - startedAt) / 1000;
      const { peakBytes } = await child.usage();
      const growthMebibytes = Math.round((peakBytes - residentBytes) / 2 ** 20);
      const rate = (objectBytes / 2 ** 20 / seconds).toFixed(0);
      rows.push([
        way,
        `${rate} MiB/s`,
        `${growthMebibytes} MiB`,
        goal(growthMebibytes, '<', growthMebibytesMax, ' MiB'),
      ]);
    }
    if (maker.received.at(-1) !== objectBytes) throw new Error(`the storage was sent ${maker.received.at(-1)} bytes`);
    printTable('5 GiB through the local service', ['', 'throughput', 'memory grew by', 'goal'], rows);
  } finally {
    await child.stop();
    maker.close();
  }
}

async function upload(service: LoadedService): Promise<void> {
  const request = await open(service, 'PUT', { 'content-length': String(objectBytes) });
  const answer = once(request, 'response') as Promise<[IncomingMessage]>;
  await Promise.all([answer, pipeline(makeBytes(objectBytes), request)]);
  await readWhole((await answer)[0], 0);
}

async function download(service: LoadedService): Promise<void> {
  const request = (await open(service, 'GET', {})).end();
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  await readWhole(answer, objectBytes);
}

async function open({ dataUrl, key }: LoadedService, method: string, headers: Record<string, string>) {
  const roleArn = `arn:aws:iam::${seedNames.service_account_id}:role/FullAccess`;
  // The storage generates as many bytes as the name says.
  const url = new URL(`/${seedNames.organization_id}/${seedNames.private_repository_id}/${objectBytes}`, dataUrl);
  const signed = signedHeaders(method, url, await exchange(dataUrl, roleArn, key));
  return http.request(url, { method, headers: { ...signed, ...headers }, agent: false });
}

async function readWhole(answer: IncomingMessage, bytes: number): Promise<void> {
  const count = await countBytes(answer);
  if (answer.statusCode !== 200 || count !== bytes) {
    throw new Error(`the service answered ${answer.statusCode} with ${count} bytes`);
  }
}
