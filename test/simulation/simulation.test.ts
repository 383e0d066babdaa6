import { describe, expect, test } from 'vitest';
import { plantedFaults } from './planted-faults.ts';
import { describeReport, missingIn, runSeeds } from './run.ts';
import { shrink } from './shrink.ts';
import { planOf, simulate, stepsMax } from './simulation.ts';

const seedsInTest = 500;
/** One of these seeds must show the planted fault. */
const seedsOfPlant = 400;
const seeds = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test('the whole service keeps every promise in simulated histories', async () => {
  const report = await runSeeds(seeds(seedsInTest));
  console.log(describeReport(report));
  const [failure] = report.failures;
  if (failure !== undefined) {
    const { story } = await shrink(failure.plan, failure.violation.checker);
    expect.fail(`npm run simulate -- --seed ${failure.plan.seed}\n${story}`);
  }
  expect(missingIn(report)).toEqual([]);
}, 300_000);

test('the simulation reports a run that covers nothing', async () => {
  const report = await runSeeds([]);
  expect(missingIn(report)).toContain('no judged responses');
  report.operations.set('PATCH /settings 400', 338);
  expect(missingIn(report)).toContain('no success of PATCH /settings');
});

test('a seed repeats its whole history', async () => {
  for (const seed of [3, 8, 21]) {
    const [first, second] = [await simulate(planOf(seed)), await simulate(planOf(seed))];
    expect(second.trace).toBe(first.trace);
  }
});

describe('the checkers find a planted fault:', () => {
  test.each(plantedFaults)(
    '$name',
    async ({ plant, checker, isCalm = false }) => {
      const tried = seeds(seedsOfPlant).filter((seed) => !isCalm || planOf(seed).isCalm);
      const report = await runSeeds(tried, { plant, isFailure: (found) => checker.test(found.checker) });
      expect(report.failures.map(({ violation }) => violation.checker)).toEqual([expect.stringMatching(checker)]);
    },
    120_000,
  );
});

test('the simulation shrinks a failing history and describes it in words', async () => {
  const [first] = plantedFaults;
  if (first === undefined) throw new Error('there is a planted fault');
  const isFailure = (found: { checker: string }) => first.checker.test(found.checker);
  const { failures } = await runSeeds(seeds(seedsOfPlant), { plant: first.plant, isFailure });
  const [failure] = failures;
  if (failure === undefined) throw new Error('a seed finds the planted fault');
  const { plan, story } = await shrink(failure.plan, failure.violation.checker, first.plant);
  expect(plan.steps.length).toBeLessThan(Math.min(8, failure.plan.steps.length));
  expect(planOf(failure.plan.seed).steps.length).toBeLessThanOrEqual(stepsMax);
  expect(story).toMatch(/ s {2}step .*\nBroken: data/s);
}, 120_000);
