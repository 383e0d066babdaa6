import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Mutant, mutantsOf } from './mutants.ts';
import survivors from './survivors.json' with { type: 'json' };
import { runSwitched } from './switched.ts';
import { targets } from './targets.ts';
import type { Job, Outcome } from './worker.ts';

const killedMin = 0.95;
process.env['SLUICE_TEST_ENGINES'] = '1';
const root = path.resolve(import.meta.dirname, '../..');
/** A mutant that runs this much longer than its tests is an endless loop, which counts as killed. */
const limitOf = (milliseconds: number) => Math.round(30_000 + 3 * milliseconds);

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: '2' },
  },
});
const chosen = Object.entries(targets).filter(([name]) => positionals.length === 0 || positionals.includes(name));
if (chosen.length === 0 || positionals.some((name) => !(name in targets))) {
  console.error(`Choose from ${Object.keys(targets).join(', ')}.`);
  process.exit(1);
}

const filesOf = (globs: readonly string[]) => globs.flatMap((glob) => globSync(glob, { cwd: root }));
const all = chosen
  .flatMap(([target, { files, tests, slowTests }]) =>
    filesOf(files).flatMap((file) => {
      const original = readFileSync(path.join(root, file), 'utf8');
      const given = { target, tests: filesOf(tests), slowTests: filesOf(slowTests), original };
      return mutantsOf(file, original).map((mutant) => ({ ...given, mutant }));
    }),
  )
  .map((one, id) => ({ ...one, mutant: { ...one.mutant, id } }));
type Planned = (typeof all)[number];

const nameOf = ({ file, within, before, after }: (typeof survivors)[number] | Mutant) =>
  JSON.stringify([file, within, before, after]);
const reasons = new Map(survivors.map((one) => [nameOf(one), one.reason]));
const inScope = new Set(all.map(({ mutant }) => mutant.file));
const names = new Set(all.map(({ mutant }) => nameOf(mutant)));
const gone = survivors.filter((one) => inScope.has(one.file) && !names.has(nameOf(one)));

/** Draws mutants with Fisher and Yates' shuffle and the generator mulberry32, so that a seed repeats a sample. */
function sampled(count: number, seed: number): Planned[] {
  let state = seed;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const pool = [...all];
  return Array.from({ length: Math.min(count, pool.length) }, () =>
    pool.splice(Math.floor(random() * pool.length), 1),
  ).flat();
}

/** A process with its own copy of the project. It starts again after a mutant that does not end. */
class Runner {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'sluice-mutation-'));
  #child: ChildProcess | undefined;

  constructor() {
    for (const name of [
      'bin',
      'functions',
      'lib',
      'site',
      'test',
      'sluice.config.ts',
      ...globSync('*.json', { cwd: root }),
    ])
      cpSync(path.join(root, name), path.join(this.#folder, name), { recursive: true });
    for (const name of ['vitest.config.ts', 'docs', 'node_modules'])
      symlinkSync(path.join(root, name), path.join(this.#folder, name));
  }

  async run(job: Job, limit: number): Promise<Outcome> {
    this.#child ??= await this.#start();
    const child = this.#child;
    child.send(job);
    const answered = new AbortController();
    const signal = AbortSignal.any([answered.signal, AbortSignal.timeout(limit)]);
    const message = once(child, 'message', { signal }).then(([outcome]) => outcome as Outcome);
    const exit = once(child, 'exit', { signal }).then(() => undefined);
    const outcome = await Promise.race([message, exit]).catch(() => undefined);
    answered.abort();
    await Promise.allSettled([message, exit]);
    if (outcome !== undefined) return outcome;
    await this.#kill();
    return { failed: 'time limit', milliseconds: limit };
  }

  async #start(): Promise<ChildProcess> {
    const child = fork(path.join(this.#folder, 'test/mutation/worker.ts'), [], {
      cwd: this.#folder,
      env: { ...process.env, SLUICE_TEST_ENGINES: '1' },
      execArgv: ['--import', path.join(this.#folder, 'bin/loader.js')],
      // Starts a process group, so that the kill also ends the database engine and other processes of the tests.
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    await once(child, 'message');
    return child;
  }

  async #kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child?.pid === undefined || child.exitCode !== null) return;
    const exit = once(child, 'exit');
    process.kill(-child.pid, 'SIGKILL');
    await exit;
  }

  async close(): Promise<void> {
    await this.#kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const runners = Array.from({ length: Number(values.workers) }, () => new Runner());
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void Promise.all(runners.map((runner) => runner.close())).then(() => process.exit(1)));

/** Gives each item to the next free worker process. */
async function inTurn<Item>(
  items: readonly Item[],
  work: (runner: Runner, item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  await Promise.all(
    runners.map(async (runner) => {
      for (const item of waiting) await work(runner, item);
    }),
  );
}

/**
 * Runs the tests that can repeat in one process, with a switch for each mutant. Returns the mutants that need further
 * tests, with these tests.
 */
async function runWithSwitches(planned: readonly Planned[], killedBy: Map<string, number>): Promise<Planned[]> {
  const left: Planned[] = [];
  for (const [target, ofTarget] of Map.groupBy(planned, (one) => one.target)) {
    const tests = ofTarget[0]?.tests ?? [];
    const { killed, alone } = await runSwitched(
      root,
      ofTarget.map(({ mutant }) => mutant),
      tests,
    );
    for (const test of Object.values(killed)) killedBy.set(test, (killedBy.get(test) ?? 0) + 1);
    const rest = ofTarget.filter(({ mutant }) => !(mutant.id in killed));
    console.log(
      `${target}: ${rest.length} of ${ofTarget.length} are left after ${tests.length} test files with switches`,
    );
    const isAlone = new Set(alone);
    left.push(
      ...rest.map((one) => ({
        ...one,
        tests: isAlone.has(one.mutant.id) ? [...tests, ...one.slowTests] : one.slowTests,
      })),
    );
  }
  return left;
}

const baseline = new Map<string, number>();
try {
  const planned = values.sample === undefined ? all : sampled(Number(values.sample), Number(values.seed));
  console.log(`${planned.length} of ${all.length} mutants`);
  const killedBy = new Map<string, number>();
  const left = await runWithSwitches(planned, killedBy);
  await inTurn([...new Set(left.flatMap((one) => one.tests))], async (runner, test) => {
    const { failed, milliseconds } = await runner.run({ tests: [test] }, 600_000);
    if (failed !== undefined) throw new Error(`${test} fails without a mutant`);
    baseline.set(test, milliseconds);
  });
  const survived: Planned[] = [];
  let done = 0;
  await inTurn(left, async (runner, one) => {
    const durationOf = (test: string) => baseline.get(test) ?? 0;
    const ordered = one.tests.toSorted((a, b) => durationOf(a) - durationOf(b));
    const whole = ordered.reduce((sum, test) => sum + durationOf(test), 0);
    const { file, text } = one.mutant;
    const { failed } = await runner.run(
      { mutant: { file, text, original: one.original }, tests: ordered },
      limitOf(whole),
    );
    done += 1;
    if (failed === undefined) survived.push(one);
    else killedBy.set(failed, (killedBy.get(failed) ?? 0) + 1);
    if (done % 25 === 0) console.log(`${done} of ${left.length}: ${survived.length} survived`);
  });
  report(planned, survived, killedBy);
} finally {
  await Promise.all(runners.map((runner) => runner.close()));
}

function report(
  planned: readonly Planned[],
  survived: readonly Planned[],
  killedBy: ReadonlyMap<string, number>,
): void {
  const countOf = (list: readonly Planned[], target: string) => list.filter((one) => one.target === target).length;
  const share = (all: number, alive: number) => `${(((all - alive) / all) * 100).toFixed(1)} % of ${all} killed`;
  for (const [target] of chosen) {
    if (countOf(planned, target) > 0)
      console.log(`${target}: ${share(countOf(planned, target), countOf(survived, target))}`);
  }
  console.log(`all: ${share(planned.length, survived.length)}`);
  for (const [test, count] of [...killedBy].sort(([, a], [, b]) => b - a)) console.log(`  ${count} by ${test}`);
  const unexplained = survived.filter(({ mutant }) => !reasons.has(nameOf(mutant)));
  for (const { mutant } of unexplained) {
    const { file, line, within, before, after } = mutant;
    console.log(`\n${file}:${line}\n${JSON.stringify({ file, within, before, after, reason: '' })}`);
  }
  for (const one of gone) console.log(`\nNo such mutant any more: ${nameOf(one)}`);
  const alive = new Set(survived.map(({ mutant }) => nameOf(mutant)));
  const killed = planned.filter(({ mutant }) => reasons.has(nameOf(mutant)) && !alive.has(nameOf(mutant)));
  for (const { mutant } of killed) console.log(`\nExplained but killed: ${nameOf(mutant)}`);
  const isEnough = chosen.every(([name]) => countOf(survived, name) <= countOf(planned, name) * (1 - killedMin));
  if (unexplained.length + gone.length + killed.length > 0 || !isEnough) process.exitCode = 1;
}
