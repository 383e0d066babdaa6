import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { needsBearerToken, type Operation, routePath } from '../../lib/operations/operation.ts';
import { pathParameterNames } from '../../lib/operations/path-parameters.ts';
import { registry } from '../../lib/operations/registry.ts';
import { filledPath } from '../contract/named-scopes.ts';
import { bodyFor } from '../contract/valid-bodies.ts';
import { everyOperation } from '../data/every-operation.ts';
import { lookAtTable } from '../functions/table-items.ts';
import { signIn } from '../service/data-clients.ts';
import { sendAnonymous, sendSigned } from '../service/signed-requests.ts';
import { type Answer, type Client, startTestService, type TestService } from '../service/test-service.ts';
import { type CountedReads, countReads } from './counted-reads.ts';
import { buildHostileWorld, type HostileWorld, sizes } from './hostile-world.ts';

/**
 * No request reads what grows with somebody else's doings. Each operation of the registry, and each S3 request, is sent
 * into a world in which everything that can be many is: it may make four reads one after another, and read 1.2 times the
 * items that it shows, each account whose name stands beside an ID among them.
 */
const oneAfterAnotherMax = 4;
const itemsPerShown = 1.2;
/** Who asks, what is asked about and whether that may be; the first of each of the catalogue's eight shards, three times. */
const itemsBeside = 40;

/**
 * What has to look at all of a list that has a bound: the keys of one are 500 at most, those of a service account three
 * items each (the key, where its account finds it, and when it was last used).
 */
const listsLookedAt: Readonly<Record<string, number>> = {
  // Whether a newer key is in use hangs on all the others.
  'list-service-account-keys': 3 * 500,
  'create-account-api-key': 500,
  'create-repository-api-key': 500,
  'issue-service-account-key': 3 * 500,
  'revoke-service-account-key': 3 * 500,
  'change-service-account-key-expiry': 3 * 500,
};

const table = lookAtTable();
const reads = countReads();
let service: TestService;
let world: HostileWorld;
beforeAll(async () => {
  service = await startTestService({ tableName: table.tableName, instrument: reads.instrument });
  world = await buildHostileWorld(service, table);
  // An instance that has just begun asks once what migrations are finished.
  await world.victim('GET', '/whoami?limit=1');
  await service.anyone('GET', '/repositories/hermit?limit=1');
  // And loads the index of the catalogue: test/lib/management/search-index.test.ts counts that.
  await service.anyone('GET', '/repositories?sort=title&limit=1');
}, 300_000);
afterAll(() => service.close());

const ends = /delete|disable|remove|revoke|withdraw/;
/** What takes something away comes last, so that there is something for the others. */
const inOrder = registry
  .filter(({ method }) => method !== 'ANY')
  .toSorted((a, b) => Number(ends.test(a.name)) - Number(ends.test(b.name)));

function pathOf(operation: Operation): string {
  const names = { ...world.names, ...(operation.name.includes('block') ? { account_id: 'victim' } : {}) };
  const named = pathParameterNames(operation.path).map((name) => [
    name,
    new Map(Object.entries(names)).get(name) ?? `no-${name}`,
  ]);
  const scope = operation.target === 'scope' ? { account_id: 'hermit' } : {};
  return `${service.apiUrl}${filledPath(routePath(operation), operation, { ...scope, ...Object.fromEntries(named) })}`;
}

/** By the caller who is permitted, whoever that is. */
async function send(operation: Operation, by: Client, query = ''): Promise<Answer> {
  if (operation.isPage) {
    const { status, headers } = await fetch(pathOf(operation));
    return { status, headers, body: undefined };
  }
  const body = bodyFor(operation) ?? operation.example?.body;
  return by(operation.method, pathOf(operation) + query, operation.method === 'GET' ? undefined : body);
}

function shownIn({ body }: Answer): number {
  const list = Array.isArray(body) ? body : body?.memberships;
  return Array.isArray(list) ? list.length + namedIn(list).size : 1;
}

/** What the names and titles in the entries of a list are of: where `x_name` is, `x_id` or `x` says of whom. */
function namedIn(list: readonly Record<string, unknown>[]): Set<unknown> {
  return new Set(
    list.flatMap((entry) => {
      const of = { ...entry, ...(entry['actor'] as object | undefined) } as Record<string, unknown>;
      const named = Object.keys(of).filter((field) => /_(?:name|title)$/.test(field));
      return named.map((field) => field.replace(/_(?:name|title)$/, '')).map((field) => of[`${field}_id`] ?? of[field]);
    }),
  );
}

function isWithin(operation: Pick<Operation, 'name'>, shown: number, { oneAfterAnother, items }: CountedReads) {
  const itemsMax = shown * itemsPerShown + (listsLookedAt[operation.name] ?? 0) + itemsBeside;
  return oneAfterAnother <= oneAfterAnotherMax && items <= itemsMax;
}

/**
 * Facts about an S3 request beside what it shows: who asks, the path's account and repository, its connection twice, and
 * what the feed of revocations said in the last two minutes.
 */
const factsOfRequest = 20;
/** Which repository's keys are shown comes of a list of names, and only then is that repository looked at. */
const chainOf: Readonly<Record<string, number>> = { 'all keys of an account': oneAfterAnotherMax + 2 };
/**
 * What a principal was given is read whole where a list names more than one repository, and kept for a minute: a service
 * account has 1,000 grants at most, a person 1,000 memberships.
 */
const givenMax = 1000;
const readsRights = ['ListBuckets', 'a list of an account', 'a page of a list of an account', 'all keys of an account'];

describe('an S3 request', () => {
  const cases = [
    { name: 'ListBuckets', method: 'GET', path: '/' },
    { name: 'a list of an account', method: 'GET', path: '/hermit', query: { 'list-type': '2', delimiter: '/' } },
    {
      name: 'a page of a list of an account',
      method: 'GET',
      path: '/hermit',
      query: { 'list-type': '2', delimiter: '/', 'max-keys': '10', 'start-after': 'hidden-3' },
    },
    { name: 'all keys of an account', method: 'GET', path: '/hermit', query: { 'list-type': '2' } },
    ...everyOperation('hermit', 'gauges').map((each) => ({ ...each, path: `/hermit${each.path}` })),
  ];
  type S3Case = {
    name: string;
    method: string;
    path: string;
    query?: Record<string, string>;
    headers?: Record<string, string>;
    body?: string;
  };

  test.each((cases as S3Case[]).map((each) => [each.name, each] as const))(
    '%s stays within the bounds',
    async (name, each) => {
      const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = world.apiKey;
      const key = { accessKeyId, secretAccessKey };
      const session = await signIn(service, world.serviceAccountKey, { serviceAccountId: 'hermit--sync' });
      const query = new URLSearchParams(each.query).toString();
      const senders = {
        anyone: () =>
          sendAnonymous(
            service,
            each.method,
            query === '' ? each.path : `${each.path}?${query}`,
            each.headers,
            each.body,
          ),
        'a key': () => sendSigned(service, key, signable(each), { signedAt: service.services.clock() }),
        'a service account': () => sendSigned(service, session, signable(each), { signedAt: service.services.clock() }),
      };
      for (const [who, send] of Object.entries(senders)) {
        // Nothing that an instance remembers helps.
        service.advance(301);
        let text = '';
        const counted = await reads.during(async () => {
          text = String((await send()).body);
        });
        const shown = text.match(/<(?:Contents|CommonPrefixes|Bucket)>/g)?.length ?? 0;
        const itemsMax = shown * itemsPerShown + factsOfRequest + (readsRights.includes(name) ? givenMax : 0);
        expect({ name, who, shown, ...counted }).toSatisfy(
          () => counted.oneAfterAnother <= (chainOf[name] ?? oneAfterAnotherMax) && counted.items <= itemsMax,
        );
      }
    },
  );

  const signable = ({ method, path, query = {}, headers = {}, body }: S3Case) => ({
    method,
    path,
    query,
    headers,
    ...(body === undefined ? {} : { body }),
  });
});

describe.each(['anyone', 'the victim', 'an administrator'])('of %s', (who) => {
  const client = () => ({ anyone: service.anyone, 'the victim': world.victim })[who] ?? world.admin;

  test.each(inOrder.map((operation) => [operation.name, operation] as const))(
    '%s stays within the bounds',
    async (_, operation) => {
      for (const query of operation.isList ? ['', '?limit=1'] : ['']) {
        let answer: Answer | undefined;
        const counted = await reads.during(async () => {
          answer = await send(operation, client(), query);
        });
        if (answer === undefined) throw new Error('no answer');
        expect(answer.status).toBeLessThan(500);
        if (answer.status < 300) answered.add(operation.name);
        const shown = shownIn(answer);
        expect({ query, shown, ...counted }).toSatisfy(() => isWithin(operation, shown, counted));
      }
    },
  );
});

describe('a search of the catalogue', () => {
  test.each([
    'q=tides',
    'q=tidse+opne',
    'q=op&tag=sea',
    'account_id=publisher-1',
    'license=MIT',
    'sort=title',
    'q=no-such-word',
  ])('%s stays within the bounds, also when an instance looks what changed', async (query) => {
    for (const limit of ['', '&limit=1', '&limit=30']) {
      service.advance(11);
      let answer: Answer | undefined;
      const counted = await reads.during(async () => {
        answer = await service.anyone('GET', `/repositories?${query}${limit}`);
      });
      expect(answer?.status).toBe(200);
      const shown = answer?.body.length;
      expect({ limit, shown, ...counted }).toSatisfy(() => isWithin({ name: 'list-catalogue' }, shown, counted));
    }
  });

  test('has as many matches as there are, up to ten thousand', async () => {
    const { headers } = await service.anyone('GET', '/repositories?q=tides&limit=1');
    expect(headers.get('x-total-count')).toBe(String(sizes.catalogue));
  });
});

const answered = new Set<string>();
test('every operation that reads was answered to somebody, so that none is left out', () => {
  const isRead = ({ method, permission }: Operation) => method === 'GET' && permission.kind !== 'admin';
  const missed = inOrder.filter((operation) => isRead(operation) && !answered.has(operation.name));
  expect(missed.map(({ name }) => name)).toEqual([]);
  expect(inOrder.filter(needsBearerToken).length).toBeGreaterThan(0);
});
