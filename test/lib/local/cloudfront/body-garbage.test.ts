import { execFileSync } from 'node:child_process';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { expect, onTestFinished, test } from 'vitest';
import { countPassingBytes } from '../../../../lib/local/cloudfront/body-garbage.ts';
import { loader } from '../../../service/loader.ts';

const mebibyte = 1024 ** 2;

test('for each 16 MiB that pass the young part of the heap is collected, and nothing else', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const forced: number[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as unknown as { detail: { kind: number; flags: number } }[]) {
      if ((detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0) forced.push(detail.kind);
    }
    if (forced.length >= 3) resolve();
  });
  observer.observe({ entryTypes: ['gc'] });
  onTestFinished(() => observer.disconnect());
  // Resets the count that other tests of this process left.
  countPassingBytes(16 * mebibyte);
  for (let passed = 0; passed < 40; passed += 1) countPassingBytes(mebibyte);
  await promise;
  expect(forced).toEqual(Array(3).fill(constants.NODE_PERFORMANCE_GC_MINOR));
});

// Runs in its own process: other tests may have set the flag here.
test('nothing else in the process gets what collects it', () => {
  const script = `await import('./lib/local/cloudfront/body-garbage.ts');
    const { runInNewContext } = await import('node:vm');
    console.log(typeof globalThis.gc, runInNewContext('typeof gc'));`;
  const told = execFileSync(process.execPath, [...loader, '--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(told.trim()).toBe('undefined undefined');
});
