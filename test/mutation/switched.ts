import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createVitest } from 'vitest/node';
import { type Mutant, withSwitches } from './mutants.ts';
import { type SwitchState, stateVariable } from './switch-runner.ts';

/** Runs test files once, each test with all mutants that it reaches. */
export async function runSwitched(
  root: string,
  mutants: readonly (Mutant & { id: number })[],
  tests: readonly string[],
): Promise<SwitchState> {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-switches-'));
  const statePath = path.join(folder, 'state.json');
  writeFileSync(statePath, JSON.stringify({ killed: {}, seenBy: {}, alone: [] } satisfies SwitchState));
  const byFile = Map.groupBy(mutants, ({ file }) => path.join(root, file));
  const vitest = await createVitest(
    'test',
    {
      // Disable the cache of modules on disk, because its modules contain no switches.
      ...{ root, watch: false, maxWorkers: 1, reporters: [{}], testTimeout: 0, fsModuleCache: false },
      ...{ runner: path.join(import.meta.dirname, 'switch-runner.ts'), env: { [stateVariable]: statePath } },
    },
    {
      plugins: [
        {
          name: 'mutants with switches',
          enforce: 'pre',
          load: (id) => {
            const [file = id] = id.split('?');
            const all = byFile.get(file);
            return all && withSwitches(readFileSync(file, 'utf8'), all);
          },
        },
      ],
    },
  );
  try {
    for (const test of tests) {
      const { testModules } = await vitest.runTestSpecifications(await vitest.globTestSpecifications([test]));
      const failed = testModules.find((module) => !module.ok());
      if (failed !== undefined || testModules.length === 0) throw new Error(`${test} fails without a mutant`);
    }
    return JSON.parse(readFileSync(statePath, 'utf8')) as SwitchState;
  } finally {
    await vitest.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
