import { fork } from 'node:child_process';
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { loader } from '../../../service/loader.ts';
import { countBytes, makeBytes, startByteMaker } from './byte-maker.ts';
import type { ProcessMemory } from './edge-process.ts';

const bodyBytes = 512 * 1024 ** 2;
/**
 * The maximum growth of memory. It allows for Node's heap, buffers, and garbage, and is far less than the size of the
 * body.
 */
const growthBytesMax = 200 * 1024 ** 2;

async function startEdgeProcess(originPort: number) {
  const child = fork(fileURLToPath(new URL('./edge-process.ts', import.meta.url)), [String(originPort)], {
    execArgv: [...loader],
  });
  onTestFinished(async () => {
    child.disconnect();
    await once(child, 'exit');
  });
  const [port] = (await once(child, 'message')) as [number];
  const memory = async () => {
    child.send('memory');
    const [answer] = (await once(child, 'message')) as [ProcessMemory];
    return answer;
  };
  return { port, memory };
}

async function ask(options: http.RequestOptions, sentBytes = 0): Promise<IncomingMessage> {
  const request = http.request({ host: '127.0.0.1', agent: false, ...options });
  const answer = once(request, 'response') as Promise<[IncomingMessage]>;
  await Promise.all([answer, pipeline(makeBytes(sentBytes), request)]);
  return (await answer)[0];
}

test('the edge transfers 512 MiB up and down in little memory', { timeout: 120_000 }, async () => {
  const storage = await startByteMaker();
  onTestFinished(() => storage.close());
  const { port, memory } = await startEdgeProcess(storage.port);
  const { residentBytes } = await memory();

  const stored = await ask({ port, method: 'PUT', path: '/a', headers: { 'content-length': bodyBytes } }, bodyBytes);
  expect([stored.statusCode, await countBytes(stored), storage.received]).toEqual([200, 0, [bodyBytes]]);
  const read = await ask({ port, path: `/${bodyBytes}` });
  expect([read.statusCode, await countBytes(read)]).toEqual([200, bodyBytes]);

  const { peakBytes } = await memory();
  expect(peakBytes - residentBytes).toBeLessThan(growthBytesMax);
});
