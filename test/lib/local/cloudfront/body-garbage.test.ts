import { execFileSync } from 'node:child_process';
import { constants } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { loader } from '../../../service/loader.ts';

// Each script runs in its own process: other tests may force a collection or set the flag here.
const output = (script: string) =>
  execFileSync(process.execPath, [...loader, '--input-type=module', '-e', script], { encoding: 'utf8' }).trim();

test('for each 16 MiB that pass the young part of the heap is collected, and nothing else', () => {
  const script = `import { constants, PerformanceObserver } from 'node:perf_hooks';
    import { countPassingBytes } from './lib/local/cloudfront/body-garbage.ts';
    const forced = [];
    new PerformanceObserver((list) => {
      for (const { detail } of list.getEntries())
        if ((detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0) forced.push(detail.kind);
      if (forced.length < 3) return;
      console.log(JSON.stringify(forced));
      process.exit();
    }).observe({ entryTypes: ['gc'] });
    setInterval(() => {}, 1000);
    for (let passed = 0; passed < 50; passed += 1) countPassingBytes(1024 ** 2);`;
  expect(JSON.parse(output(script))).toEqual(Array(3).fill(constants.NODE_PERFORMANCE_GC_MINOR));
});

test('nothing else in the process gets what collects it', () => {
  const script = `await import('./lib/local/cloudfront/body-garbage.ts');
    const { runInNewContext } = await import('node:vm');
    console.log(typeof globalThis.gc, runInNewContext('typeof gc'));`;
  expect(output(script)).toBe('undefined undefined');
});
