import { randomInt } from 'node:crypto';
import { defineConfig } from 'vitest/config';
import { SlowFilesFirst } from './test/service/slow-files-first.ts';

/** The seed of all generated test data. It is fixed, unless the run repeats another seed or fuzzes with a new one. */
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
    // Files share a process one after another and load the service once, which halves the time of a run. A test restores
    // what it changes in the process.
    isolate: false,
    // Vitest leaves one of two cores idle by default.
    maxWorkers: 2,
    sequence: { sequencer: SlowFilesFirst },
    // This package imports JSON in a way that only bundlers support.
    server: { deps: { inline: ['@actions/workflow-parser'] } },
    // Limits for a test that hangs on a busy machine. No test measures elapsed time.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // The default of one second is too short for a browser while another test file runs.
    expect: { poll: { timeout: 10_000 } },
    // AWS clients under test must not use the credentials of the developer.
    env: {
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_REGION: 'us-east-1',
      SEED: seed,
      // Commands that tests start share compiled code.
      NODE_COMPILE_CACHE: new URL('node_modules/.cache/compiled', import.meta.url).pathname,
    },
  },
});
