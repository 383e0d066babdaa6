import { constants, PerformanceObserver } from 'node:perf_hooks';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { countPassingBytes } from '../../../../lib/local/edge/body-garbage.ts';

const mebibyte = 1024 ** 2;

test('for each 16 MiB that pass the young part of the heap is collected, and nothing else', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const forced: number[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as unknown as { detail: { kind: number; flags: number } }[]) {
      if ((detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0) forced.push(detail.kind);
    }
    if (forced.length >= 2) resolve();
  });
  observer.observe({ entryTypes: ['gc'] });
  onTestFinished(() => observer.disconnect());
  for (let passed = 0; passed < 40; passed += 1) countPassingBytes(mebibyte);
  await promise;
  expect(forced).toEqual([constants.NODE_PERFORMANCE_GC_MINOR, constants.NODE_PERFORMANCE_GC_MINOR]);
});

test.skipIf(globalThis.gc !== undefined)('nothing else in the process gets what collects it', () => {
  expect([typeof globalThis.gc, runInNewContext('typeof gc')]).toEqual(['undefined', 'undefined']);
});
