import { parseArgs } from 'node:util';
import { describeReport, missingIn, runSeeds } from './run.ts';
import { shrink } from './shrink.ts';
import { planOf, simulate } from './simulation.ts';

// `npm run simulate -- --seeds 1000000`, `--minutes 30`, or `--seed 7` to repeat one history and shrink it if it fails.
const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    minutes: { type: 'string' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
  },
});
const endsAt =
  values.minutes === undefined ? Number.POSITIVE_INFINITY : performance.now() + Number(values.minutes) * 60_000;

async function repeat(seed: number): Promise<boolean> {
  const plan = planOf(seed);
  const { story, violations } = await simulate(plan);
  const [violation] = violations;
  if (violation === undefined) {
    for (const { step, at, words } of story)
      console.log(`${new Date(at).toISOString().slice(11)}  step ${step}  ${words}`);
    console.log(`Seed ${seed} keeps every promise.`);
    return true;
  }
  console.log((await shrink(plan, violation.checker)).story);
  return false;
}

function* seedsFrom(first: number, count: number): Generator<number> {
  for (let seed = first; seed < first + count && performance.now() < endsAt; seed += 1) yield seed;
}

async function runMany(count: number, first: number): Promise<boolean> {
  const report = await runSeeds(seedsFrom(first, count));
  console.log(describeReport(report));
  const missing = count >= 100 ? missingIn(report) : [];
  if (missing.length > 0) console.log(`The run covers too little: ${missing.join(', ')}.`);
  for (const { plan, violation } of report.failures) {
    console.log(`Seed ${plan.seed} fails. Repeat it with: npm run simulate -- --seed ${plan.seed}`);
    console.log((await shrink(plan, violation.checker)).story);
  }
  return report.seeds > 0 && report.failures.length === 0 && missing.length === 0;
}

const holds =
  values.seed === undefined
    ? await runMany(
        Number(values.seeds ?? (values.minutes === undefined ? 500 : Number.MAX_SAFE_INTEGER)),
        Number(values.from),
      )
    : await repeat(Number(values.seed));
// Exit explicitly, because timers of crashed requests would delay the end of the process.
process.exit(holds ? 0 : 1);
