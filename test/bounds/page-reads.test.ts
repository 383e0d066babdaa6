import { randomUUID } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { defaultSite } from '../../lib/domain/site.ts';
import { openTable } from '../../lib/lambda/table.ts';
import { createFunctions } from '../../lib/local/functions.ts';
import { pages } from '../../lib/operations/pages.ts';
import { createStore } from '../../lib/store/store.ts';
import { connection, createOrganization, made, repository, signUpAdmin, signUpFounder } from '../functions/users.ts';
import { nameOfRight } from '../service/enforced-rights.ts';
import { serveInFile } from '../service/http-server.ts';
import { startTestService, type TestService } from '../service/test-service.ts';
import { countReads } from './counted-reads.ts';

/**
 * The number of reads of a page depends only on what it shows. This holds for the table, and for storage with a folder
 * of ten files and one of a hundred thousand.
 */
const sizes = { few: 10, many: 100_000 };
const hiddenRepositories = 40;
/** More repositories than the home page and a catalogue page show. */
const listedRepositories = 30;

const asked: string[] = [];
const reads = countReads();
const endpoint = await serveInFile((request, response) => {
  const url = new URL(request.url ?? '/', 'http://storage');
  asked.push(`${request.method} ${url.searchParams.has('list-type') ? 'list' : 'object'}`);
  response.end(request.method === 'GET' ? listOf(url.searchParams) : undefined);
});
const tableName = `test-${randomUUID()}`;
let client: DynamoDBClient;
let service: TestService;
beforeAll(async () => {
  service = await startTestService({
    tableName,
    instrument: (given) => {
      // The edge client is created after this spy, and has no `send` method yet.
      if ('send' in given) client = given as DynamoDBClient;
      reads.instrument(given);
    },
  });
  const admin = await signUpAdmin(service);
  const owner = await signUpFounder(service, admin, 'owner');
  await createOrganization(owner, 'hermit');
  const details = { provider: 's3', bucket: 'made-up', base_prefix: '', region: 'eu-west-1', endpoint };
  await made(admin('POST', '/data-connections', connection('store-one', { details })));
  const make = async (id: string, isListed: boolean) => {
    await made(owner('POST', '/repositories/hermit', repository(id, { data_mode: isListed ? 'open' : 'private' })));
    const { meta } = repository(id);
    if (isListed) await made(owner('PUT', `/repositories/hermit/${id}`, { meta, state: 'listed' }));
  };
  for (let at = 0; at < hiddenRepositories; at += 1) await make(`hidden-${at}`, false);
  for (let at = 0; at < listedRepositories; at += 1) await make(`listed-${at}`, true);
  await vi.waitFor(
    async () => {
      service.advance(11);
      expect(await (await fetch(`${service.apiUrl}/sitemap.xml`)).text()).toContain(
        `listed-${listedRepositories - 1}<`,
      );
    },
    { timeout: 60_000, interval: 200 },
  );
}, 300_000);
afterAll(async () => {
  await service?.close();
});

/** Returns one page of keys such as `file-000000.csv`, in folders named after their size. */
function listOf(query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? '';
  const count = prefix.endsWith('few/') ? sizes.few : prefix.endsWith('many/') ? sizes.many : 0;
  const from = Number(query.get('continuation-token') ?? 0);
  const end = Math.min(count, from + Number(query.get('max-keys') ?? 1000));
  const keys = Array.from({ length: end - from }, (_, at) => `${prefix}file-${String(from + at).padStart(6, '0')}.csv`);
  const contents = keys.map(
    (key) =>
      `<Contents><Key>${key}</Key><Size>7</Size><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>`,
  );
  const next = end < count ? `<NextContinuationToken>${end}</NextContinuationToken>` : '';
  return `<ListBucketResult><IsTruncated>${end < count}</IsTruncated>${next}<KeyCount>${keys.length}</KeyCount>${contents.join('')}</ListBucketResult>`;
}

/**
 * Moves the clock past all TTLs, to the middle of a minute. The change feed has one partition for each minute, so the
 * second decides how many partitions a read needs.
 */
function forget() {
  const earliest = service.services.clock() / 1000 + 301;
  service.advance(301 + 90 - (earliest % 60));
}

async function open(path: string) {
  let html = '';
  asked.length = 0;
  const counted = await reads.during(async () => {
    const answer = await fetch(service.apiUrl + path);
    html = await answer.text();
    expect([path, answer.status]).toEqual([path, 200]);
  });
  return { html, counted, storage: [...asked] };
}

describe('a folder of a hundred thousand files', () => {
  test('needs as many table and storage requests as a folder of ten files', async () => {
    forget();
    const few = await open('/hermit/listed-0/few/');
    forget();
    const many = await open('/hermit/listed-0/many/');
    expect(few.html.match(/file-\d{6}\.csv<\/a>/g)).toHaveLength(sizes.few);
    expect(many.html.match(/file-\d{6}\.csv<\/a>/g)).toHaveLength(200);
    expect([many.counted, many.storage]).toEqual([few.counted, few.storage]);
    expect(many.storage).toEqual(['GET list']);
  });

  test('sends one storage request for each page of the list', async () => {
    let path: string | undefined = '/hermit/listed-0/many/';
    const names = new Set<string>();
    for (let page = 0; page < 12 && path !== undefined; page += 1) {
      const { html, storage: requests } = await open(path);
      for (const [name] of html.matchAll(/file-\d{6}\.csv(?=<\/a>)/g)) names.add(name);
      expect(requests).toEqual(['GET list']);
      path = /<a href="([^"]+)" rel="next"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
    }
    expect(names.size).toBe(12 * 200);
  });
});

/**
 * Reads of a page from the table. A page that sends a request to the data proxy also counts the reads of that request.
 */
const boundsOf: Readonly<Record<string, { oneAfterAnother: number; items: number }>> = {
  // The front page reads the first item of each of the catalogue's eight shards four times. It also reads more items of
  // the shards with many new repositories, and the changes of the catalogue since the last index.
  '/': { oneAfterAnother: 3, items: 2 * listedRepositories + 10 },
  // The search reads the changes of the catalogue since the last index. It also reads ten more repositories than the
  // page shows, each with its account.
  '/-/search': { oneAfterAnother: 4, items: 2 * listedRepositories + 10 },
  // The page also reads the changes of the catalogue since the last index.
  '/hermit': { oneAfterAnother: 4, items: 2 * listedRepositories },
  '/hermit/listed-0': { oneAfterAnother: 4 + 4, items: 20 },
  '/-/versions/hermit/listed-0': { oneAfterAnother: 3, items: 5 },
  '/sitemap.xml': { oneAfterAnother: 1, items: listedRepositories + 10 },
  '/robots.txt': { oneAfterAnother: 0, items: 0 },
};

describe('reads of pages from the table', () => {
  test.each(Object.entries(boundsOf))('%s stays within %o', async (path, bounds) => {
    // A new instance reads once which migrations are finished.
    await open(path);
    service.advance(11);
    const { counted } = await open(path);
    expect(counted).toSatisfy(
      () => counted.oneAfterAnother <= bounds.oneAfterAnother && counted.items <= bounds.items,
      JSON.stringify(counted),
    );
  });

  test.each([
    ['show-front', '/', {}],
    ['show-account', '/hermit', { account_id: 'hermit' }],
    ['show-repository', '/hermit/listed-0', { account_id: 'hermit', repository_id: 'listed-0' }],
    ['show-search', '/-/search', {}],
    ['get-sitemap', '/sitemap.xml', {}],
  ])('stays within the bounds for a cold instance of %s', async (...page) => {
    const [name, rawPath, pathParameters] = page;
    const store = createStore(openTable(client, tableName));
    const { idempotency, requestData } = store;
    const site = () => ({ ...defaultSite, url: service.apiUrl });
    const invoke = createFunctions({ ...service.services, store, requestData, idempotency }, service.identity.people, {
      site,
      openDataCacheSeconds: 0,
    });
    const event = { rawPath, rawQueryString: '', headers: {}, pathParameters, requestContext: { requestId: 'one' } };
    expect((await invoke(name, event as never)).statusCode).toBe(200);
  });

  test('matches the declared table access, and all declared access is used', () => {
    const declared = pages.flatMap(({ name, tableAccess }) => [
      ...tableAccess.actions.map((action) => nameOfRight(name, action)),
      ...tableAccess.indexes.map((index) => nameOfRight(name, 'Query', index)),
    ]);
    // Only a table with an unfinished migration of visible repositories uses this right.
    const usedElsewhere = ['show-account Query of lists'];
    expect(declared.filter((right) => !service.usedRights.has(right))).toEqual(usedElsewhere);
  });
});
