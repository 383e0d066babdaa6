import { describe, expect, it, test } from 'vitest';
import { parseTimestamp } from '../../../lib/domain/time.ts';
import type { UsageCounts, UsageRecord, UsageScope } from '../../../lib/domain/usage/usage.ts';
import { testService } from '../../service/test-service.ts';
import { lookAtTable } from '../table-items.ts';
import { addMember, connection, made, repository, signUp, signUpTides } from '../users.ts';

const now = parseTimestamp('2026-12-15T12:00:00.000Z');
const items = lookAtTable();
const service = await testService({ tableName: items.tableName, clock: () => now });
const { admin, ada, ben } = await signUpTides(service);
const reader = await signUp(service, 'reader');
await made(
  admin('POST', '/data-connections', connection('store', { allowed_data_modes: ['open', 'subscription', 'private'] })),
);
for (const [id, data_mode] of [
  ['gauges', 'open'],
  ['charts', 'subscription'],
] as const) {
  await made(ada('POST', '/repositories/tides', repository(id, { data_connection_id: 'store', data_mode })));
}
await addMember(ada, 'tides/charts', reader, 'reader', 'read_data');

const { usage } = service.services.store;
const uidOf = async (id: string) => String((await items.find(`REPOSITORY#tides/${id}`, 'REPOSITORY'))?.['uid']);
const counts = (requests: number): UsageCounts => ({
  ...{ requests, downloads: 2, bytes: 30, visitors: 1 },
  ...{ total_requests: 2, unique_requests: 1 },
});
const record = (period: string, requests = 3): UsageRecord => ({
  ...{ period, is_final: true },
  clients: { tools: counts(requests), browsers: counts(1), robots: counts(100) },
  countries: [{ country: 'DE', downloads: 4, visitors: 2 }],
  files: [{ path: 'a', requests: 4, downloads: 4, bytes: 60 }],
});
const gauges: UsageScope = { repository_uid: await uidOf('gauges') };
for (const period of ['2026-11-15', '2026-11-16', '2026-12-14', '2026-12', '2026-10']) {
  await usage.put(gauges, record(period), now);
}
await usage.put({ repository_uid: await uidOf('charts') }, record('2026-12-14'), now);
await usage.put({ account_id: 'tides' }, record('2026-12-14', 7), now);
await usage.put('service', record('2026-12-14', 9), now);

const get = (path: string) => fetch(`${service.apiUrl}/api/v1${path}`);
const periodsIn = async (path: string) =>
  ((await (await get(path)).json()) as { periods: { period: string }[] }).periods.map(({ period }) => period);

describe('the usage of a repository', () => {
  const path = '/repositories/tides/gauges/usage';

  it('has the sums of all clients except robots, and each kind of client', async () => {
    const { periods } = (await (await get(path)).json()) as { periods: object[] };
    const { files: _, ...shown } = record('2026-12-14');
    expect(periods.at(-1)).toEqual({ ...shown, requests: 4, downloads: 4, bytes: 60, visitors: 2 });
  });

  it.each([
    ['', ['2026-11-16', '2026-12-14']],
    ['?from=2026-11-15', ['2026-11-15', '2026-11-16', '2026-12-14']],
    ['?from=2026-11-15&to=2026-11-15', ['2026-11-15']],
    ['?to=2026-11-30', ['2026-11-15', '2026-11-16']],
    ['?by=month', ['2026-10', '2026-12']],
    ['?by=month&from=2026-11', ['2026-12']],
  ])('for the query "%s" lists the periods %j', async (query, periods) => {
    expect(await periodsIn(path + query)).toEqual(periods);
  });

  it.each([
    ['?from=2026-11', 'from'],
    ['?by=month&to=2026-11-15', 'to'],
    ['?from=2026-12-16', 'from'],
    ['?from=2026-09-01', 'from'],
    ['?from=yesterday', 'from'],
  ])('for the query "%s" is refused with the parameter that is wrong', async (query, name) => {
    const answer = await get(path + query);
    expect([answer.status, ((await answer.json()) as { errors: object[] }).errors]).toMatchObject([
      400,
      [{ path: name }],
    ]);
  });

  it('names the files of a day or of this month', async () => {
    const files = record('').files;
    expect(await (await get(`${path}/files`)).json()).toEqual({ period: '2026-12', is_final: true, files });
    expect(await (await get(`${path}/files?period=2026-11-15`)).json()).toMatchObject({ period: '2026-11-15', files });
    expect(await (await get(`${path}/files?period=2026-11-01`)).json()).toMatchObject({ is_final: false, files: [] });
  });

  it('is a CSV file', async () => {
    const answer = await get(`${path}.csv?from=2026-12-14`);
    expect(answer.headers.get('content-type')).toBe('text/csv');
    expect(await answer.text()).toBe(
      [
        'period,clients,requests,downloads,bytes,visitors,total_requests,unique_requests,is_final',
        '2026-12-14,browsers,1,2,30,1,2,1,true',
        '2026-12-14,tools,3,2,30,1,2,1,true',
        '2026-12-14,robots,100,2,30,1,2,1,true',
        '',
      ].join('\r\n'),
    );
  });

  it('has a badge with the downloads of 30 days', async () => {
    const answer = await get(`${path}/badge.svg`);
    expect(answer.headers.get('content-type')).toBe('image/svg+xml');
    expect(await answer.text()).toContain('aria-label="downloads/month: 8"');
  });
});

describe('usage that is not public', () => {
  const paths = ['', '/files', '.csv', '/badge.svg'].map((end) => `/repositories/tides/charts/usage${end}`);

  test.each(paths)('%s is for managers and not for readers', async (path) => {
    expect((await get(path)).status).toBe(401);
    expect((await reader('GET', path)).status).toBe(403);
    expect((await ben('GET', path)).status).toBe(403);
    expect((await ada('GET', path)).status).toBe(200);
  });

  it('is that of an open repository whose owner hides it', async () => {
    const settings = '/repositories/tides/gauges/settings';
    expect((await ada('PATCH', settings, { hides_usage: true })).body).toEqual({
      federated_only: false,
      hides_usage: true,
    });
    expect((await get('/repositories/tides/gauges/usage')).status).toBe(401);
    expect((await ada('GET', '/repositories/tides/gauges/usage')).status).toBe(200);
    await ada('PATCH', settings, { hides_usage: false });
    expect((await get('/repositories/tides/gauges/usage')).status).toBe(200);
  });

  it('is that of an account and of the service', async () => {
    expect((await ada('GET', '/accounts/tides/usage')).body).toMatchObject({ periods: [{ requests: 8 }] });
    expect((await ben('GET', '/accounts/tides/usage')).status).toBe(403);
    expect((await admin('GET', '/usage')).body).toMatchObject({ periods: [{ requests: 10 }] });
    expect((await ada('GET', '/usage')).status).toBe(403);
  });
});
