import {
  bucketPrefixOf,
  type Capability,
  manage,
  openJobsIn,
  type Simulation,
  type StepContext,
} from '../capability.ts';
import type { Violation } from '../history.ts';
import type { Item } from '../memory-table/expressions.ts';
import { edgeCount } from '../service.ts';
import { objectKeys, request } from './data.ts';
import { create, deleteFrom, disabling } from './repositories.ts';
import { storageClients } from './versions.ts';

/** A deletion of the files of a repository, with its states in the order of their commits. */
interface Deletion {
  /** The path of the deleted repository. */
  path: string;
  /** The prefix of the deleted repository's keys in the bucket. */
  prefix: string;
  from: number;
  /** The time at which the repository's path and prefix became free. */
  to: number;
  states: { at: number; item: Item }[];
}

/** Returns every deletion of files that the table ever had. */
function deletionsIn({ kernel }: Pick<Simulation, 'kernel'>): Deletion[] {
  const changes = kernel.table.changes.flatMap(({ at, after }) =>
    after?.['kind'] === 'file_deletion' ? [{ at, item: after }] : [],
  );
  return [...Map.groupBy(changes, ({ item }) => item['job_id']).values()].flatMap((states) => {
    const [first] = states;
    if (first === undefined) return [];
    const { account_id, repository_id, storage } = first.item as Record<string, unknown> & {
      storage: { prefix: string };
    };
    const end = states.find(({ item }) => item['state'] === 'ended' || item['state'] === 'stopped');
    const to = end?.at ?? Number.POSITIVE_INFINITY;
    return [{ path: `${account_id}/${repository_id}`, prefix: storage.prefix, from: first.at, to, states }];
  });
}

/**
 * Disables a repository, and deletes it with its files. The service refuses this while the repository has a version, as
 * the first open repository has.
 */
async function start(context: StepContext): Promise<void> {
  const { repositories } = context.dataSet;
  const others = repositories.filter(({ id }) => id !== 'open');
  const repository = context.pick([...others, ...others, ...repositories]);
  if (repository === undefined) return;
  const { account, id, disabledBy } = repository;
  const owner = account === 'ben' ? 'ben' : 'ada';
  const identity = context.pick([owner, owner, owner, owner, 'cyd']) ?? owner;
  const pauseMs = context.pick([0, 0, 300, 20_000]) ?? 0;
  context.service.scheduleRepositoryJobs(context.isCalm);
  if (disabledBy === undefined) {
    const words = `${identity} disables ${account}/${id}`;
    await manage(context, { ...disabling(account, id), words, identity, target: { account, repository: id } });
    await context.kernel.wait(pauseMs);
  }
  await manage(context, {
    words: `${identity} deletes ${account}/${id} with its files`,
    identity,
    operation: 'POST /repositories/{account_id}/{repository_id}/delete',
    target: { account, repository: id },
    path: `/repositories/${account}/${id}/delete`,
    body: { confirm: `${account}/${id}`, delete_files: true },
    apply: (dataSet) => deleteFrom(dataSet, account, id),
  });
}

/** Stops a deletion of files. Only an administrator may do this. */
async function stop(context: StepContext): Promise<void> {
  const job = context.pick(openJobsIn(context.kernel).filter(({ kind }) => kind === 'file_deletion'));
  const identity = context.pick(['admin', 'ada', 'ben'] as const) ?? 'admin';
  if (job === undefined) return;
  const account = String(job['account_id']);
  await manage(context, {
    words: `${identity} stops the deletion of the files of ${account}/${job['repository_id']}`,
    identity,
    operation: 'POST /accounts/{account_id}/file-deletions/{deletion_id}/stop',
    target: { account },
    path: `/accounts/${account}/file-deletions/${job['job_id']}/stop`,
    apply: () => undefined,
  });
}

/**
 * Uses the path of a deleted repository: creates a repository there again, or writes to it with earlier credentials.
 */
const useAgain = (isWrite: boolean) => async (context: StepContext) => {
  const deletions = deletionsIn(context);
  const [account = '', id = ''] = (context.pick(deletions)?.path ?? 'tides/closed').split('/');
  const credential = context.pick(context.credentials);
  const [edge, key] = [context.pick([...Array(edgeCount).keys()]) ?? 0, context.pick(objectKeys) ?? 'object'];
  if (!isWrite) await create(context, id);
  else if (credential !== undefined)
    await request(context, { credential, repository: { account, id }, isWrite, edge, key });
};

async function run({ service, step, tell }: StepContext): Promise<void> {
  tell('The job of the deletions runs');
  await service.runRepositoryJobs({ label: `${step.id}`, fault: step.fault });
}

function check(simulation: Simulation): Violation[] {
  const { kernel, service, operations } = simulation;
  const deletions = deletionsIn(simulation);
  const found: Violation[] = [];
  const violate = (checker: string, words: string) =>
    found.push({ checker: `file deletions: ${checker}`, step: Number.POSITIVE_INFINITY, words });
  for (const { at, names } of service.storage.deletions) {
    const isMeant = (name: string) =>
      deletions.some(({ prefix, from, to }) => name.startsWith(prefix) && from < at && at <= to);
    const other = names.find((name) => !isMeant(name));
    if (other !== undefined) violate('no other file is deleted', other);
  }
  for (const { path, prefix, from, to, states } of deletions) {
    const created = kernel.table.changes.filter(({ at, before, after }) => {
      if (after?.['entity'] !== 'repository' || before !== undefined || at <= from) return false;
      return `${after['account_id']}/${after['repository_id']}` === path || bucketPrefixOf(after) === prefix;
    });
    const next = created[0]?.at ?? Number.POSITIVE_INFINITY;
    if (next < to) violate('the path and the prefix are reserved', path);
    const late = service.writes.find(({ at, name }) => name.startsWith(prefix) && at >= to && at < next);
    if (late !== undefined) violate('no write is accepted after the end', late.name);
    const last = states.at(-1)?.item;
    const ending = `${last?.['state']} deletion of files 200`;
    operations.set(ending, (operations.get(ending) ?? 0) + 1);
    if (to === Number.POSITIVE_INFINITY) violate('a deletion ends', `${path} is ${last?.['state']}`);
    if (last?.['state'] !== 'ended') continue;
    const startsAt = Date.parse(String(last['starts_at']));
    const lists = service.storage.lists.filter((list) => list.prefix === prefix && list.at >= startsAt - 10_000);
    const lastList = lists.findLast(({ at }) => at <= to)?.at ?? from;
    const log = service.storage.log.filter(({ at, name }) => at < lastList && name.startsWith(prefix));
    const left = new Map(log.map(({ name, content }) => [name, content]));
    for (const [name, content] of left) if (content !== undefined) violate('no file is left at the end', name);
  }
  return found;
}

/** Deletions of repositories with their files, while clients write, create the path again, or transfer to it. */
export const fileDeletions: Capability = {
  name: 'file deletions',
  share: 0.25,
  actions: {
    'delete with files': { weight: 14, run: start },
    'stop a deletion of files': { weight: 8, run: stop },
    'create a deleted repository again': { weight: 7, run: useAgain(false) },
    'write to a deleted repository': { weight: 8, run: useAgain(true) },
    'run the job of the deletions': { weight: 8, run },
    ...storageClients,
  },
  check,
};
