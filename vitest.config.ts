import { randomInt } from 'node:crypto';
import { defineConfig } from 'vitest/config';

/** Seed of all generated test data: fixed, unless this run is to try something new or to repeat another run. */
const seed = process.env['SEED'] ?? (process.env['SLUICE_FUZZ'] === 'long' ? String(randomInt(2 ** 31)) : '13');

export default defineConfig({
  // Vite does not apply tsconfig.json to the files of tsconfig.site.json.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/service/engine.ts'],
    setupFiles: ['test/service/database-of-this-file.ts', 'test/service/property-tests.ts'],
    reporters: ['default', './test/service/run-summary.ts'],
    pool: 'forks',
    // Files share a process one after another, and load the service once: that halves a run. So a test puts back what it changes of the process.
    isolate: false,
    // Vitest leaves one of two cores idle by default.
    maxWorkers: 2,
    // It imports JSON as only bundlers let it.
    server: { deps: { inline: ['@actions/workflow-parser'] } },
    // Of what hangs, on a machine that has much else to do: no test is right or wrong by how long it takes.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A second, by default, is little for a browser beside another test file.
    expect: { poll: { timeout: 10_000 } },
    // The secrets in the environment of whoever runs the tests must not reach the AWS clients under test.
    env: {
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_REGION: 'us-east-1',
      SEED: seed,
      // Commands that tests start load what another has compiled.
      NODE_COMPILE_CACHE: new URL('node_modules/.cache/compiled', import.meta.url).pathname,
    },
  },
});
