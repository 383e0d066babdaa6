import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createVitest, type TestSpecification } from 'vitest/node';
import type { Mutant } from './mutants.ts';

/** A mutant and its test files. Without a mutant, the test files run on the unchanged source. */
export interface Job {
  mutant?: Pick<Mutant, 'file' | 'text'> & { original: string };
  tests: readonly string[];
}

/** The first test file that failed. Undefined if all passed. */
export interface Outcome {
  failed: string | undefined;
  milliseconds: number;
}

// This process changes the files of its own copy of the project on disk, because some tests bundle these files or start
// them in other processes.
const root = process.cwd();
const vitest = await createVitest('test', { root, watch: false, bail: 1, maxWorkers: 1, reporters: [{}] });

async function failedFile({ mutant, tests }: Job): Promise<string | undefined> {
  const file = mutant && path.join(root, mutant.file);
  const write = (text: string) => {
    if (file === undefined) return;
    writeFileSync(file, text);
    vitest.invalidateFile(file);
  };
  write(mutant?.text ?? '');
  try {
    for (const test of tests) {
      // Failures of earlier runs would count for Vitest's option `bail`.
      vitest.state.idMap.clear();
      vitest.state.filesMap.clear();
      const specifications: TestSpecification[] = await vitest.globTestSpecifications([test]);
      const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
      if (testModules.length === 0) throw new Error(`there is no test file ${test}`);
      if (unhandledErrors.length > 0 || !testModules.every((module) => module.ok())) return test;
    }
    return undefined;
  } finally {
    write(mutant?.original ?? '');
  }
}

process.on('message', async (job: Job) => {
  const startedAt = performance.now();
  const failed = await failedFile(job);
  process.send?.({ failed, milliseconds: performance.now() - startedAt } satisfies Outcome);
});
process.once('disconnect', () => void vitest.close().then(() => process.exit(0)));
process.send?.('ready');
