import { limits } from '../../../lib/domain/limits.ts';
import { decodeIndex, decodePage, partName } from '../../../lib/s3/versions/manifest.ts';
import type { Repository } from '../../model/data-set.ts';
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
import { calmBoundSeconds, objectKeys, request } from './data.ts';

const names = ['v1', 'v2'] as const;
const at = '/repositories/{account_id}/{repository_id}';
const repositoriesOf = ({ dataSet }: StepContext) => dataSet.repositories.filter(({ account }) => account === 'tides');

/** A version of a repository, with all its states in the order in which they were committed. */
interface StoredVersion {
  uid: string;
  name: string;
  /** The prefix of the repository's keys in the bucket. */
  prefix: string;
  states: { at: number; item: Item }[];
}

/** Returns every version that the table ever had. */
function versionsIn({ kernel, itemsAtStart }: Pick<Simulation, 'kernel' | 'itemsAtStart'>): StoredVersion[] {
  const atStart = itemsAtStart.map((item) => ({ at: 0, item }));
  const changes = kernel.table.changes.map(({ at: committedAt, after = {} }) => ({ at: committedAt, item: after }));
  const written = [...atStart, ...changes].filter(({ item }) => item['entity'] === 'repository_version');
  return [...Map.groupBy(written, ({ item }) => String(item['version_uid']))].flatMap(([uid, states]) => {
    const first = states[0]?.item as { name: string; storage: { prefix: string } } | undefined;
    return first === undefined ? [] : [{ uid, name: first.name, prefix: first.storage.prefix, states }];
  });
}

/**
 * Returns the contents of a ready version, by key, as its manifest in storage names them. After a withdrawal, a
 * deletion of files can delete the manifest.
 */
function contentsOf({ service }: Pick<Simulation, 'service'>, { uid, prefix, states }: StoredVersion) {
  const digest = states.find(({ item }) => item['index_sha256'] !== undefined)?.item['index_sha256'];
  if (digest === undefined) return undefined;
  const part = (sha256: string) => {
    const wanted = `${prefix}.sluice/versions/${uid}/${partName(sha256)}`;
    const written = service.storage.log.find(({ name, content }) => name === wanted && content !== undefined);
    return Buffer.from(written?.content ?? '', 'latin1');
  };
  const pages = decodeIndex(part(String(digest)), String(digest));
  const entries = pages.flatMap(({ sha256 }) => decodePage(part(sha256), sha256));
  return new Map(
    entries.map(({ key, version_id }) => [key, service.storage.find(prefix + key, version_id)?.content ?? 'missing']),
  );
}

async function create(context: StepContext): Promise<void> {
  const repository = context.pick(repositoriesOf(context));
  const [name, identity] = [context.pick(names) ?? 'v1', context.pick(['ada', 'ada', 'ben'] as const) ?? 'ada'];
  if (repository === undefined) return;
  context.service.scheduleRepositoryJobs(context.isCalm);
  const path = `/repositories/tides/${repository.id}/versions`;
  const answered = await manage(context, {
    words: `${identity} freezes tides/${repository.id} as ${name}`,
    identity,
    operation: `POST ${at}/versions`,
    target: { account: 'tides', repository: repository.id },
    path,
    body: { name },
    isCreate: true,
    apply: () => undefined,
  });
  if (answered?.status === 201) context.promises.push({ step: context.step.id, ...answered.body, state: 'created' });
}

async function withdraw(context: StepContext): Promise<void> {
  const ready = versionsIn(context).filter(({ states }) => states.at(-1)?.item['state'] === 'ready');
  const version = context.pick(ready);
  const repository = context.pick(repositoriesOf(context).filter(isNamedBy(version)));
  const name = version?.name ?? 'v1';
  if (repository === undefined) return;
  const answered = await manage(context, {
    words: `ada withdraws tides/${repository.id}@${name}`,
    identity: 'ada',
    operation: `POST ${at}/versions/{version_name}/withdraw`,
    target: { account: 'tides', repository: repository.id },
    path: `/repositories/tides/${repository.id}/versions/${name}/withdraw`,
    body: { reason: 'An error in the data' },
    apply: () => undefined,
  });
  if (answered?.status === 200) context.promises.push({ step: context.step.id, ...answered.body });
}

async function verify(context: StepContext): Promise<void> {
  const version = context.pick(versionsIn(context).filter(({ states }) => states.at(-1)?.item['state'] === 'ready'));
  const repository = context.pick(repositoriesOf(context).filter(isNamedBy(version)));
  const identity = context.pick(['ada', 'ada', 'ada', 'ben'] as const) ?? 'ada';
  if (version === undefined || repository === undefined) return;
  context.service.scheduleRepositoryJobs(context.isCalm);
  await manage(context, {
    words: `${identity} verifies tides/${repository.id}@${version.name}`,
    identity,
    operation: `POST ${at}/versions/{version_name}/verify`,
    target: { account: 'tides', repository: repository.id },
    path: `/repositories/tides/${repository.id}/versions/${version.name}/verify`,
    apply: () => undefined,
  });
}

const run = async ({ service, step, tell }: StepContext) => {
  tell('The job of the versions runs');
  await service.runRepositoryJobs({ label: `${step.id}`, fault: step.fault });
};

/** Reads an object of a version, and compares it with the manifest. */
async function read(context: StepContext): Promise<void> {
  const { pick, kernel, isCalm, violations, step } = context;
  const known = versionsIn(context);
  const named = pick(known.filter((version) => contentsOf(context, version) !== undefined));
  const credential = pick(context.credentials);
  const repository = pick(repositoriesOf(context).filter(isNamedBy(named)));
  const keys = [...((named && contentsOf(context, named)?.keys()) ?? []), 'c'];
  const [key, edge] = [pick(keys) ?? 'c', pick([...Array(edgeCount).keys()]) ?? 0];
  if (credential === undefined || repository === undefined) return;
  const name = named?.name ?? 'v1';
  const startedAt = kernel.now;
  const use = { credential, repository, isWrite: false, edge, key, version: name };
  const { status, body } = (await request(context, use)) ?? {};
  if (status === undefined || status >= 500 || status === 403) return;
  const versions = versionsIn(context).filter((one) => one.name === name && isNamedBy(one)(repository));
  const boundSeconds = isCalm ? calmBoundSeconds : limits.readAuthorizationTtlSeconds;
  const since = startedAt - boundSeconds * 1000;
  const violate = (checker: string, found: string) =>
    violations.push({ checker, step: step.id, words: `tides/${repository.id}@${name}/${key}: ${found}` });
  if (status === 200) {
    const candidates = versions.filter((version) => wasReadyIn(version, since, kernel.now));
    if (candidates.length === 0) violate('versions: nothing is read after a withdrawal', 'it was read');
    else if (!candidates.some((version) => contentsOf(context, version)?.get(key) === body))
      violate('versions: a version never changes', `it was read as ${body}`);
    return;
  }
  const prefix = prefixSince(context, repository.id, since);
  const isThere = versions.some(
    (version) =>
      version.prefix === prefix && isReadySince(version, since) && contentsOf(context, version)?.has(key) === true,
  );
  if (status !== 404 || isThere) violate('versions: an object of a version stays readable', `${status}`);
}

const isNamedBy = (version: StoredVersion | undefined) => (repository: Pick<Repository, 'id'>) =>
  version === undefined || version.prefix.endsWith(`/${repository.id}/`);

function wasReadyIn({ states }: StoredVersion, from: number, to: number): boolean {
  return states.some(
    (state, index) =>
      state.item['state'] === 'ready' && state.at <= to && (states[index + 1]?.at ?? Number.POSITIVE_INFINITY) >= from,
  );
}

/** Returns the prefix of the repository that has had the path since a time, without a transfer or a deletion. */
function prefixSince({ kernel, itemsAtStart }: StepContext, id: string, since: number): string | undefined {
  const isIt = (item: Item | undefined) =>
    item?.['entity'] === 'repository' && item['account_id'] === 'tides' && item['repository_id'] === id;
  const changes = kernel.table.changes.filter(({ before, after }) => isIt(before) || isIt(after));
  const created = changes.findLast(({ before }) => before === undefined);
  const first = created?.after ?? itemsAtStart.find(isIt);
  const isPresent = changes.length === 0 || changes.at(-1)?.after !== undefined;
  return first !== undefined && isPresent && (created?.at ?? 0) < since ? bucketPrefixOf(first) : undefined;
}

/** Returns true if the version became ready before `from` and is still ready. */
function isReadySince({ states }: StoredVersion, from: number): boolean {
  const last = states.at(-1);
  return last?.item['state'] === 'ready' && last.at < from;
}

/** Changes an object as a client of the storage itself does. The data proxy relays the same requests. */
const write = (change: (context: StepContext, name: string) => string) => async (context: StepContext) => {
  const { kernel, pick, tell } = context;
  const stored = kernel.table.items().filter(({ entity }) => entity === 'repository');
  const repository = pick(stored);
  const key = pick(objectKeys);
  if (repository !== undefined) tell(`A client ${change(context, `${bucketPrefixOf(repository)}${key}`)}`);
};

function complete({ service, pick, tell }: StepContext): void {
  const upload = pick(service.storage.uploads);
  if (upload === undefined) return;
  service.storage.complete(upload);
  tell(`A client completes the upload of ${upload.name}`);
}

/** Checks every version: for each key, it contains the object that was current at one moment of the freeze. */
function check(simulation: Simulation): Violation[] {
  const { kernel, service, isCalm, promises } = simulation;
  const versions = versionsIn(simulation);
  const found: Violation[] = [];
  const violate = (checker: string, { name, prefix }: Pick<StoredVersion, 'name' | 'prefix'>, words: string) =>
    found.push({ checker, step: Number.POSITIVE_INFINITY, words: `${prefix}@${name}: ${words}` });
  for (const { step, version_uid, state } of promises) {
    const version = versions.find(({ uid }) => uid === version_uid);
    const isThere = version?.states.some(({ item }) => state === 'created' || item['state'] === state);
    if (!isThere)
      found.push({ checker: 'acknowledged changes are there', step, words: `no version ${version_uid} is ${state}` });
  }
  for (const version of versions) {
    const last = version.states.at(-1)?.item;
    const { state, failure } = last as { state: string; failure?: { reason: string } };
    if (state === 'freezing') violate('versions: a freeze ends', version, 'it still freezes');
    if (state === 'failed' && (isCalm || failure?.reason !== 'storage_unavailable'))
      violate('versions: a freeze succeeds', version, `it failed: ${failure?.reason}`);
    const contents = contentsOf(simulation, version);
    if (contents === undefined) continue;
    if (state === 'ready' && service.storage.current(`${version.prefix}.sluice/versions/${version.uid}/`).length === 0)
      violate('versions: a version never changes', version, 'its manifest was deleted');
    const from = version.states[0]?.at ?? 0;
    // The storage gives the time of marker B in whole seconds.
    const to = Date.parse(String(last?.['frozen_at'])) + 999;
    const changes = service.storage.log.filter(({ name }) => isInVersion(name, version.prefix));
    for (const [name, all] of Map.groupBy(changes, (change) => change.name)) {
      const before = all.findLast((change) => change.at < from)?.content;
      const during = all.filter((change) => change.at >= from && change.at <= to).map(({ content }) => content);
      const content = contents.get(name.slice(version.prefix.length));
      if (![before, ...during].includes(content))
        violate('versions: each object was current at the instant', version, `${name} is ${content}`);
    }
    const unknown = [...contents.keys()].find((key) => !changes.some(({ name }) => name === version.prefix + key));
    if (unknown !== undefined) violate('versions: each object was current at the instant', version, `has ${unknown}`);
  }
  for (const { entity, state, checked, missing, changed } of kernel.table.items()) {
    const isRight = state === 'failed' || (state === 'done' && missing === 0 && changed === 0);
    if (entity === 'version_verification' && !isRight)
      violate(
        'versions: a verification finds what is stored',
        { name: '', prefix: '' },
        `${state}: ${missing} of ${checked} are missing, and ${changed} changed`,
      );
  }
  const jobs = openJobsIn(kernel).filter(({ kind }) => kind !== 'file_deletion');
  if (jobs.length > 0) violate('versions: a freeze ends', { name: '', prefix: '' }, `${jobs.length} jobs are left`);
  return found;
}

function isInVersion(name: string, prefix: string): boolean {
  return name.startsWith(prefix) && !name.startsWith(`${prefix}.sluice/`);
}

/** Steps of clients that use the storage itself. */
export const storageClients: Capability['actions'] = {
  'write to storage': {
    weight: 8,
    run: write(({ service, step }, name) => {
      service.storage.put(name, `step ${step.id}`);
      return `writes ${name}`;
    }),
  },
  'delete in storage': {
    weight: 4,
    run: write(({ service }, name) => {
      service.storage.put(name, undefined);
      return `deletes ${name}`;
    }),
  },
  'begin an upload': {
    weight: 5,
    run: write(({ service, step }, name) => {
      service.storage.begin(name, `upload of step ${step.id}`);
      return `begins an upload of ${name}`;
    }),
  },
  'complete an upload': { weight: 6, run: async (context) => complete(context) },
};

export const versions: Capability = {
  name: 'versions',
  share: 0.4,
  actions: {
    'freeze a version': { weight: 10, run: create },
    'withdraw a version': { weight: 8, run: withdraw },
    'verify a version': { weight: 4, run: verify },
    'run the job of the versions': { weight: 4, run },
    'read a version': { weight: 40, run: read },
    ...storageClients,
  },
  check,
};
