import { describe, expect, test } from 'vitest';
import { type Client, testService } from '../../service/test-service.ts';
import { lookAtTable } from '../table-items.ts';
import { connection, inBatches, made, newKey, repository, signUp, signUpAdmin } from '../users.ts';

const table = lookAtTable();
const service = await testService({ tableName: table.tableName });
await table.stopStream();
const admin = await signUpAdmin(service);
const ada = await signUp(service, 'ada');

const secret = (name: string) => ({
  authentication: {
    type: 's3_access_key',
    access_key_id: `AKID${name}`,
    secret_access_key: `very secret ${name}`.replaceAll(' ', '-'),
  },
});
const create = (id: string, changes: Record<string, unknown> = {}) =>
  made(admin('POST', '/data-connections', connection(id, changes)));

describe('the credentials of a connection', () => {
  test('are shown only to administrators', async () => {
    const created = await create('shown', secret('shown'));
    expect(created.headers.get('cache-control')).toBe('no-store');
    expect(created.headers.get('location')).toBe('/api/v1/data-connections/shown');
    const byAdmin = await admin('GET', '/data-connections/shown');
    expect(byAdmin.body).toEqual(connection('shown', secret('shown')));
    expect(byAdmin.headers.get('cache-control')).toBe('no-store');
    const { authentication: _, ...rest } = connection('shown');
    expect((await ada('GET', '/data-connections/shown')).body).toEqual(rest);
  });

  test('are in no list, even for an admin', async () => {
    await create('listed', secret('listed'));
    for (const path of ['/data-connections', '/data-connections/available']) {
      for (const client of [admin, ada]) {
        const { status, body } = await client('GET', path);
        expect(status).toBe(200);
        expect(body.some((item: { data_connection_id: string }) => item.data_connection_id === 'listed')).toBe(true);
        expect(JSON.stringify(body)).not.toMatch(/authentication|AKID|very-secret|sealed/);
      }
    }
  });

  test('are in no table item, log line, or error', async () => {
    await create('hidden', secret('hidden'));
    const again = await admin('POST', '/data-connections', connection('hidden', secret('hidden')));
    const bad = await admin('POST', '/data-connections', { ...connection('bad', secret('hidden')), read_only: 'no' });
    const extra = {
      authentication: { ...secret('hidden').authentication, secret_access_key: 'very-secret-hidden and more' },
    };
    const worse = await admin('POST', '/data-connections', connection('bad', extra));
    const disabled = await admin('DELETE', '/data-connections/hidden');
    expect([again, bad, worse, disabled].map(({ status }) => status)).toEqual([409, 400, 400, 200]);
    const seen = JSON.stringify([await table.all(), service.logged, again.body, bad.body, worse.body, disabled.body]);
    expect(seen).not.toMatch(/AKIDhidden|very-secret/);
    const item = await table.find('DATA_CONNECTION#hidden', 'DATA_CONNECTION');
    const decoded = Buffer.from(String(item?.['sealed_authentication']), 'base64').toString('latin1');
    expect(decoded).not.toContain('secret');
  });

  test('can be decrypted only for the connection that they were encrypted for', async () => {
    await create('sealed-one', secret('one'));
    const item = await table.find('DATA_CONNECTION#sealed-one', 'DATA_CONNECTION');
    const { connectionSecrets } = service.services;
    const sealed = String(item?.['sealed_authentication']);
    expect(await connectionSecrets.open(sealed, 'sealed-one')).toEqual(secret('one').authentication);
    await expect(connectionSecrets.open(sealed, 'sealed-two')).rejects.toThrow();
  });

  test('stay the same if an update does not send them, and new ones replace them', async () => {
    await create('kept', secret('first'));
    const { authentication: _, ...rest } = connection('kept');
    const renamed = await admin('PUT', '/data-connections/kept', { ...rest, name: 'Renamed' });
    expect(renamed).toMatchObject({ status: 200, body: { name: 'Renamed', ...secret('first') } });
    await made(admin('PUT', '/data-connections/kept', { ...rest, ...secret('second') }));
    expect((await admin('GET', '/data-connections/kept')).body).toMatchObject({ name: 'A store', ...secret('second') });
  });
});

describe('the storage prefix of a connection', () => {
  /** Returns a connection whose bucket no other connection uses. */
  const placed = (id: string, details: Record<string, unknown> = {}) => ({
    details: { ...connection('x').details, bucket: id, ...details },
  });
  const changes: Record<string, (id: string) => Record<string, unknown>> = {
    bucket: (id) => placed(id, { bucket: 'another-bucket' }),
    'base prefix': (id) => placed(id, { base_prefix: 'deeper/' }),
    endpoint: (id) => placed(id, { endpoint: 'https://storage.example.org' }),
    'prefix template': () => ({ prefix_template: '{{repository.repository_id}}/{{repository.account_id}}/' }),
  };

  test.each(Object.entries(changes))('(%s) can change only until a repository uses it', async (what, changeOf) => {
    const id = `placed-${what.replaceAll(' ', '-')}`;
    const change = changeOf(id);
    await create(id, placed(id));
    const put = (body: object) => admin('PUT', `/data-connections/${id}`, connection(id, { ...placed(id), ...body }));
    expect((await put(change)).status).toBe(200);
    expect((await put({})).status).toBe(200);
    await made(ada('POST', '/repositories/ada', repository(`on-${id}`, { data_connection_id: id })));
    expect((await put(change)).status).toBe(409);
    await made(ada('POST', `/repositories/ada/on-${id}/disable`));
    expect((await put(change)).status).toBe(409);
    expect(await put({ name: 'Renamed', read_only: true, allowed_data_modes: [] })).toMatchObject({ status: 200 });
  });

  test('is refused if a repository on it could lie inside one on another connection', async () => {
    await create('whole-bucket', placed('overlaps'));
    const refused = { status: 409, body: { detail: expect.stringContaining('connection whole-bucket') } };
    const part = placed('overlaps', { base_prefix: 'archive/' });
    expect(await admin('POST', '/data-connections', connection('part-of-it', part))).toMatchObject(refused);
    await create('part-of-it', placed('overlaps', { base_prefix: '_archive/' }));
    expect(await admin('PUT', '/data-connections/part-of-it', connection('part-of-it', part))).toMatchObject(refused);
    await create('same-places', placed('overlaps'));
    const swapped = { ...placed('overlaps'), ...changes['prefix template']?.('') };
    expect(await admin('PUT', '/data-connections/same-places', connection('same-places', swapped))).toMatchObject(
      refused,
    );
  });

  test('stays the same for a repository that is created during a change, or one of the two requests is refused', async () => {
    await inBatches(30, 6, async (round) => {
      const id = `moved-${round}`;
      await create(id, placed(id));
      const moved = connection(id, {
        ...placed(id),
        prefix_template: '{{repository.repository_id}}/{{repository.account_id}}/',
      });
      const [change, created] = await Promise.all([
        admin('PUT', `/data-connections/${id}`, moved),
        ada('POST', '/repositories/ada', repository(`moved-${round}`, { data_connection_id: id })),
      ]);
      const shown = (await admin('GET', `/data-connections/${id}`)).body;
      expect(shown.prefix_template === undefined).toBe(change.status !== 200);
      if (created.status !== 201) return expect(created.status).toBe(409);
      const prefix = created.body.data.mirrors[id].prefix;
      expect(prefix).toBe(shown.prefix_template === undefined ? `ada/${id}/` : `${id}/ada/`);
    });
  });
});

test('an update refuses an ID in the body that differs from the one in the path', async () => {
  await create('one-id');
  const answer = await admin('PUT', '/data-connections/one-id', connection('other-id'));
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: 'data_connection_id' }] } });
  expect((await admin('PUT', '/data-connections/not-there', connection('not-there'))).status).toBe(404);
});

test('an update cannot remove a setting that read_only depends on', async () => {
  await create('open-data', { authentication: undefined, read_only: true });
  const answer = await admin(
    'PUT',
    '/data-connections/open-data',
    connection('open-data', { authentication: undefined }),
  );
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: 'read_only' }] } });
});

test('a disabled connection is read-only, and remains so when it is disabled again', async () => {
  await create('to-disable');
  for (const _ of [1, 2]) {
    expect(await admin('DELETE', '/data-connections/to-disable')).toMatchObject({
      status: 200,
      body: { read_only: true },
    });
  }
  expect((await ada('DELETE', '/data-connections/to-disable')).status).toBe(403);
});

test('a creation refuses a reserved ID and an existing ID', async () => {
  expect((await admin('POST', '/data-connections', connection('available'))).status).toBe(400);
  await create('taken', secret('taken'));
  expect((await admin('POST', '/data-connections', connection('taken'))).status).toBe(409);
  expect((await admin('GET', '/data-connections/taken')).body).toMatchObject(secret('taken'));
});

describe('a required flag', () => {
  test('decides which users see the connection and place a repository on it', async () => {
    await create('for-all');
    await create('flagged', { required_flag: 'create_repositories' });
    await create('for-admins', { required_flag: 'admin' });
    const available = async (client: Client) =>
      (await client('GET', '/data-connections/available')).body
        .map((item: { data_connection_id: string }) => item.data_connection_id)
        .filter((id: string) => ['for-all', 'flagged', 'for-admins'].includes(id));
    const place = async (client: Client, account: string, id: string) =>
      (await client('POST', `/repositories/${account}`, repository(`on-${id}`, { data_connection_id: id }))).status;

    expect(await available(ada)).toEqual(['for-all']);
    expect(await place(ada, 'ada', 'flagged')).toBe(400);
    await made(admin('PUT', '/accounts/ada/flags', ['create_repositories']));
    expect(await available(ada)).toEqual(['for-all', 'flagged']);
    expect(await place(ada, 'ada', 'flagged')).toBe(201);
    expect(await place(ada, 'ada', 'for-admins')).toBe(400);
    expect(await available(admin)).toEqual(['for-all', 'flagged', 'for-admins']);
    expect(await place(admin, 'ada', 'for-admins')).toBe(201);

    const flagged = await signUp(service, 'flagged-admin');
    await made(admin('PUT', '/accounts/flagged-admin/flags', ['admin']));
    const { client: byKey } = await newKey(service, flagged, '/accounts/flagged-admin');
    expect(await available(flagged)).toEqual(['for-all', 'flagged', 'for-admins']);
    expect(await available(byKey)).toEqual(['for-all']);
    expect(await place(byKey, 'flagged-admin', 'for-admins')).toBe(400);
  });

  test('gives users without the flag the answer for a missing connection', async () => {
    await create('hidden-one', { required_flag: 'admin' });
    const refusals = await Promise.all(
      ['hidden-one', 'not-there'].map((id) =>
        ada('POST', '/repositories/ada', repository('anywhere', { data_connection_id: id })),
      ),
    );
    expect(refusals[0]?.status).toBe(400);
    expect({ ...refusals[0]?.body, request_id: '' }).toEqual({ ...refusals[1]?.body, request_id: '' });
  });
});

test.each([
  [['open'], { open: 201, subscription: 400, private: 400 }],
  [['subscription', 'private'], { open: 400, subscription: 201, private: 201 }],
  [[], { open: 400, subscription: 400, private: 400 }],
])('a connection that allows %j', async (allowed_data_modes, expected) => {
  const id = `modes-${allowed_data_modes.join('-') || 'none'}`;
  await create(id, { allowed_data_modes });
  for (const [data_mode, status] of Object.entries(expected)) {
    const body = repository(`${id}-${data_mode}`.slice(0, 40), { data_mode, data_connection_id: id });
    const answer = await ada('POST', '/repositories/ada', body);
    expect([data_mode, answer.status]).toEqual([data_mode, status]);
    if (status === 400) expect(answer.body.errors).toMatchObject([{ path: 'data_mode' }]);
  }
});

test('the audit trail of the admin records the changes, and that of an account with the same ID does not', async () => {
  const namesake = await signUp(service, 'namesake');
  await made(admin('POST', '/data-connections', connection('namesake')));
  await made(admin('DELETE', '/data-connections/namesake'));
  const { body } = await made(admin('GET', '/accounts/site-admin/audit-events?limit=2'));
  expect(body).toMatchObject([
    { kind: 'data_connection.disabled', subject: { data_connection_id: 'namesake' } },
    { kind: 'data_connection.created', subject: { data_connection_id: 'namesake' } },
  ]);
  const own = await made(namesake('GET', '/accounts/namesake/audit-events'));
  expect(own.body.map(({ kind }: { kind: string }) => kind)).toEqual(['account.created']);
});
