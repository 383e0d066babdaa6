import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FeedEntry } from '../../../lib/domain/changes/revocation-feed.ts';
import { cachedDataKinds, decisiveItems } from '../../../lib/domain/data/cached-data.ts';
import type { Principal } from '../../../lib/domain/data/data-access.ts';
import { CachedDataAccess, type DataAccessSource } from '../../../lib/edge/cached-data-access.ts';
import { FeedConsumer } from '../../../lib/edge/feed-consumer.ts';
import { otherTableRights } from '../../../lib/operations/table-rights.ts';
import { keys, lists } from '../../../lib/store/keys.ts';
import { partitionsOfReads, ReferenceCache } from './reference-access.ts';

const service = (id: string): Principal => ({
  kind: 'service_account',
  service_account_id: `${id}--sync`,
  service_account_uid: `uid-${id}`,
  times_disabled: 0,
  role: 'ReadOnly',
  signed_in_by: { kind: 'key', id: 'key-1' },
});
const apiKey = (id: string): Principal => ({
  kind: 'api_key',
  access_key_id: 'SCAK',
  account_id: id,
  repository_id: undefined,
});
const path = (account_id: string, repository_id: string) => ({ account_id, repository_id });

interface Question {
  kind: string;
  /** Questions about access. Questions with the same name read the same authorization data. */
  name: string;
  partitions: string[];
  /** Calls a method of `CachedDataAccess`. */
  ask: (access: CachedDataAccess, ageMaxSeconds: number) => Promise<unknown>;
  ageMaxSeconds?: number;
}

const question = (kind: string, ids: string[], ask: Question['ask'], bound?: number): Question => ({
  kind,
  name: `${kind} ${ids.join(' ')}`,
  partitions: partitionsOfReads[kind]?.(...ids) ?? [],
  ask,
  ...(bound === undefined ? {} : { ageMaxSeconds: bound }),
});

const names = ['ada', 'ben'];
const range = { from: '-', to: '~', limit: 10 };
const questions: Question[] = names.flatMap((a) =>
  names.flatMap((b) => [
    question('anonymousAccess', [a, b], (access, age) => access.readAccess({ kind: 'anonymous' }, path(a, b), age)),
    question('serviceAccess', [a, b, `${b}--sync`, `uid-${b}`], (access, age) =>
      access.readAccess(service(b), path(a, b), age),
    ),
    question('keyAccess', [a, b, b], (access, age) => access.readAccess(apiKey(b), path(a, b), age)),
    question('serviceRights', [`${a}--sync`, `uid-${a}`], (access, age) => access.readRights(service(a), age)),
    question('keyRights', [a], (access, age) => access.readRights(apiKey(a), age)),
    question('accounts', [a, b], (access, age) => access.readAccounts([a, b], age)),
    question('repositories', [a, b], (access, age) => access.readRepositories([path(a, b)], age)),
    question('names', [a, b], (access, age) => access.readNames(a, b === 'ada' ? 'public' : 'hidden', range, age)),
    question('names', [a, b, 'on'], (access, age) =>
      access.readNames(a, b === 'ada' ? 'public' : 'hidden', { ...range, from: 'on' }, age),
    ),
    question('apiKey', [a], (access, age) => access.readApiKey(a, age)),
    question('version', [a, 'v1'], async (access, age) => (await access.readVersion(a, 'v1', age)).version),
    question(
      'connection',
      [a],
      async (access) => (await access.readConnectionCredentials({ data_connection_id: a })).credentials,
      300,
    ),
  ]),
);
/**
 * The table partition that a question reads. For a prefix of an account's repositories, it is the partition of one
 * repository.
 */
const feedName = (partition: string) => (partition.endsWith('/') ? `${partition}any` : partition);

/** A table whose answers have consecutive numbers, so that a caller can tell which read returned its answer. */
class Fixture {
  now = Date.UTC(2026, 10, 21, 10, 0, 0);
  fails = false;
  feedFails = false;
  waits = false;
  reads = 0;
  readonly entries: (FeedEntry & { at: number })[] = [];
  #waiting: (() => void)[] = [];

  readonly feed = {
    readSince: async (since: number, now: number) => {
      if (this.feedFails) throw new Error('the feed cannot be read');
      return this.entries.filter(({ at }) => at >= since && at <= now);
    },
  };

  async read(): Promise<number> {
    this.reads += 1;
    const number = this.reads;
    const fails = this.fails;
    if (this.waits) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (fails) throw new Error('the table cannot be read');
    return number;
  }

  release(): void {
    for (const go of this.#waiting.splice(0)) go();
  }
}

type Step =
  | { kind: 'ask'; one: Question; age: number }
  | { kind: 'advance'; seconds: number }
  | { kind: 'tell'; partition: string }
  | { kind: 'set'; what: 'fails' | 'feedFails' | 'waits'; to: boolean };

const kinds = [...new Set(questions.map(({ kind }) => kind))];

/**
 * Generates steps about a few questions, at least one of the given kind. Reads and feed entries for the same data then
 * alternate.
 */
function storiesAbout(kind: string): fc.Arbitrary<Step[]> {
  const ofKind = fc.constantFrom(...questions.filter((one) => one.kind === kind));
  return fc.tuple(ofKind, fc.constantFrom(...questions)).chain((few) => storiesOf(few));
}

function storiesOf(few: readonly Question[]): fc.Arbitrary<Step[]> {
  const partitions = few.flatMap((one) => one.partitions).map(feedName);
  const kind = <Kind extends Step['kind']>(name: Kind) => fc.constant(name);
  const age = fc.constantFrom(0, 60, 300);
  const ask = fc.record({ kind: kind('ask'), one: fc.constantFrom(...few), age });
  const seconds = fc.constantFrom(0.5, 9.9, 10, 30, 60, 61, 121, 300, 301);
  const tell = fc.record({ kind: kind('tell'), partition: fc.constantFrom(...partitions) });
  const what = fc.constantFrom('fails' as const, 'feedFails' as const, 'waits' as const);
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 6, arbitrary: ask },
    { weight: 4, arbitrary: fc.record({ kind: kind('advance'), seconds }) },
    { weight: 3, arbitrary: tell },
    { weight: 1, arbitrary: fc.record({ kind: kind('set'), what, to: fc.boolean() }) },
  );
  return fc.array(step, { maxLength: 40 });
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Returns every answer in order, with the number of table reads after each answer. */
async function run(
  story: readonly Step[],
  askOf: (fixture: Fixture) => (one: Question, age: number) => Promise<unknown>,
) {
  const fixture = new Fixture();
  const ask = askOf(fixture);
  const told: unknown[] = [];
  let answered: [at: number, answer: unknown][] = [];
  const settle = async () => {
    await settled();
    told.push(fixture.reads, ...answered.sort(([a], [b]) => a - b));
    answered = [];
  };
  for (const [at, step] of story.entries()) {
    if (step.kind === 'advance') fixture.now += step.seconds * 1000;
    if (step.kind === 'set') {
      fixture[step.what] = step.to;
      fixture.release();
    }
    if (step.kind === 'tell') fixture.entries.push({ id: `${at}`, at: fixture.now, partitions: [step.partition] });
    if (step.kind === 'ask') {
      void ask(step.one, step.one.ageMaxSeconds ?? step.age).then(
        (answer) => answered.push([at, answer]),
        () => answered.push([at, 'refused']),
      );
    }
    await settle();
  }
  fixture.release();
  await settle();
  return told;
}

function cachedBy(fixture: Fixture, hasFeed = true) {
  const read = () => fixture.read() as Promise<never>;
  const readCarrier = async () => ({ number: await fixture.read() }) as never;
  const source: DataAccessSource = {
    readAccess: readCarrier,
    readRights: read,
    readAccounts: read,
    readRepositories: read,
    readNames: read,
    readVersion: read,
    readApiKey: read,
    readConnection: async () => ({ sealed_authentication: String(await fixture.read()) }) as never,
  };
  const secrets = {
    open: async (sealed: string) => ({ type: 's3_access_key' as const, access_key_id: sealed, secret_access_key: '' }),
  };
  const roles = () => Promise.reject(new Error('no connection here is reached through a role'));
  const listening = { feed: fixture.feed, report: () => undefined };
  const access = new CachedDataAccess(source, { secrets, roles }, () => fixture.now, hasFeed ? listening : undefined);
  return async (one: Question, age: number) => {
    const answer = await one.ask(access, age);
    if (typeof answer !== 'object' || answer === null) return answer;
    return 'number' in answer ? answer.number : Number(Object.values(answer)[1]);
  };
}

function answeredByRule(fixture: Fixture) {
  const reference = new ReferenceCache();
  const listening = { feed: fixture.feed, report: () => undefined };
  const listener = new FeedConsumer(
    listening,
    () => fixture.now,
    (heard) => reference.hear(heard),
  );
  return async (one: Question, age: number) => {
    await listener.catchUp();
    return reference.read(one.name, one.partitions, age, fixture.now, () => fixture.read());
  };
}

test.each(kinds)(
  'the cache answers, drops entries, and refuses as the reference model does: %s',
  async (kind) => {
    await fc.assert(
      fc.asyncProperty(storiesAbout(kind), async (story) => {
        expect(await run(story, (fixture) => cachedBy(fixture))).toEqual(await run(story, answeredByRule));
      }),
      { numRuns: 150 },
    );
  },
  120_000,
);

test('no cached value outlives the TTL of its kind', async () => {
  const fixture = new Fixture();
  const ask = cachedBy(fixture, false);
  for (const one of questions.slice(0, 10)) {
    const first = await ask(one, 1e6);
    fixture.now += 300_000;
    expect(await ask(one, 1e6), one.name).toEqual(first);
    fixture.now += 1;
    expect(await ask(one, 1e6), one.name).not.toEqual(first);
  }
});

test('a request that accepts older data does not wait for a read that needs newer data', async () => {
  const fixture = new Fixture();
  const ask = cachedBy(fixture);
  const [one] = questions;
  if (one === undefined) throw new Error('there is a question');
  const first = await ask(one, 300);
  fixture.now += 100_000;
  Object.assign(fixture, { waits: true, fails: true });
  const write = ask(one, 60).catch(() => 'refused');
  await settled();
  expect(await ask(one, 300)).toBe(first);
  fixture.release();
  expect(await write).toBe('refused');
});

test('the table of kinds names the partitions of the keys', () => {
  const found = {
    account: keys.account('a').pk,
    service_account: keys.account('a--b').pk,
    role: keys.role('a', 'b').pk,
    repository: keys.repository('a', 'b').pk,
    grant: keys.grant('a', 'b').pk,
    api_key: keys.apiKey('a').pk,
    repository_version: keys.repositoryVersion('a', 'b').pk,
    data_connection: keys.dataConnection('a').pk,
  } satisfies Record<keyof typeof decisiveItems, string>;
  for (const [item, { partition }] of Object.entries(decisiveItems)) {
    expect(found[item as keyof typeof found].startsWith(partition), item).toBe(true);
  }
  expect(lists.repositories('a').startsWith(cachedDataKinds.names.listed)).toBe(true);
});

test('the edge function may query only the partitions that it reads as a whole', () => {
  const queries = otherTableRights['serve-object'].filter(({ actions }) => actions.some((name) => name === 'Query'));
  expect(queries).toEqual([
    { actions: ['Query'], partitions: ['FEED#', 'ACCOUNT#', 'SERVICE_ACCOUNT#'] },
    { actions: ['Query'], index: 'names' },
  ]);
});
