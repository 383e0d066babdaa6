import type { Violation } from './history.ts';
import type { Plant } from './service.ts';
import { capabilities, firstOf, type Plan, planOf, simulate } from './simulation.ts';

export interface Report {
  seeds: number;
  seconds: number;
  steps: number;
  judged: number;
  unjudged: number;
  /** The numbers of operations by status, of actions, and of faults. */
  operations: Map<string, number>;
  actions: Map<string, number>;
  faults: Map<string, number>;
  states: Set<string>;
  failures: { plan: Plan; violation: Violation }[];
}

/** Simulates the histories of these seeds, up to the given number of failures. */
export async function runSeeds(
  seeds: Iterable<number>,
  {
    plant = () => ({}),
    failuresMax = 1,
    isFailure = () => true,
  }: { plant?: () => Plant; failuresMax?: number; isFailure?: (violation: Violation) => boolean } = {},
): Promise<Report> {
  const startedAt = performance.now();
  const report: Report = {
    ...{ seeds: 0, seconds: 0, steps: 0, judged: 0, unjudged: 0 },
    operations: new Map(),
    actions: new Map(),
    faults: new Map(),
    states: new Set(),
    failures: [],
  };
  for (const seed of seeds) {
    const plan = planOf(seed);
    const outcome = await simulate(plan, plant());
    report.seeds += 1;
    report.steps += plan.steps.length;
    report.judged += outcome.judged;
    report.unjudged += outcome.unjudged;
    for (const part of ['operations', 'actions', 'faults'] as const) {
      for (const [name, count] of outcome[part]) report[part].set(name, (report[part].get(name) ?? 0) + count);
    }
    for (const state of outcome.states) report.states.add(state);
    const violation = firstOf(outcome.violations.filter(isFailure));
    if (violation !== undefined) report.failures.push({ plan, violation });
    if (report.failures.length >= failuresMax) break;
  }
  report.seconds = (performance.now() - startedAt) / 1000;
  return report;
}

/** Returns which parts of the service a run did not cover. A run that covers little fails, because it proves little. */
export function missingIn({ actions, faults, operations, judged }: Report): string[] {
  const expected = capabilities.flatMap((capability) => Object.keys(capability.actions));
  const names = [...operations.keys()];
  const used = new Set(names.map((name) => name.slice(0, name.lastIndexOf(' '))));
  return [
    ...expected.filter((action) => !actions.has(action)).map((action) => `no step "${action}"`),
    ...(faults.size === 0 ? ['no faults'] : []),
    ...(judged === 0 ? ['no judged responses'] : []),
    ...[
      'read 200',
      'read 403',
      'write 200',
      'write 403',
      'read of a version 200',
      'read by a link 200',
      'read by a link 403',
      'list 200',
      'list 403',
      'exchange of a link 200',
      'exchange of a link 404',
      'ended deletion of files 200',
      'stopped deletion of files 200',
      'exchange 200',
      'exchange 400',
      'exchange 403',
    ]
      .filter((name) => !names.includes(name))
      .map((name) => `no ${name}`),
    ...[...used]
      .filter((operation) => !names.some((name) => name.startsWith(`${operation} 2`)))
      .map((operation) => `no success of ${operation}`),
  ];
}

export function describeReport(report: Report): string {
  const { seeds, seconds, steps, judged, unjudged, operations, faults, states, failures } = report;
  const list = (counts: Map<string, number>) =>
    [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => `  ${name}: ${count}`);
  return [
    `${seeds} histories, ${steps} steps, ${judged} judged responses (${unjudged} unclear), ${states.size} states`,
    `${(seeds / seconds).toFixed(1)} seeds per second`,
    'Operations and statuses:',
    ...list(operations),
    'Faults:',
    ...list(faults),
    `${failures.length} failures`,
  ].join('\n');
}
