import type { DataSet, Question } from '../model/data-set.ts';
import type { Acknowledgement, Credential, History, Observation, Violation } from './history.ts';
import type { Kernel } from './kernel.ts';
import type { Item } from './memory-table/expressions.ts';
import type { TableChange } from './memory-table/memory-table.ts';
import type { Answered, Sending, SimulatedService } from './service.ts';

/** A step of a history. All its choices are numbers, so that a step stays valid when others are removed. */
export interface Step {
  /** The position of the step in the generated history, which identifies the step. */
  id: number;
  action: string;
  /** Milliseconds since the previous step. */
  gapMs: number;
  picks: readonly number[];
  fault?: Sending['fault'];
  /**
   * `duplicate`: the client sends the request twice. `lost reply`: it loses the first response and sends the request
   * again.
   */
  client?: 'duplicate' | 'lost reply' | undefined;
}

/** The state of one history. */
export interface Simulation {
  kernel: Kernel;
  service: SimulatedService;
  history: History;
  credentials: Credential[];
  /** Keys of service accounts and secrets of links, by ID. */
  secrets: Map<string, string>;
  observations: Observation[];
  acknowledgements: Acknowledgement[];
  /** Locations in storage of forwarded requests. */
  locations: { location: string; name: string; step: number }[];
  /** The resource versions of repositories, as successful requests returned them. */
  promises: { step: number; version_uid: string; state: string }[];
  itemsAtStart: readonly Item[];
  violations: Violation[];
  story: { step: number; at: number; words: string }[];
  /**
   * True in histories without faults of the environment. In these histories, revocations must take effect within the
   * short bound.
   */
  isCalm: boolean;
  /** The number of requests, by operation and status. */
  operations: Map<string, number>;
}

export interface StepContext extends Simulation {
  step: Step;
  /** The newest data of the model. */
  dataSet: DataSet;
  /** Chooses an item with the step's next number. Returns undefined for an empty list. */
  pick<T>(choices: readonly T[]): T | undefined;
  tell(words: string): void;
}

export interface Action {
  /** Relative frequency. */
  weight: number;
  run(context: StepContext): Promise<void>;
}

/** A part of the service: its steps, and the checks of its data at the end of a history. */
export interface Capability {
  name: string;
  /** The share of the histories that contain steps of this capability. The default is 1. */
  share?: number;
  actions: Record<string, Action>;
  /** Returns the lines that describe the data in the table and in the model. Both must be equal at the end. */
  stored?: (items: readonly Item[]) => string[];
  modeled?: (dataSet: DataSet) => string[];
  /** Additional checks at the end of a history. */
  check?: (simulation: Simulation) => Violation[];
}

/** A management request of the simulation, its permission in the model, and its effect. */
export interface ManagementStep {
  words: string;
  identity: string;
  operation: string;
  target?: Question['target'];
  input?: Question['input'];
  path: string;
  body?: unknown;
  /** Changes the model as the request changes the service. `written` finds the items that the request wrote. */
  apply: (dataSet: DataSet, written: (entity: string) => Item | undefined) => void;
  isCreate?: boolean;
}

/** Items that only record a request and are no effect of it. */
const bookkeeping = /^(idempotency|.*_tally|audit_event|invitations_of_day|invitations_to_one|search_.*)$/;

export async function manage(context: StepContext, request: ManagementStep): Promise<Answered | undefined> {
  const { step, service, kernel, tell } = context;
  const key = request.isCreate ? `step-${step.id}` : undefined;
  const [method = '', ...rest] = request.operation.split(' ');
  const send = (attempt: number) => {
    const sending = { label: `${step.id}/${attempt}`, fault: attempt === 0 ? step.fault : undefined };
    return service.manage(sending, `Bearer ${request.identity}`, method, request.path, request.body, key);
  };
  const judged = async (attempt: number) => {
    const answered = await send(attempt);
    judge(context, request, answered, rest.join(' '));
    return answered;
  };
  if (step.client === 'duplicate') {
    tell(`${request.words}, sent twice`);
    const [first] = await Promise.all([judged(0), judged(1)]);
    return first;
  }
  tell(request.words);
  const first = await judged(0);
  if (step.client !== 'lost reply') return first;
  tell('The client lost the response and sends the request again');
  await kernel.wait(500);
  return judged(1);
}

function judge(context: StepContext, request: ManagementStep, { task, status, body }: Answered, path: string): void {
  const { kernel, history, observations, acknowledgements, violations, operations, step, isCalm, tell } = context;
  const { words, operation, identity, target = {}, input = {}, apply } = request;
  operations.set(`${operation} ${status}`, (operations.get(`${operation} ${status}`) ?? 0) + 1);
  tell(`→ ${status ?? 'no response'}`);
  const effects = task.changes.filter((change) => !bookkeeping.test(entityOf(change)));
  const last = effects.at(-1);
  if (last !== undefined) {
    const written = (entity: string) => effects.find((change) => entityOf(change) === entity)?.after;
    const { sequence, at: committedAt } = last;
    history.commit({ sequence, committedAt, answeredAt: kernel.now, apply: (dataSet) => apply(dataSet, written) });
  }
  const violate = (checker: string, found: string) =>
    violations.push({ checker, step: step.id, words: `${words}: ${found}` });
  if (last !== undefined && status !== undefined && status >= 400 && status < 500) {
    violate('a refused request changes nothing', `${status}, but it wrote ${effects.map(entityOf).join(', ')}`);
  }
  if (isCalm && (status === undefined || status >= 500)) {
    violate('without faults, the service answers', `${status} ${JSON.stringify(body)}`);
  }
  // A repeated create request gets the first answer again, even if the caller has lost the permission.
  const isReplay =
    step.client !== undefined && request.isCreate && status !== undefined && status < 300 && last === undefined;
  if (status === undefined || status >= 500 || isReplay) return;
  if (last === undefined && status < 300) {
    const { startedAt } = task;
    const done = { step: step.id, words, startedAt, endedAt: kernel.now };
    acknowledgements.push({ ...done, apply: (dataSet) => apply(dataSet, () => undefined) });
  }
  const caller = { kind: 'user', identity } as const;
  observations.push({
    kind: 'management',
    step: step.id,
    words: `${words} (${path})`,
    ask: () => ({ caller, operation, target, input }),
    startedAt: task.startedAt,
    endedAt: kernel.now,
    status,
    boundSeconds: 0,
  });
}

function entityOf({ before, after }: TableChange): string {
  return String((after ?? before)?.['entity']);
}

/**
 * Returns the background jobs that have not ended. The job of an inventory stays until its repository is deleted, so it
 * does not count.
 */
export function openJobsIn({ table }: Pick<Kernel, 'table'>): Item[] {
  return table
    .items()
    .filter(({ entity, kind, state }) => entity === 'repository_job' && kind !== 'inventory' && !isEnded(state));
}

/** Returns the prefix of a repository's keys in the bucket. */
export function bucketPrefixOf(repository: Item): string {
  const { mirrors } = repository['data'] as { mirrors: Record<string, { prefix: string }> };
  return `data/${Object.values(mirrors)[0]?.prefix}`;
}

const isEnded = (state: unknown) => state === 'ended' || state === 'stopped';

export function without<T>(list: readonly T[], ...gone: (T | undefined)[]): T[] {
  return list.filter((one) => !gone.includes(one));
}
