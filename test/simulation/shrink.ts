import type { Step } from './capability.ts';
import type { Violation } from './history.ts';
import type { Plant } from './service.ts';
import { type Outcome, type Plan, simulate } from './simulation.ts';

/** The shortest history found in which the same checker finds a violation. */
export interface Shrunk {
  plan: Plan;
  violation: Violation;
  story: string;
}

/**
 * Shortens a failing history by delta debugging: removes first halves, then smaller parts, then single steps and
 * faults. A removal stays if the same checker still finds a violation.
 */
export async function shrink(plan: Plan, checker: string, plant: () => Plant = () => ({})): Promise<Shrunk> {
  const fails = async (steps: readonly Step[]): Promise<[Outcome, Violation] | undefined> => {
    const outcome = await simulate({ ...plan, steps }, plant());
    const violation = outcome.violations.find((found) => found.checker === checker);
    return violation && [outcome, violation];
  };
  let steps = plan.steps;
  let failed = await fails(steps);
  if (failed === undefined) throw new Error(`the history does not break "${checker}"`);
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < steps.length; ) {
      const rest = withoutSteps(steps, start, size);
      const still = await fails(rest);
      if (still === undefined) start += size;
      else [steps, failed] = [rest, still];
    }
  }
  for (const [index, step] of steps.entries()) {
    const { fault: _fault, client: _client, ...plain } = step;
    const simpler = steps.with(index, plain);
    const still = step.fault || step.client ? await fails(simpler) : undefined;
    if (still !== undefined) [steps, failed] = [simpler, still];
  }
  const [{ story }, violation] = failed;
  return { plan: { ...plan, steps }, violation, story: tellStory(story, violation) };
}

/** Removes steps. The time of the later steps stays. */
function withoutSteps(steps: readonly Step[], start: number, count: number): Step[] {
  const gone = steps.slice(start, start + count).reduce((sum, { gapMs }) => sum + gapMs, 0);
  const rest = [...steps.slice(0, start), ...steps.slice(start + count)];
  const next = rest[start];
  return next === undefined ? rest : rest.with(start, { ...next, gapMs: next.gapMs + gone });
}

function tellStory(story: Outcome['story'], { checker, words }: Violation): string {
  const began = story[0]?.at ?? 0;
  const lines = story.map(({ step, at, words: told }) => {
    return `${((at - began) / 1000).toFixed(3).padStart(9)} s  step ${String(step).padStart(2)}  ${told}`;
  });
  return [...lines, `Broken: ${checker}. ${words}.`].join('\n');
}
