import { setTimeout as wait } from 'node:timers/promises';
import { type Api, apiOf, calls, codesMet, expect, made, nextCursor, refused } from './client.ts';
import { machines } from './machines.ts';
import { storage } from './storage.ts';
import { users } from './users.ts';

/** A publisher's complete journey with the API, using only a client that was generated from the document. */

const baseUrl = process.env['SLUICE_URL'] ?? '';
const signedIn = (name: string): Api => apiOf(baseUrl, `Bearer ${process.env[`TOKEN_${name}`] ?? ''}`);
const anyone = apiOf(baseUrl);
const [admin, ada, grace] = [signedIn('ADMIN'), signedIn('ADA'), signedIn('GRACE')];
const meta = { title: 'Tide gauges', description: 'Sea level at 42 gauges', tags: 'tides' };
const gauges = { path: { account_id: 'tides', repository_id: 'gauges' } };

await signUp();
await publish();
await users({ ada, grace });
await machines({ ada, anyone, baseUrl });
await storage({ ada, grace });
await close();
console.log(JSON.stringify({ calls, codes: [...codesMet] }));

async function signUp(): Promise<void> {
  await refused(anyone.GET('/whoami'), 'unauthenticated');
  const session = await made(ada.GET('/whoami'));
  expect(session.account === null, 'a new user has no account');
  const invalid = await refused(
    ada.POST('/accounts', { body: { account_id: 'Ada!', account_type: 'user', profile: {} } }),
    'field_invalid',
  );
  await refused(
    ada.POST('/accounts', { body: { account_id: 'admin', account_type: 'user', profile: {} } }),
    'id_reserved',
  );
  expect(invalid.errors?.[0]?.path === 'account_id', 'a form knows which field to mark');

  const body = { account_id: 'ada', account_type: 'user', profile: { name: 'Ada' } } as const;
  const params = { header: { 'Idempotency-Key': 'first-account-of-ada' } };
  await made(ada.POST('/accounts', { params, body }));
  const again = await made(ada.POST('/accounts', { params, body }));
  expect(again.account_id === 'ada', 'a retry gets the first answer');
  await made(grace.POST('/accounts', { body: { ...body, account_id: 'grace', profile: { name: 'Grace' } } }));

  const organization = { account_id: 'tides', account_type: 'organization', profile: {} } as const;
  await refused(ada.POST('/accounts', { body: organization }), 'access_denied');
  await made(admin.POST('/accounts', { body: { ...body, account_id: 'site-admin' } }));
  const flags = { params: { path: { account_id: 'ada' } }, body: ['create_organizations' as const] };
  await made(admin.PUT('/accounts/{account_id}/flags', flags));
  await made(ada.POST('/accounts', { body: organization }));
  await refused(ada.POST('/accounts', { body: organization }), 'account_id_taken');

  const tides = { params: { path: { account_id: 'tides' } } };
  const { permissions } = await made(ada.GET('/accounts/{account_id}/permissions', tides));
  expect(permissions.includes('updateProfile'), 'an owner is told of what an owner may');
  const strangers = await made(grace.GET('/accounts/{account_id}/permissions', tides));
  expect(strangers.permissions.length === 0, 'a stranger may nothing');
  await made(ada.PUT('/accounts/{account_id}/profile', { ...tides, body: { name: 'Tide Institute' } }));
  const profile = await made(anyone.GET('/accounts/{account_id}/profile', tides));
  expect(profile.name === 'Tide Institute', 'anyone sees the profile');
}

async function publish(): Promise<void> {
  const place = {
    data_connection_id: 'ocean-store',
    name: 'Ocean store',
    read_only: false,
    allowed_data_modes: ['open' as const, 'private' as const],
    details: { provider: 's3', bucket: 'example-ocean-store', base_prefix: '', region: 'eu-north-1' },
    authentication: { type: 's3_access_key', access_key_id: 'AKIDEXAMPLE', secret_access_key: 'example' },
  } as const;
  await made(admin.POST('/data-connections', { body: { ...place, allowed_data_modes: ['open', 'private'] } }));
  const [connection] = await made(ada.GET('/data-connections/available'));
  expect(connection !== undefined, 'there is a connection to choose');

  const params = { path: { account_id: 'tides' } };
  const { data_connection_id } = connection;
  const body = { repository_id: 'gauges', data_mode: 'open', meta, data_connection_id } as const;
  const elsewhere = { ...body, data_connection_id: 'nowhere' };
  const invalid = await refused(ada.POST('/repositories/{account_id}', { params, body: elsewhere }), 'field_invalid');
  expect(invalid.errors?.[0]?.path === 'data_connection_id', 'the field that is at fault is named');
  await refused(grace.POST('/repositories/{account_id}', { params, body }), 'access_denied');
  await made(ada.POST('/repositories/{account_id}', { params, body }));
  await refused(ada.POST('/repositories/{account_id}', { params, body }), 'repository_id_taken');

  const overview = '/repositories/{account_id}/{repository_id}/overview';
  const seen = await made(ada.GET(overview, { params: gauges }));
  expect(seen.permissions.includes('updateRepository'), 'the page shows an edit button');
  const meant = { meta: { ...meta, license: 'CC-BY-4.0' }, state: 'listed' } as const;
  await made(ada.PUT('/repositories/{account_id}/{repository_id}', { params: gauges, body: meant }));
  const shown = await made(anyone.GET(overview, { params: gauges }));
  expect(shown.repository.meta.license === 'CC-BY-4.0', 'anyone sees the license');
  expect(shown.account.profile.name === 'Tide Institute', 'and who publishes it');
  expect(!shown.permissions.includes('updateRepository'), 'and no edit button');
  const one = '/repositories/{account_id}/{repository_id}';
  const read = await ada.GET(one, { params: gauges });
  const since = { ...gauges, header: { 'If-Match': read.response.headers.get('etag') ?? '' } };
  await made(ada.PUT(one, { params: since, body: meant }));
  await refused(ada.PUT(one, { params: since, body: meant }), 'stale');
  const query = { q: 'sea level', license: 'CC-BY-4.0' };
  const find = () => anyone.GET('/repositories', { params: { query } });
  let found = await find();
  // New data appears in a search within about twenty seconds.
  for (const end = Date.now() + 60_000; found.data?.length === 0 && Date.now() < end; found = await find())
    await wait(500);
  const [hit] = found.data ?? [];
  expect(hit?.repository_id === 'gauges', 'it is found by words of its description');
  expect(hit.account_name === 'Tide Institute', 'with the name of who publishes it');
  expect(found.response.headers.get('x-total-count') === '1', 'and is the only one');
  const catalogue = await made(anyone.GET('/repositories', { params: { query: { limit: 10 } } }));
  expect(
    catalogue.some(({ repository_id }) => repository_id === 'gauges'),
    'it is in the catalogue',
  );

  const second = { ...body, repository_id: 'buoys' };
  const once = { ...params, header: { 'Idempotency-Key': 'the-second-one' } };
  await made(ada.POST('/repositories/{account_id}', { params: once, body: second }));
  const third = { ...second, repository_id: 'drifters' };
  await refused(ada.POST('/repositories/{account_id}', { params: once, body: third }), 'idempotency_mismatch');
  const ids: string[] = [];
  for (let cursor: string | undefined, pages = 0; pages === 0 || cursor !== undefined; pages += 1) {
    const query = { limit: 1, ...(cursor === undefined ? {} : { cursor }) };
    const answer = await ada.GET('/repositories/{account_id}', { params: { ...params, query } });
    ids.push(...(answer.data ?? []).map(({ repository_id }) => repository_id));
    cursor = nextCursor(answer.response);
  }
  expect(ids.join() === 'gauges,buoys', 'every page is followed');
}

async function close(): Promise<void> {
  const params = { path: { account_id: 'tides', repository_id: 'buoys' } };
  const one = '/repositories/{account_id}/{repository_id}';
  const mode = { params, body: { data_mode: 'private' as const } };
  const closed = await made(ada.PUT('/repositories/{account_id}/{repository_id}/data-mode', mode));
  expect(closed.data_mode === 'private', 'it is closed');
  await refused(anyone.GET(`${one}/overview`, { params }), 'unauthenticated');
  await refused(grace.GET(`${one}/overview`, { params }), 'access_denied');
  const named = { params, body: { confirm: 'tides/buoys' } };
  await refused(ada.POST('/repositories/{account_id}/{repository_id}/delete', named), 'wrong_state');
  await made(ada.POST('/repositories/{account_id}/{repository_id}/disable', { params }));
  await made(ada.POST('/repositories/{account_id}/{repository_id}/enable', { params }));
  await made(ada.POST('/repositories/{account_id}/{repository_id}/disable', { params }));
  const misspelt = { params, body: { confirm: 'tides/boys' } };
  await refused(ada.POST('/repositories/{account_id}/{repository_id}/delete', misspelt), 'field_invalid');
  await made(ada.POST('/repositories/{account_id}/{repository_id}/delete', named));
  await refused(ada.GET(one, { params }), 'not_found');
  const trail = { params: { path: { account_id: 'tides' }, query: { limit: 1 } } };
  const [last] = await made(ada.GET('/accounts/{account_id}/audit-events', trail));
  expect(last?.kind === 'repository.deleted' && last.actor.account_name === 'Ada', 'the trail tells who deleted it');
}
