import { parseArgs } from 'node:util';
import { firstOf, planOf, simulate } from './simulation.ts';

const { values } = parseArgs({ options: { seeds: { type: 'string' }, seed: { type: 'string' } } });
const began = performance.now();
let judged = 0,
  unjudged = 0;
const kinds = new Map<string, number[]>();
const ops = new Map<string, number>();
const list = values.seed ? [Number(values.seed)] : Array.from({ length: Number(values.seeds ?? 20) }, (_, i) => i + 1);
for (const seed of list) {
  const plan = planOf(seed);
  const o = await simulate(plan).catch((e) => {
    console.log('seed', seed, e);
    throw e;
  });
  judged += o.judged;
  unjudged += o.unjudged;
  for (const [k, n] of o.operations) ops.set(k, (ops.get(k) ?? 0) + n);
  const v = firstOf(o.violations);
  if (v) {
    kinds.set(v.checker, [...(kinds.get(v.checker) ?? []), seed]);
  }
  if (values.seed) {
    for (const l of o.story) console.log(l.step, ((l.at - 1893499200000) / 1000).toFixed(3), l.words);
    console.log(plan.isCalm, o.violations);
  }
}
const s = (performance.now() - began) / 1000;
console.log(list.length / s, 'seeds/s', { judged, unjudged });
console.log(
  [...ops]
    .sort()
    .map(([k, n]) => `${k}: ${n}`)
    .join('\n'),
);
for (const [k, seeds] of kinds) console.log(k, seeds.length, seeds.slice(0, 12));
process.exit(0);
