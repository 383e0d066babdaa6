import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { type RunnerTask, type RunnerTestCase, type RunnerTestFile, type RunnerTestSuite, TestRunner } from 'vitest';

/** The state of a run with switches, which the test process shares with the command in a file. */
export interface SwitchState {
  /** The test file that killed a mutant, by the ID of the mutant. */
  killed: Record<number, string>;
  /** Test files that ran the code of a mutant, by ID. */
  seenBy: Record<number, string[]>;
  /** Mutants that need a separate run: their code runs on import, or in a test that cannot be repeated. */
  alone: number[];
}

/** The environment variable with the path of the file that contains the run's state. */
export const stateVariable = 'SLUICE_MUTATION_STATE';

/** The number of evaluations of a mutant in one test above which the mutant counts as an endless loop. */
const evaluationsMax = 20_000_000;

const none = -1;
const seenInTest = new Set<number>();
const seenOutside = new Set<number>();
let active = none;
/** A hook runs before or after its test. Each repetition of the test runs the hooks before it again. */
let phase: 'outside' | 'hook' | 'test' = 'outside';
let evaluations = 0;

function isActive(id: number): boolean {
  evaluations += 1;
  if (evaluations > evaluationsMax) throw new Error('endless loop');
  if (phase !== 'hook') (phase === 'test' ? seenInTest : seenOutside).add(id);
  return id === active;
}

Object.assign(globalThis, { mutation: { isActive } });

/** Runs a test with one mutant. Returns false if it fails. */
async function passes(run: () => unknown, id: number, limitMs: number): Promise<boolean> {
  evaluations = 0;
  active = id;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('time limit')), limitMs);
  try {
    await Promise.race([run(), late]);
    return true;
  } catch {
    return false;
  } finally {
    active = none;
    clearTimeout(timer);
  }
}

/**
 * Repeats each test with each mutant whose code the test has run. A mutant counts as killed if the test fails with it,
 * and passes again without it. So a test that a mutant leaves in a broken state kills nothing.
 */
/** Returns a function that runs the hooks before a test, and then the test. */
function withHooks(test: RunnerTestCase): () => Promise<void> {
  const suites: RunnerTestSuite[] = [];
  for (let suite: RunnerTestSuite | undefined = test.suite ?? test.file; suite; suite = suite.suite)
    suites.unshift(suite);
  if (suites[0] !== test.file) suites.unshift(test.file);
  return async () => {
    for (const suite of suites)
      for (const hook of TestRunner.getSuiteHooks(suite).beforeEach) await hook(test.context, suite);
    await TestRunner.getTestFn(test)();
  };
}

export default class SwitchRunner extends TestRunner {
  readonly #path = process.env[stateVariable] ?? '';
  readonly #state = JSON.parse(readFileSync(this.#path, 'utf8')) as SwitchState;

  async runTask(test: RunnerTestCase): Promise<void> {
    // Disable shrinking of failing examples. It takes long, and the mutation runner does not use its result.
    fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });
    seenInTest.clear();
    evaluations = 0;
    phase = 'test';
    const startedAt = performance.now();
    try {
      await TestRunner.getTestFn(test)();
      await this.#runMutants(test.file.name, withHooks(test), 2000 + 20 * (performance.now() - startedAt));
    } finally {
      phase = 'hook';
    }
  }

  override async onBeforeRunTask(test: RunnerTask): Promise<void> {
    phase = 'hook';
    await super.onBeforeRunTask(test);
  }

  override onAfterRunTask(test: RunnerTask): void {
    phase = 'outside';
    super.onAfterRunTask(test);
  }

  async #runMutants(file: string, run: () => unknown, limitMs: number): Promise<void> {
    const { killed, alone, seenBy } = this.#state;
    let repeats = await passes(run, none, limitMs);
    const met = [...seenInTest];
    for (const id of met) seenBy[id] = [...new Set([...(seenBy[id] ?? []), file])];
    const waiting = met.filter((id) => !(id in killed));
    for (const id of waiting) {
      if (repeats && (await passes(run, id, limitMs))) continue;
      repeats &&= await passes(run, none, limitMs);
      if (repeats) killed[id] = file;
      else alone.push(id);
    }
  }

  override async onAfterRunFiles(files: RunnerTestFile[]): Promise<void> {
    super.onAfterRunFiles(files);
    this.#state.alone = [...new Set([...this.#state.alone, ...seenOutside])];
    writeFileSync(this.#path, JSON.stringify(this.#state));
  }
}
