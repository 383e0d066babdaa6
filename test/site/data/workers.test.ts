import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { runWorkers } from '../../../site/data/concurrency.ts';

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test('waits for all workers', async () => {
  let ended = 0;
  await runWorkers(3, new AbortController().signal, async () => {
    await setImmediate();
    ended += 1;
  });
  expect(ended).toBe(3);
});

test('aborts the other workers after the first rejection, and waits for them', async () => {
  const steps: string[] = [];
  let workers = 0;
  const run = runWorkers(2, new AbortController().signal, async (signal) => {
    workers += 1;
    if (workers === 2) throw new Error('the first');
    await untilAborted(signal).catch(() => setImmediate());
    steps.push('ended');
    throw new Error('the second');
  });
  await expect(run.finally(() => steps.push('rejected'))).rejects.toThrow('the first');
  expect(steps).toEqual(['ended', 'rejected']);
});

test("rejects with the caller's reason after an abort", async () => {
  const controller = new AbortController();
  const run = runWorkers(2, controller.signal, async (signal) => {
    await untilAborted(signal).catch(() => undefined);
    throw new Error('of a worker');
  });
  controller.abort(new Error('given up'));
  await expect(run).rejects.toThrow('given up');
});
