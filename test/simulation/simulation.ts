import type { DataSet } from '../model/data-set.ts';
import { accounts } from './capabilities/accounts.ts';
import { data, request } from './capabilities/data.ts';
import { faults } from './capabilities/faults.ts';
import { fileDeletions } from './capabilities/file-deletions.ts';
import { links } from './capabilities/links.ts';
import { memberships } from './capabilities/memberships.ts';
import { repositories } from './capabilities/repositories.ts';
import { serviceAccounts } from './capabilities/service-accounts.ts';
import { transfers } from './capabilities/transfers.ts';
import { versions } from './capabilities/versions.ts';
import { type Capability, openJobsIn, type Simulation, type Step, type StepContext } from './capability.ts';
import { loadFixture } from './fixture.ts';
import { History, type Violation } from './history.ts';
import { Kernel, requestFaults } from './kernel.ts';
import type { Item } from './memory-table/expressions.ts';
import { MemoryTable } from './memory-table/memory-table.ts';
import { Random } from './random.ts';
import { edgeCount, type Plant, SimulatedService } from './service.ts';

/** To add a capability, add only its file here. */
export const capabilities: readonly Capability[] = [
  accounts,
  repositories,
  memberships,
  serviceAccounts,
  data,
  versions,
  fileDeletions,
  transfers,
  links,
];

export const stepsMax = 40;
const picksOfStep = 6;
/**
 * The lengths of pauses between steps. The long pauses exceed the TTLs of cached authorization data, and the interval
 * of the feed.
 */
const gapsMs = [0, 0, 5, 30, 30, 200, 1000, 1000, 4000, 9000, 20_000, 62_000, 130_000] as const;
const repositoryJobRunsMax = 90;
/** The time that a history needs to settle: longer than the longest fault and the TTL of every cache. */
const settleMs = 900_000;

const actions = new Map([...capabilities, faults].flatMap((capability) => Object.entries(capability.actions)));

export interface Plan {
  seed: number;
  isCalm: boolean;
  steps: readonly Step[];
}

export interface Outcome extends Pick<Simulation, 'story' | 'operations' | 'violations'> {
  faults: Map<string, number>;
  actions: Map<string, number>;
  /** States of the model's data, without names. */
  states: Set<string>;
  /** A text of everything that happened in a history, to compare two runs of one seed. */
  trace: string;
  judged: number;
  unjudged: number;
}

/** Generates the steps of a history from its seed. A third of the histories have no faults of the environment. */
export function planOf(seed: number): Plan {
  const random = new Random(seed, 'plan');
  const isCalm = random.chance(1 / 3);
  const taken = capabilities.filter(({ share = 1 }) => share === 1 || random.chance(share));
  const offered = [...(isCalm ? taken : [...taken, faults])].flatMap(({ actions: all }) =>
    Object.entries(all).flatMap(([name, { weight }]) => Array<string>(weight).fill(name)),
  );
  const steps = Array.from({ length: 10 + random.below(stepsMax - 9) }, (_, id): Step => {
    const fault = !isCalm && random.chance(0.15);
    const client = random.chance(0.1) ? random.one(['duplicate', 'lost reply']) : undefined;
    return {
      id,
      action: random.one(offered),
      gapMs: random.one(gapsMs),
      picks: Array.from({ length: picksOfStep }, () => random.below(1_000_000)),
      ...(fault ? { fault: { kind: random.one(requestFaults), request: random.below(6) } } : {}),
      ...(client === undefined ? {} : { client }),
    };
  });
  return { seed, isCalm, steps };
}

/** Runs a history, lets everything settle, and checks it. */
export async function simulate({ seed, isCalm, steps }: Plan, plant: Plant = {}): Promise<Outcome> {
  const fixture = await loadFixture();
  const kernel = new Kernel(new MemoryTable(fixture.items), plant.send);
  kernel.now = fixture.now;
  const service = new SimulatedService(kernel, `${seed}`, plant);
  service.storage.load(fixture.storage);
  const simulation: Simulation = {
    kernel,
    service,
    isCalm,
    history: new History(fixture.dataSet),
    credentials: [...fixture.credentials],
    secrets: new Map(fixture.secrets),
    observations: [],
    acknowledgements: [],
    locations: [],
    promises: [],
    itemsAtStart: fixture.items,
    violations: [],
    story: [],
    operations: new Map(),
  };
  let time = kernel.now;
  const running: Promise<unknown>[] = [];
  for (const step of steps) {
    time += step.gapMs;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    running.push(promise);
    kernel.at(time, () => resolve(actions.get(step.action)?.run(contextOf(simulation, step))));
  }
  await kernel.runUntil(time);
  await settle(simulation, running);
  await probe(simulation);
  await endRepositoryJobs(simulation);
  check(simulation);
  const { story, operations, violations, history, observations } = simulation;
  const trace = JSON.stringify([
    story,
    kernel.table.changes.map(({ at, after }) => [at, after?.['pk'], after?.['sk']]),
  ]);
  return {
    story,
    operations,
    violations,
    trace,
    faults: kernel.faultsMet,
    actions: new Map([...Map.groupBy(steps, ({ action }) => action)].map(([action, all]) => [action, all.length])),
    states: new Set(history.versions.map(({ dataSet }) => stateOf(dataSet))),
    judged: observations.length,
    unjudged: history.unjudged,
  };
}

function contextOf(simulation: Simulation, step: Step): StepContext {
  let picked = 0;
  return {
    ...simulation,
    step,
    dataSet: simulation.history.dataSet,
    pick: (choices) => {
      const pick = step.picks[picked++ % picksOfStep] ?? 0;
      return choices[pick % choices.length];
    },
    tell: (words) => simulation.story.push({ step: step.id, at: simulation.kernel.now, words }),
  };
}

/** Ends all faults, and runs until the stream is empty and every cached entry is too old. */
async function settle({ kernel, service }: Simulation, running: readonly Promise<unknown>[]): Promise<void> {
  const all = Promise.all(running);
  // Handle the rejection of a failed step, so that it does not become an unhandled rejection.
  all.catch(() => undefined);
  await kernel.runUntil(kernel.now + 1000);
  kernel.partitioned.clear();
  kernel.frozen.clear();
  service.storage.failsUntil = 0;
  await kernel.runUntil(kernel.now + settleMs);
  kernel.table.catchUpIndexes();
  await all;
}

/**
 * Runs the background jobs every minute until no job is left. Stops after the time that a failed job waits for its
 * next attempt.
 */
async function endRepositoryJobs({ kernel, service }: Simulation): Promise<void> {
  const isDue = () => openJobsIn(kernel).length > 0;
  for (let run = 0; run < repositoryJobRunsMax && isDue(); run += 1) {
    await kernel.runUntilDone(service.runRepositoryJobs({ label: `end ${run}` }), 60_000);
  }
}

/** Sends requests with all credentials to every repository, when only the latest data may decide the answers. */
async function probe(simulation: Simulation): Promise<void> {
  const { kernel, credentials, history } = simulation;
  const random = new Random('probe');
  const quiet = { ...simulation, story: [] };
  for (const [index, credential] of credentials.entries()) {
    for (const repository of history.dataSet.repositories) {
      const step: Step = { id: stepsMax + index, action: 'probe', gapMs: 0, picks: [] };
      const isWrite = random.chance(0.5);
      const use = { credential, repository, isWrite, edge: random.below(edgeCount), label: repository.id };
      await kernel.runUntilDone(request({ ...contextOf(quiet, step), isCalm: true }, use));
    }
  }
}

function check(simulation: Simulation): void {
  const { history, observations, acknowledgements, violations, kernel, locations } = simulation;
  for (const acknowledged of acknowledgements) {
    const violation = history.judgeAcknowledged(acknowledged);
    if (violation !== undefined) violations.push(violation);
  }
  for (const observation of observations) {
    const violation = history.judge(observation);
    if (violation !== undefined) violations.push(violation);
  }
  const items = kernel.table.items();
  const atEnd = (checker: string, words: string) => violations.push({ checker, step: stepsMax, words });
  for (const { check: checkMore } of capabilities) violations.push(...(checkMore?.(simulation) ?? []));
  for (const { name, stored, modeled } of capabilities) {
    if (stored === undefined || modeled === undefined) continue;
    const [inTable, inModel] = [stored(items).sort(), modeled(history.dataSet).sort()];
    if (JSON.stringify(inTable) === JSON.stringify(inModel)) continue;
    const difference = (a: string[], b: string[]) => a.filter((line) => !b.includes(line)).join('; ') || 'nothing';
    atEnd(
      'acknowledged changes are there',
      `${name}: only the table has ${difference(inTable, inModel)}. Only the model has ${difference(inModel, inTable)}`,
    );
  }
  for (const [what, values] of uniqueOf(items)) {
    const twice = values.find((value, index) => values.indexOf(value) !== index);
    if (twice !== undefined) atEnd('uniqueness holds', `two items have the ${what} ${twice}`);
  }
  const owners = new Map<string, string>();
  for (const { location, name } of locations) {
    const owner = owners.get(location) ?? name;
    if (owner !== name && !isTransfer(history.dataSet, owner, name))
      atEnd('uniqueness holds', `${name} and ${owners.get(location)} are stored in ${location}`);
    owners.set(location, name);
  }
}

/** Returns true if the names differ only in their accounts, and one account offered a repository to the other. */
function isTransfer({ transfers: offers }: DataSet, ...names: [string, string]): boolean {
  const [[, one, ...rest], [, other, ...otherRest]] = names.map((name) => name.split('/')) as [string[], string[]];
  const isOffered = offers.some(({ from, to }) => (from === one && to === other) || (from === other && to === one));
  return isOffered && rest.join('/') === otherRest.join('/');
}

/** Values that at most one item may have at a time, by their meaning. */
function uniqueOf(items: readonly Item[]): [string, string[]][] {
  const of = (entity: string, value: (item: Item) => unknown) =>
    items.filter((item) => item['entity'] === entity).map((item) => JSON.stringify(value(item)));
  return [
    ['account ID', of('account', ({ account_id }) => account_id)],
    [
      'identity of a user',
      of('account', ({ account_type, identity_id, account_id }) =>
        account_type === 'user' ? identity_id : account_id,
      ),
    ],
    ['repository ID', of('repository', ({ account_id, repository_id }) => [account_id, repository_id])],
    ['storage prefix', of('repository', ({ data }) => (data as { mirrors: unknown }).mirrors)],
    [
      'open membership',
      items
        .filter(({ entity, state }) => entity === 'membership' && (state === 'member' || state === 'invited'))
        .map(({ account_id, membership_account_id, repository_id, role }) =>
          JSON.stringify([
            account_id,
            membership_account_id,
            repository_id,
            role === 'owners' || role === 'maintainers' ? 'management' : 'data',
          ]),
        ),
    ],
  ];
}

function stateOf({ accounts: all, repositories: named, memberships: held, ...dataSet }: DataSet): string {
  return JSON.stringify([
    all.map(({ type, disabledBy, federatedOnly }) => [type, disabledBy, federatedOnly]),
    named.map(({ mode, disabledBy, federatedOnly }) => [mode, disabledBy, federatedOnly]),
    held.map(({ role, state, repository }) => [role, state, repository !== undefined]),
    [...dataSet.keys, ...dataSet.signInKeys].map(({ revoked }) => revoked),
    dataSet.grants.map(({ access }) => access),
    [dataSet.workflows.length, dataSet.endedSources.length],
  ]);
}

export function firstOf(violations: readonly Violation[]): Violation | undefined {
  return violations.toSorted((a, b) => a.step - b.step)[0];
}
