import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { runWorkers } from '../../../site/data/workers.ts';

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test('all workers have returned when it does', async () => {
  let ended = 0;
  await runWorkers(3, new AbortController().signal, async () => {
    await setImmediate();
    ended += 1;
  });
  expect(ended).toBe(3);
});

test('the first rejection aborts the others, which have ended when it is passed on', async () => {
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

test("who gives up gets their own reason, whatever the workers' are", async () => {
  const controller = new AbortController();
  const run = runWorkers(2, controller.signal, async (signal) => {
    await untilAborted(signal).catch(() => undefined);
    throw new Error('of a worker');
  });
  controller.abort(new Error('given up'));
  await expect(run).rejects.toThrow('given up');
});
