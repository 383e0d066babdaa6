import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RepositoryRecord } from '../../lib/domain/data/repositories.ts';
import { memberWrites } from '../../lib/store/memberships/memberships.ts';
import type { MembershipRecord } from '../../lib/store/records.ts';
import { auditEvent, newMembership, newRepository, placedOn } from '../lib/store/open-store.ts';
import { type Answer, type Client, startTestService, type TestService, testService } from '../service/test-service.ts';
import { lookAtTable } from './table-items.ts';
import { connection, createOrganization, inBatches, made, signUpAdmin, signUpFounder, signUpTides } from './users.ts';

const table = lookAtTable();
const service = await testService({ tableName: table.tableName });
await table.stopStream();
const { ada } = await signUpTides(service);

/** Returns the URL in the Link header, which is relative to the request's URL (RFC 8288). */
function nextOf(answer: Answer, apiUrl = service.apiUrl): string | undefined {
  const target = answer.headers.get('link')?.match(/^<([^>]+)>; rel="next"$/)?.[1];
  return target === undefined ? undefined : new URL(target, apiUrl).href;
}

/** Follows the `next` links of a list to its last page. */
async function readAll(client: Client, path: string, apiUrl = service.apiUrl) {
  const pages: Record<string, unknown>[][] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const answer = await made(client('GET', next));
    pages.push(answer.body);
    next = nextOf(answer, apiUrl);
  }
  return pages;
}

/** Returns the items that the store writes for an invitation. */
const itemsOf = (membership: MembershipRecord) =>
  memberWrites(membership).flatMap((write) => (write.kind === 'put' ? [write.item] : []));

const repositoryOf = (account_id: string, repository_id: string, changes: Partial<RepositoryRecord> = {}) =>
  newRepository(account_id, repository_id, {
    data: placedOn('store-one', `${account_id}/${repository_id}/`),
    ...changes,
  });

async function store({ services }: TestService, repositories: readonly RepositoryRecord[]): Promise<void> {
  const dataConnection = await services.store.requestData.findDataConnection('store-one');
  if (dataConnection === undefined) throw new Error('the connection was made before');
  const used = { ...dataConnection, in_use: true };
  await inBatches(repositories.length, 25, async (index) => {
    const item = repositories[index];
    if (item !== undefined)
      await services.store.repositories.create(item, used, undefined, auditEvent(item.account_id));
  });
}

test('a list refuses an unknown parameter, since a misspelled filter would show everything', async () => {
  const refused = await ada('GET', '/repositories/tides?limt=5');
  expect(refused).toMatchObject({ status: 400, body: { code: 'field_invalid', errors: [{ path: '' }] } });
  expect(refused.body.detail).toContain('limt');
  expect((await ada('GET', '/whoami?limt=5')).status).toBe(200);
  expect((await ada('GET', '/accounts/tides?limt=5')).status).toBe(200);
});

describe('a list of 2,500 members', { timeout: 60_000 }, () => {
  let ids: unknown[];
  beforeAll(async () => {
    // Many members were created at the same time, so their order depends on the ID in the cursor.
    const members = Array.from({ length: 2_500 }, (_, index) => ({
      ...newMembership(`member-${index}`, 'tides', { role: 'read_data' }),
      created_at: new Date(Date.parse('2031-01-01T00:00:00.000Z') + Math.floor(index / 100)).toISOString(),
    }));
    await table.putAll(members.flatMap(itemsOf));
    ids = members
      .toSorted((a, b) => (`${a.created_at}#${a.membership_id}` < `${b.created_at}#${b.membership_id}` ? -1 : 1))
      .map(({ membership_id }) => membership_id);
  }, 60_000);

  test.each([
    ['', [1000, 1000, 501]],
    ['?limit=1000', [1000, 1000, 501]],
    ['?limit=834', [834, 834, 833]],
  ])('is complete and in order for each page size (%s)', async (query, sizes) => {
    const pages = await readAll(ada, `/accounts/tides/members${query}`);
    expect(pages.map(({ length }) => length)).toEqual(sizes);
    // The first member of the organization is its founder.
    expect(
      pages
        .flat()
        .slice(1)
        .map((item) => item['membership_id']),
    ).toEqual(ids);
  });

  test('continues after a member that was added or revoked between two pages', async () => {
    const first = await made(ada('GET', '/accounts/tides/members?limit=100'));
    await made(ada('POST', `/memberships/${first.body[99].membership_id}/revoke`));
    const second = await made(ada('GET', nextOf(first) ?? ''));
    expect(second.body[0].membership_id).toBe(ids[99]);
  });
});

describe('a list whose items overflow the pages of the database', { timeout: 60_000 }, () => {
  // One text is large in the table. The other text is large in a response, where JSON needs six bytes for each of its
  // characters.
  const heavy = Array.from({ length: 150 }, (_, index) => {
    const wide = (index % 2 === 0 ? '🌊' : '\u0001').repeat(4096);
    const meta = { title: wide, description: wide, tags: wide };
    return repositoryOf('tides', `heavy-${String(index).padStart(3, '0')}`, { meta });
  });
  beforeAll(() => store(service, heavy), 60_000);

  test.each([
    ['of the account', '/repositories/tides', () => ada],
    ['of the catalogue', '/repositories', () => service.anyone],
  ])(
    '(%s) is complete and in order, in answers within the size limit of a Lambda function',
    async (_, path, client) => {
      const pages = await readAll(client(), path);
      expect(pages.flat().map((item) => item['repository_id'])).toEqual(heavy.map((item) => item.repository_id));
      expect(pages.length).toBeGreaterThan(1);
      for (const page of pages) expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(6_000_000);
    },
  );

  test('fills a page that is larger than one of the database', async () => {
    const answer = await made(ada('GET', '/repositories/tides?limit=40'));
    expect(answer.body).toHaveLength(40);
  });
});

describe('the catalogue over its shards', { timeout: 60_000 }, () => {
  let other: TestService;
  const listed = Array.from({ length: 240 }, (_, index) =>
    repositoryOf('shelf', `item-${index}`, {
      published: new Date(Date.parse('2030-01-01T00:00:00.000Z') + (index % 40)).toISOString(),
    }),
  );
  beforeAll(async () => {
    const otherTable = lookAtTable();
    other = await startTestService({ tableName: otherTable.tableName });
    await otherTable.stopStream();
    const otherAdmin = await signUpAdmin(other);
    await createOrganization(await signUpFounder(other, otherAdmin, 'ada'), 'shelf');
    await made(otherAdmin('POST', '/data-connections', connection('store-one')));
    await store(other, listed);
  }, 60_000);
  afterAll(() => other.close());

  test.each([1000, 240, 100, 7])('is complete and in order in pages of %i', async (limit) => {
    const pages = await readAll(other.anyone, `/repositories?limit=${limit}`, other.apiUrl);
    const nameOf = (item: Record<string, unknown>) => `${item['published']}#shelf/${item['repository_id']}`;
    expect(pages.flat().map(nameOf)).toEqual(listed.map((item) => nameOf({ ...item })).toSorted());
    expect(pages.slice(0, -1).every(({ length }) => length === limit)).toBe(true);
    expect(pages.length).toBe(Math.ceil(240 / limit));
  });
});
