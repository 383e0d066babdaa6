import { describe, expect, test } from 'vitest';
import { needsBearerToken, type Operation, routePath } from '../../lib/operations/operation.ts';
import { pathParameterNames } from '../../lib/operations/path-parameters.ts';
import { registry } from '../../lib/operations/registry.ts';
import { exampleBody, filledPath } from '../contract/example-requests.ts';
import { everyOperation } from '../data/every-operation.ts';
import { lookAtTable } from '../functions/table-items.ts';
import { signIn } from '../service/data-clients.ts';
import { sendAnonymous, sendSigned } from '../service/signed-requests.ts';
import { type Answer, type Client, testService } from '../service/test-service.ts';
import { type CountedReads, countReads } from './counted-reads.ts';
import { buildHostileFixture, sizes } from './hostile-fixture.ts';

/**
 * A request must not read more because of other users' data. The fixture has large numbers of every item that other
 * users can create. Each operation and each S3 request may make four sequential reads, and read 1.2 times the items
 * that it shows. Accounts whose names the response shows beside IDs count as shown.
 */
const oneAfterAnotherMax = 4;
const itemsPerShown = 1.2;
/**
 * The number of additional items that a request may read: the caller, the target and its rights, and three times the
 * first item of each of the catalogue's eight shards.
 */
const itemsBeside = 40;

/**
 * Operations that must read a whole list of limited size. An account has at most 500 keys. A key of a service account
 * has three items: the key, its entry in the account, and its last use.
 */
const listsLookedAt: Readonly<Record<string, number>> = {
  // The list shows whether a newer key was used, which depends on all other keys.
  'list-service-account-keys': 3 * 500,
  'create-account-api-key': 500,
  'create-repository-api-key': 500,
  'issue-service-account-key': 3 * 500,
  'revoke-service-account-key': 3 * 500,
  'change-service-account-key-expiry': 3 * 500,
  // The list counts the trusted workflows of ten issuers, at most 100 for each.
  'list-issuers': 10 * 100,
  // The page shows service accounts, their grants, and the newest API keys of the repository and of its account.
  'get-repository-settings': 5 * 100,
};

const table = lookAtTable();
const reads = countReads();
const service = await testService({
  tableName: table.tableName,
  instrument: reads.instrument,
  accountLoopbackEndpoints: true,
});
const fixture = await buildHostileFixture(service, table);
// A new instance reads once which migrations are finished.
await fixture.victim('GET', '/whoami?limit=1');
await service.anyone('GET', '/repositories/hermit?limit=1');
// A new instance also loads the index of the catalogue, which test/lib/search/search-index.test.ts counts.
await service.anyone('GET', '/repositories?sort=title&limit=1');

const ends = /delete|disable|remove|revoke|withdraw/;
/** Operations that delete something run last, because the other operations need the deleted resources. */
const inOrder = registry
  .filter(({ method }) => method !== 'ANY')
  .toSorted((a, b) => Number(ends.test(a.name)) - Number(ends.test(b.name)));

function pathOf(operation: Operation): string {
  const names = { ...fixture.names, ...(operation.name.includes('block') ? { account_id: 'victim' } : {}) };
  const named = pathParameterNames(operation.path).map((name) => [
    name,
    new Map(Object.entries(names)).get(name) ?? `no-${name}`,
  ]);
  const scope = operation.target === 'scope' ? { account_id: 'hermit' } : {};
  return `${service.apiUrl}${filledPath(routePath(operation), operation, { ...scope, ...Object.fromEntries(named) })}`;
}

/** Sends the request of an operation as an allowed caller. */
async function send(operation: Operation, by: Client, query = ''): Promise<Answer> {
  if (operation.kind === 'page') {
    const { status, headers } = await fetch(pathOf(operation));
    return { status, headers, body: undefined };
  }
  const body = exampleBody(operation) ?? operation.example?.body;
  return by(operation.method, pathOf(operation) + query, operation.method === 'GET' ? undefined : body);
}

function shownIn({ body }: Answer): number {
  const list = Array.isArray(body) ? body : body?.memberships;
  return Array.isArray(list) ? list.length + namedIn(list).size : 1;
}

/**
 * Returns the accounts and repositories whose names or titles a list shows. The field `x_name` describes the ID in
 * `x_id` or `x`.
 */
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
 * The number of items that authorization reads for an S3 request: the caller, the account, the repository, the data
 * connection twice, and two minutes of the change feed.
 */
const itemsOfRequest = 20;
/** The list of names decides which repositories are read, so the reads are sequential. */
const chainOf: Readonly<Record<string, number>> = { 'all keys of an account': oneAfterAnotherMax + 2 };
/**
 * A list of several repositories reads all grants or memberships of a principal, cached for one minute. The limits are
 * 1,000 grants of a service account and 1,000 memberships of a user.
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
    ...['gauges', fixture.repositoryByRole].flatMap((repository) =>
      everyOperation('hermit', repository).map(({ name, path, ...each }) => {
        return { ...each, name: `${name} in ${repository}`, path: `/hermit${path}` };
      }),
    ),
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
      const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = fixture.apiKey;
      const key = { accessKeyId, secretAccessKey };
      const session = await signIn(service, fixture.serviceAccountKey, { serviceAccountId: 'hermit--sync' });
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
        // The clock has moved past the TTL of all cache entries.
        service.advance(301);
        let text = '';
        const counted = await reads.during(async () => {
          text = String((await send()).body);
        });
        const shown = text.match(/<(?:Contents|CommonPrefixes|Bucket)>/g)?.length ?? 0;
        const itemsMax = shown * itemsPerShown + itemsOfRequest + (readsRights.includes(name) ? givenMax : 0);
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

describe.each(['anyone', 'the victim', 'an administrator'])('requests of %s', (who) => {
  const client = () => ({ anyone: service.anyone, 'the victim': fixture.victim })[who] ?? fixture.admin;

  test.each(inOrder.map((operation) => [operation.name, operation] as const))(
    '%s stays within the bounds',
    async (_, operation) => {
      for (const query of operation.kind === 'list' ? ['', '?limit=1'] : ['']) {
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
  ])('%s stays within the bounds, also when an instance reads changes', async (query) => {
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

  test('counts all matches, up to ten thousand', async () => {
    const { headers } = await service.anyone('GET', '/repositories?q=tides&limit=1');
    expect(headers.get('x-total-count')).toBe(String(sizes.catalogue));
  });
});

const answered = new Set<string>();
test('every read operation was allowed for at least one caller', () => {
  const isRead = ({ method, permission }: Operation) => method === 'GET' && permission.kind !== 'admin';
  const missed = inOrder.filter((operation) => isRead(operation) && !answered.has(operation.name));
  expect(missed.map(({ name }) => name)).toEqual([]);
  expect(inOrder.filter(needsBearerToken).length).toBeGreaterThan(0);
});
