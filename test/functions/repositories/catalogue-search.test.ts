import { expect, test, vi } from 'vitest';
import { type Client, testService } from '../../service/test-service.ts';
import { connection, made, repository, signUp, signUpAdmin } from '../users.ts';

const service = await testService({ corsOrigins: ['https://site.example'] });
const admin = await signUpAdmin(service);
const ada = await signUp(service, 'ada');
const ben = await signUp(service, 'ben');
await made(admin('POST', '/data-connections', connection('store-one')));
await publish(ada, 'ada/gauges', { title: 'Water levels of Bergen', tags: 'tides, sea level', license: 'CC-BY-4.0' });
await publish(ada, 'ada/bathymetry', { title: 'Depths of the fjord', description: 'water depth', license: 'MIT' });
await publish(ben, 'ben/rainfall', { title: 'Rain in Bergen', tags: 'weather' });
await becomes('?sort=title', ['ada/bathymetry', 'ben/rainfall', 'ada/gauges']);

async function publish(owner: Client, name: string, meta: Record<string, string>): Promise<void> {
  const [account_id = '', repository_id = ''] = name.split('/');
  const told = { title: '', description: '', tags: '', ...meta };
  await made(owner('POST', `/repositories/${account_id}`, repository(repository_id, { meta: told })));
  await made(owner('PUT', `/repositories/${name}`, { meta: told, state: 'listed' }));
}

async function search(query: string): Promise<string[]> {
  const { body } = await made(service.anyone('GET', `/repositories${query}`));
  return body.map((one: { account_id: string; repository_id: string }) => `${one.account_id}/${one.repository_id}`);
}

/**
 * Waits until a search finds these names. The stream needs a moment, and an instance reads the changes every ten
 * seconds.
 */
async function becomes(query: string, names: string[]): Promise<void> {
  await vi.waitFor(
    async () => {
      service.advance(11);
      expect(await search(query)).toEqual(names);
    },
    { timeout: 20_000, interval: 100 },
  );
}

test.each([
  ['?q=bergen', ['ben/rainfall', 'ada/gauges']],
  ['?q=bergan%20watr', []],
  ['?q=bergan%20water', ['ada/gauges']],
  ['?q=wat&sort=title', ['ada/bathymetry', 'ada/gauges']],
  ['?q=', ['ada/gauges', 'ada/bathymetry', 'ben/rainfall']],
  ['?q=&tag=tides', ['ada/gauges']],
  ['?tag=Sea+Level', ['ada/gauges']],
  ['?account_id=ada&sort=title', ['ada/bathymetry', 'ada/gauges']],
  ['?license=mit', ['ada/bathymetry']],
  ['?q=bergen&account_id=ben', ['ben/rainfall']],
  ['?sort=published', ['ben/rainfall', 'ada/bathymetry', 'ada/gauges']],
  ['?q=nothing-like-it', []],
])('GET /repositories%s finds %j', async (query, names) => {
  expect(await search(query)).toEqual(names);
});

test('a search shows the number of matches, also on pages, and a list without a query does not', async () => {
  const found = await service.anyone('GET', '/repositories?q=bergen&limit=1');
  expect(found.headers.get('x-total-count')).toBe('2');
  expect(found.body).toHaveLength(1);
  const listed = await service.anyone('GET', '/repositories', undefined, { origin: 'https://site.example' });
  expect(listed.headers.get('x-total-count')).toBeNull();
  expect(listed.headers.get('access-control-expose-headers')).toContain('x-total-count');
});

test('the pages of a search are consecutive, and a cursor is valid only for the search that returned it', async () => {
  const first = await service.anyone('GET', '/repositories?sort=title&limit=2');
  const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  expect(next).toContain('sort=title');
  const second = await service.anyone('GET', new URL(next, service.apiUrl).href);
  expect([...first.body, ...second.body].map(({ repository_id }) => repository_id)).toEqual([
    'bathymetry',
    'rainfall',
    'gauges',
  ]);
  expect(second.headers.get('link')).toBeNull();
  const cursor = new URL(next, service.apiUrl).searchParams.get('cursor') ?? '';
  for (const other of ['sort=updated', 'q=water', 'sort=title&tag=tides', '']) {
    const { status, body } = await service.anyone('GET', `/repositories?${other}&cursor=${cursor}`);
    expect({ other, status, errors: body.errors }).toMatchObject({ status: 400, errors: [{ path: 'cursor' }] });
  }
});

test('a search refuses an unknown filter and an unknown order', async () => {
  for (const query of ['tags=tides', 'sort=newest', `q=${'x'.repeat(257)}`])
    expect((await service.anyone('GET', `/repositories?${query}`)).status).toBe(400);
});

test('a closed repository leaves the search at once, however it is closed, and returns when it is opened', async () => {
  await publish(ben, 'ben/currents', { title: 'Currents measured by drifters' });
  await becomes('?q=drifters', ['ben/currents']);
  const path = '/repositories/ben/currents';
  const meta = { title: 'Currents measured by drifters', description: '', tags: '' };
  const ways: [close: () => ReturnType<Client>, open: () => ReturnType<Client>][] = [
    [() => ben('PUT', path, { meta, state: 'unlisted' }), () => ben('PUT', path, { meta, state: 'listed' })],
    [() => ben('POST', `${path}/disable`), () => ben('POST', `${path}/enable`)],
    [
      () => ben('PUT', `${path}/data-mode`, { data_mode: 'private' }),
      () => ben('PUT', `${path}/data-mode`, { data_mode: 'open' }),
    ],
    [() => admin('POST', '/accounts/ben/disable'), () => admin('POST', '/accounts/ben/enable')],
  ];
  for (const [close, open] of ways) {
    await made(close());
    // The stream need not catch up, because the search reads the current state of each repository in its result.
    const closed = await service.anyone('GET', '/repositories?q=drifters');
    expect(closed.body).toEqual([]);
    expect(closed.headers.get('x-total-count')).toBe('0');
    await made(open());
    await becomes('?q=drifters', ['ben/currents']);
  }
});

test('a search uses the current description of a repository', async () => {
  await publish(ada, 'ada/plankton', { title: 'Plankton' });
  await becomes('?q=plankton', ['ada/plankton']);
  const meta = { title: 'Krill', description: '', tags: '' };
  await made(ada('PUT', '/repositories/ada/plankton', { meta, state: 'listed' }));
  await becomes('?q=krill', ['ada/plankton']);
  expect(await search('?q=plankton')).toEqual(['ada/plankton']);
  await made(ada('POST', '/repositories/ada/plankton/disable'));
  await made(ada('POST', '/repositories/ada/plankton/delete', { confirm: 'ada/plankton' }));
  await becomes('?q=plankton', []);
});
