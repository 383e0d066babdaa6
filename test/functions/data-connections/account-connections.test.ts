import { describe, expect, test } from 'vitest';
import type { AccountConnections } from '../../../lib/domain/data/connection-rules.ts';
import { limits } from '../../../lib/domain/limits.ts';
import { exchange } from '../../data/whole-answer.ts';
import { startOrigin } from '../../lib/local/cloudfront/edge-setup.ts';
import { type Client, testService } from '../../service/test-service.ts';
import { lookAtTable } from '../table-items.ts';
import { account, addMember, connection, inBatches, made, repository, signUp, signUpTides } from '../users.ts';

const table = lookAtTable();
const service = await testService({ tableName: table.tableName, accountLoopbackEndpoints: true });
await table.stopStream();
const { admin, ada, ben } = await signUpTides(service);
const mia = await signUp(service, 'mia');
await addMember(ada, 'tides', mia, 'mia', 'maintainers');

let made_ = 0;
const newId = () => `own-${++made_}`;
const { endpoint, bucket, region, access_key_id, secret_access_key } = service.storage;
const keys = { type: 's3_access_key', access_key_id, secret_access_key };
const at = (base_prefix: string, details: Record<string, unknown> = {}) => ({
  details: { provider: 's3', bucket, base_prefix, region, endpoint, ...details },
});
/** A connection to the local storage with its own base prefix. */
const own = (id: string, changes: Record<string, unknown> = {}) =>
  connection(id, { ...at(`_${id}/`), authentication: keys, ...changes });
const post = (by: Client, owner: string, body: object) => by('POST', `/accounts/${owner}/data-connections`, body);
const draft = async (by: Client = ada, owner = 'tides', changes: Record<string, unknown> = {}) => {
  const id = newId();
  await made(post(by, owner, own(id, changes)));
  return id;
};
const proof = async (by: Client, id: string, access = 'read_write') => {
  // The number of connection tests of one user is limited to a few a minute.
  service.advance(60);
  return by('POST', `/data-connections/${id}/test`, { access });
};
/** Creates a connection and proves control of its storage. */
const create = async (by: Client = ada, owner = 'tides', changes: Record<string, unknown> = {}) => {
  const id = await draft(by, owner, changes);
  await made(proof(by, id));
  return id;
};
const idsOf = async (by: Client, path: string) =>
  (await made(by('GET', path))).body.map(
    ({ data_connection_id }: { data_connection_id: string }) => data_connection_id,
  );
const place = (by: Client, owner: string, id: string, repositoryId = `on-${id}`) =>
  by('POST', `/repositories/${owner}`, repository(repositoryId, { data_connection_id: id }));
const remove = (by: Client, id: string, confirm = id) => by('POST', `/data-connections/${id}/delete`, { confirm });
/** Uploads an object directly to the storage. */
const upload = async (key: string): Promise<void> => {
  const { status } = await exchange(
    endpoint,
    { method: 'PUT', path: `/${bucket}/${key}`, body: 'any content' },
    { accessKeyId: access_key_id, secretAccessKey: secret_access_key, region, signedAt: service.services.clock() },
  );
  expect(status).toBe(200);
};

describe("an account's connection", () => {
  test('is shown with its owner, and with the stored secret to owners only', async () => {
    const id = newId();
    const created = await made(ada('POST', '/accounts/tides/data-connections', own(id)));
    expect(created.headers.get('location')).toBe(`/api/v1/data-connections/${id}`);
    expect(created.headers.get('cache-control')).toBe('no-store');
    const type = { authentication_type: 's3_access_key' };
    expect(created.body).toMatchObject({ ...own(id), ...type, owner_account_id: 'tides', state: 'draft' });
    const { authentication, ...rest } = created.body;
    expect((await ada('GET', `/data-connections/${id}`)).body).toEqual({ ...rest, authentication });
    for (const by of [mia, admin]) expect((await by('GET', `/data-connections/${id}`)).body).toEqual(rest);
    const renamed = { ...rest, name: 'Renamed' };
    const answers = [
      await made(mia('PUT', `/data-connections/${id}`, renamed)),
      await made(mia('POST', `/data-connections/${id}/test`, { access: 'read' })),
    ];
    expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain(secret_access_key);
    // A response contains the secret only if the caller's request contained it.
    const replaced = await made(mia('PUT', `/data-connections/${id}`, { ...renamed, authentication }));
    expect(replaced.body.authentication).toEqual(authentication);
    await made(ada('PUT', `/data-connections/${id}`, { ...rest, authentication }));
    expect((await made(ada('GET', '/accounts/tides/data-connections'))).body.at(-1)).toEqual(rest);
  });

  test('answers all other callers like a missing connection', async () => {
    const id = await create();
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PUT', '', own(id)],
      ['DELETE', '', undefined],
      ['POST', '/test', { access: 'read' }],
      ['POST', '/delete', { confirm: id }],
    ] as const) {
      const [hidden, missing] = await Promise.all(
        [id, 'not-there'].map((each) => ben(method, `/data-connections/${each}${path}`, body)),
      );
      expect({ ...hidden?.body, request_id: '' }).toEqual({ ...missing?.body, request_id: '' });
      expect(hidden?.status).toBe(missing?.status);
    }
  });

  test('is in the lists of its account and in no other list', async () => {
    const id = await create();
    const bens = await create(ben, 'ben');
    const unproved = await draft();
    expect(await idsOf(ada, '/accounts/tides/data-connections')).toContain(unproved);
    expect(await idsOf(ada, '/data-connections/available?account_id=tides')).not.toContain(unproved);
    expect(await idsOf(ada, '/accounts/tides/data-connections')).toContain(id);
    expect(await idsOf(admin, '/accounts/tides/data-connections')).toContain(id);
    expect(await idsOf(ada, '/data-connections/available?account_id=tides')).toEqual(
      expect.arrayContaining([id, 'store-one']),
    );
    expect(await idsOf(ben, '/data-connections')).toEqual(expect.arrayContaining([bens, 'store-one']));
    expect(await idsOf(ben, '/data-connections/available')).toEqual(expect.arrayContaining([bens, 'store-one']));
    for (const path of ['/data-connections', '/data-connections/available']) {
      expect(await idsOf(ben, path)).not.toContain(id);
      expect(await idsOf(ada, path)).not.toContain(bens);
    }
    expect((await ben('GET', '/data-connections/available?account_id=tides')).status).toBe(403);
    expect((await ben('GET', '/accounts/tides/data-connections')).status).toBe(403);
  });

  test('appears once in the pages of its lists, in the order of creation', async () => {
    const owner = await signUp(service, 'pager');
    const expected = await idsOf(owner, '/data-connections');
    for (const _ of [1, 2, 3]) expected.push(await draft(owner, 'pager'));
    await made(admin('POST', '/data-connections', connection('paged-platform')));
    expected.push('paged-platform', await draft(owner, 'pager'));
    for (const limit of [1, 2, 3, 100]) {
      const seen: string[] = [];
      for (let path: string | undefined = `/data-connections?limit=${limit}`; path !== undefined; ) {
        const { headers, body } = await made(owner('GET', path));
        seen.push(...body.map((one: { data_connection_id: string }) => one.data_connection_id));
        path = /<\/api\/v1([^>]+)>/.exec(headers.get('link') ?? '')?.[1];
      }
      expect(seen).toEqual(expected);
    }
  });

  test('is used only by repositories of its account, even for an administrator of another account', async () => {
    const id = await create();
    expect((await place(ada, 'tides', id)).status).toBe(201);
    expect((await place(mia, 'tides', id, `mias-${id}`)).status).toBe(201);
    for (const [by, owner] of [
      [ben, 'ben'],
      [ada, 'ada'],
      [admin, 'ben'],
      [admin, 'tides'],
    ] as const) {
      const [refused, missing] = await Promise.all([place(by, owner, id), place(by, owner, 'not-there')]);
      expect(refused?.status).toBe(400);
      expect({ ...refused?.body, request_id: '' }).toEqual({ ...missing?.body, request_id: '' });
    }
    expect(await idsOf(admin, '/data-connections/available?account_id=tides')).not.toContain(id);
  });

  test('prevents the transfer of its repositories', async () => {
    const id = await create();
    await made(place(ada, 'tides', id));
    const refused = await ada('POST', `/repositories/tides/on-${id}/transfers`, { to: 'ben' });
    expect(refused).toMatchObject({ status: 409, body: { code: 'data_connection_refused' } });
    expect(refused.body.detail).toContain('data connection of its account');
  });

  test('keeps its owner when it is updated', async () => {
    const id = await create();
    const { body } = await made(mia('GET', `/data-connections/${id}`));
    const renamed = await mia('PUT', `/data-connections/${id}`, { ...body, name: 'Ours', owner_account_id: 'ben' });
    expect(renamed).toMatchObject({ status: 200, body: { name: 'Ours', owner_account_id: 'tides' } });
    expect((await ben('GET', `/data-connections/${id}`)).status).toBe(404);
    expect(await idsOf(ada, '/accounts/tides/data-connections')).toContain(id);
  });

  test.each([
    ['required_flag', { required_flag: 'create_repositories' }],
    [
      'authentication.type',
      {
        authentication: {
          type: 's3_assume_role',
          role_arn: 'arn:aws:iam::111122223333:role/of-a-customer',
          external_id: 'guessed',
        },
      },
    ],
  ])('refuses a required flag and a role with an external ID: %s', async (path, changes) => {
    const refused = { status: 400, body: { errors: [{ path }] } };
    const created = await ada('POST', '/accounts/tides/data-connections', own(newId(), changes));
    // The request to create a connection has no field for this flag.
    expect(created.status).toBe(400);
    const id = await create();
    expect(await ada('PUT', `/data-connections/${id}`, own(id, changes))).toMatchObject(refused);
    await made(remove(ada, id));
  });

  test('is made read-only by an administrator, and the audit event names the platform as the actor', async () => {
    const id = await create();
    expect(await admin('DELETE', `/data-connections/${id}`)).toMatchObject({ status: 200, body: { read_only: true } });
    const { body } = await made(ada('GET', '/accounts/tides/audit-events?limit=1'));
    expect(body).toMatchObject([
      { kind: 'data_connection.disabled', actor: { account_id: 'site-admin', acting_as: 'platform_admin' } },
    ]);
    for (const attempt of [admin('PUT', `/data-connections/${id}`, own(id)), remove(admin, id)])
      expect((await attempt).status).toBe(403);
  });

  test.each([
    ['writable', false],
    ['read-only', true],
  ])('that an administrator disabled while it was %s is enabled by an administrator only', async (_, read_only) => {
    const id = await create();
    await made(ada('PUT', `/data-connections/${id}`, own(id, { read_only })));
    await made(admin('DELETE', `/data-connections/${id}`));
    // A repeated request, or a request of an owner, changes nothing.
    for (const by of [admin, ada])
      expect((await made(by('DELETE', `/data-connections/${id}`))).body).toMatchObject({ disabled_by: 'admin' });
    const refused = { status: 403, body: { code: 'access_denied', detail: expect.stringContaining('administrator') } };
    for (const by of [ada, mia]) {
      expect(await by('PUT', `/data-connections/${id}`, own(id, { read_only: false }))).toMatchObject(refused);
      expect(await by('POST', `/data-connections/${id}/enable`)).toMatchObject({ status: 403 });
    }
    expect(await remove(ada, id)).toMatchObject(refused);
    const renamed = await made(ada('PUT', `/data-connections/${id}`, own(id, { read_only: true, name: 'Renamed' })));
    expect(renamed.body).toMatchObject({ read_only: true, disabled_by: 'admin' });
    const enabled = await made(admin('POST', `/data-connections/${id}/enable`));
    expect(enabled.body).toMatchObject({ data_connection_id: id, read_only });
    expect(enabled.body).not.toHaveProperty('disabled_by');
    const { body } = await made(ada('GET', '/accounts/tides/audit-events?limit=1'));
    expect(body).toMatchObject([{ kind: 'data_connection.enabled', actor: { acting_as: 'platform_admin' } }]);
    await made(ada('PUT', `/data-connections/${id}`, own(id)));
    await made(remove(ada, id));
  });

  test('that its owner disabled is enabled by its owner', async () => {
    const id = await create();
    expect((await made(ada('DELETE', `/data-connections/${id}`))).body).not.toHaveProperty('disabled_by');
    await made(ada('PUT', `/data-connections/${id}`, own(id)));
    await made(remove(ada, id));
  });
});

test('the audit trail of the account records each change', async () => {
  const rhea = await signUp(service, 'rhea');
  const id = await draft(rhea, 'rhea');
  await made(rhea('PUT', `/data-connections/${id}`, own(id, { name: 'Renamed' })));
  await made(rhea('POST', `/data-connections/${id}/test`, { access: 'read' }));
  await made(rhea('DELETE', `/data-connections/${id}`));
  await made(remove(rhea, id));
  const { body } = await made(rhea('GET', '/accounts/rhea/audit-events'));
  expect(body.map(({ kind }: { kind: string }) => kind).slice(0, 5)).toEqual(
    ['deleted', 'disabled', 'tested', 'updated', 'created'].map((change) => `data_connection.${change}`),
  );
});

describe('the deletion of a connection', () => {
  test('requires the ID, removes the credentials, and frees an ID that no repository ever used', async () => {
    const id = await create();
    expect((await remove(ada, id, 'another')).status).toBe(400);
    await made(remove(ada, id));
    expect((await ada('GET', `/data-connections/${id}`)).status).toBe(404);
    expect(await table.find(`DATA_CONNECTION#${id}`, 'DATA_CONNECTION')).toBeUndefined();
    expect((await ben('POST', '/accounts/ben/data-connections', own(id))).status).toBe(201);
  });

  test('is refused while a repository is on the connection, and reserves an ID that was used', async () => {
    const id = await create();
    await made(place(ada, 'tides', id));
    expect(await remove(ada, id)).toMatchObject({ status: 409, body: { code: 'wrong_state' } });
    await made(ada('POST', `/repositories/tides/on-${id}/disable`));
    await made(ada('POST', `/repositories/tides/on-${id}/delete`, { confirm: `tides/on-${id}` }));
    await made(remove(ada, id));
    for (const [by, path] of [
      [ben, '/accounts/ben/data-connections'],
      [admin, '/data-connections'],
    ] as const)
      expect((await by('POST', path, own(id))).status).toBe(409);
  });

  test('is possible for a connection of the platform until a repository is on it', async () => {
    await made(admin('POST', '/data-connections', own('unused-platform')));
    await made(admin('POST', '/data-connections', own('used-platform')));
    await made(place(ben, 'ben', 'used-platform'));
    expect((await remove(admin, 'unused-platform')).status).toBe(204);
    expect((await remove(admin, 'used-platform')).status).toBe(409);
  });

  test('never succeeds together with the creation of a repository on it', async () => {
    const gil = await signUp(service, 'gil');
    await inBatches(24, 6, async (round) => {
      const id = newId();
      await made(post(gil, 'gil', own(id)));
      await made(proof(gil, id));
      // In half of the rounds, a request used the connection before.
      if (round % 2 === 0) {
        await made(place(gil, 'gil', id, `before-${id}`));
        await made(gil('POST', `/repositories/gil/before-${id}/disable`));
        await made(gil('POST', `/repositories/gil/before-${id}/delete`, { confirm: `gil/before-${id}` }));
      }
      const [placed, deleted] = await Promise.all([place(gil, 'gil', id), remove(gil, id)]);
      const isPresent = (await gil('GET', `/data-connections/${id}`)).status === 200;
      expect([placed?.status === 201, deleted?.status === 204]).toEqual([isPresent, !isPresent]);
      if (!isPresent) return;
      await made(gil('POST', `/repositories/gil/on-${id}/disable`));
      await made(gil('POST', `/repositories/gil/on-${id}/delete`, { confirm: `gil/on-${id}` }));
      await made(remove(gil, id));
    });
  });
});

describe('control of the storage', () => {
  const shown = async (by: Client, id: string) => (await made(by('GET', `/data-connections/${id}`))).body;
  const controlOf = ({ body }: Awaited<ReturnType<Client>>) =>
    body.checks.find(({ check }: { check: string }) => check === 'control');

  test('is proven by a test that writes, and no repository can be created before', async () => {
    const id = await draft();
    expect(await place(ada, 'tides', id)).toMatchObject({ status: 409, body: { code: 'data_connection_refused' } });
    expect(controlOf(await proof(ada, id, 'read'))).toMatchObject({ state: 'not_tried', code: 'not_asked' });
    expect((await place(ada, 'tides', id)).status).toBe(409);
    expect(controlOf(await made(proof(ada, id)))).toMatchObject({ state: 'passed', code: 'ok' });
    expect(await shown(ada, id)).toMatchObject({ state: 'ready' });
    expect((await place(ada, 'tides', id)).status).toBe(201);
    const { body } = await made(ada('GET', '/accounts/tides/audit-events?limit=3'));
    expect(body.map(({ kind }: { kind: string }) => kind)).toContain('data_connection.proved');
    // The connection is already proved, so a later test needs no proof.
    expect(controlOf(await made(proof(ada, id)))).toBeUndefined();
  });

  test.each([
    ['wrong keys', { authentication: { ...keys, secret_access_key: 'wrong' } }],
    ['another bucket', at('', { bucket: 'not-there' })],
    ['another endpoint', at('', { endpoint: 'http://127.0.0.1:1' })],
  ])('is not proven with %s', async (_, changes) => {
    const id = await draft(ada, 'tides', changes);
    expect(controlOf(await made(proof(ada, id)))).toMatchObject({ state: 'not_tried', code: 'earlier_failed' });
    expect(await shown(ada, id)).toMatchObject({ state: 'draft' });
    await made(remove(ada, id));
  });

  test('is proven for a read-only connection by the marker that its owner uploads', async () => {
    const id = await draft(ada, 'tides', { read_only: true });
    const { marker_key } = await shown(ada, id);
    expect(marker_key).toMatch(new RegExp(`^_${id}/_sluice-proof-[0-9a-f-]{36}$`));
    expect((await admin('GET', `/data-connections/${id}`)).body).not.toHaveProperty('marker_key');
    expect(controlOf(await proof(ada, id, 'read'))).toMatchObject({ state: 'failed', code: 'marker_missing' });
    await upload(marker_key);
    expect(controlOf(await proof(ada, id, 'read'))).toMatchObject({ state: 'passed', code: 'ok' });
    const ready = await shown(ada, id);
    expect(ready).toMatchObject({ state: 'ready' });
    expect(ready).not.toHaveProperty('marker_key');
    await made(remove(ada, id));
  });

  test('is proven for a public bucket by the marker, in requests without a signature', async () => {
    const keys = new Set(['_public/a']);
    const { port } = await startOrigin((request, response) => {
      expect(request.headers).not.toHaveProperty('authorization');
      const list = '<ListBucketResult><Contents><Key>_public/a</Key></Contents></ListBucketResult>';
      if (request.url?.includes('list-type')) return response.end(list);
      response.statusCode = keys.has(request.url?.slice(`/${bucket}/`.length) ?? '') ? 200 : 404;
      response.end();
    });
    const place = at('_public/', { endpoint: `http://127.0.0.1:${port}` });
    const id = await draft(ada, 'tides', { read_only: true, authentication: undefined, ...place });
    expect(controlOf(await proof(ada, id, 'read'))).toMatchObject({ state: 'failed', code: 'marker_missing' });
    keys.add((await shown(ada, id)).marker_key);
    expect(controlOf(await proof(ada, id, 'read'))).toMatchObject({ state: 'passed', code: 'ok' });
    await made(remove(ada, id));
  });

  test('is not proven by a store that answers every object', async () => {
    const { port } = await startOrigin((request, response) => {
      const list = `<ListBucketResult><Contents><Key>_any/a</Key></Contents></ListBucketResult>`;
      response.end(request.url?.includes('list-type') ? list : 'x');
    });
    const changes = {
      read_only: true,
      authentication: undefined,
      ...at('_any/', { endpoint: `http://127.0.0.1:${port}` }),
    };
    const id = await draft(ada, 'tides', changes);
    expect(controlOf(await proof(ada, id, 'read'))).toMatchObject({ state: 'failed', code: 'marker_missing' });
    await made(remove(ada, id));
  });

  test.each([
    ['bucket', { bucket: 'another-bucket' }],
    ['endpoint', { endpoint: 'http://127.0.0.1:1' }],
    ['base prefix', { base_prefix: '_elsewhere/' }],
  ])('must be proven again after a change of the %s', async (_, details) => {
    const id = await create();
    const before = own(id);
    await made(ada('PUT', `/data-connections/${id}`, { ...before, name: 'Renamed', authentication: { ...keys } }));
    expect(await shown(ada, id)).toMatchObject({ state: 'ready' });
    const moved = await made(
      ada('PUT', `/data-connections/${id}`, { ...before, details: { ...before.details, ...details } }),
    );
    expect(moved.body).toMatchObject({ state: 'draft' });
    expect((await place(ada, 'tides', id)).status).toBe(409);
    // The storage prefix of the earlier connection is free again.
    await made(proof(ben, await bens(before.details.base_prefix)));
    await made(remove(ada, id));
  });

  test('requires a different marker after each change', async () => {
    const id = await draft(ada, 'tides', { read_only: true });
    const { marker_key: first } = await shown(ada, id);
    const moved = own(id, { read_only: true, ...at('_elsewhere/') });
    const { marker_key } = (await made(ada('PUT', `/data-connections/${id}`, moved))).body;
    expect(marker_key.split('-').slice(2)).not.toEqual(first.split('-').slice(2));
    await made(remove(ada, id));
  });

  test('is not proven by a test of a connection that changes during the test', async () => {
    const id = newId();
    const moved = own(id, at(`_moved-${id}/`));
    let change: Promise<unknown> | undefined;
    const { port } = await startOrigin(async (request, response) => {
      // The storage answers only after the connection was changed to another prefix.
      change ??= made(ada('PUT', `/data-connections/${id}`, moved));
      await change;
      response.statusCode = request.method === 'PUT' || request.method === 'DELETE' ? 200 : 404;
      response.end(request.url?.includes('list-type') ? '<ListBucketResult></ListBucketResult>' : '');
    });
    await made(post(ada, 'tides', own(id, at('', { endpoint: `http://127.0.0.1:${port}` }))));
    await proof(ada, id);
    expect(await shown(ada, id)).toMatchObject({ state: 'draft', details: moved.details });
    await made(remove(ada, id));
  });

  async function bens(base_prefix: string): Promise<string> {
    return draft(ben, 'ben', at(base_prefix));
  }
});

describe('an endpoint of an account', () => {
  const refusalOf = async (named: string) => {
    const { status, body } = await post(ben, 'ben', own(newId(), at('', { endpoint: named })));
    return { status, path: body.errors?.[0]?.path };
  };

  test.each([
    'http://storage.example.org',
    'https://192.0.2.1',
    'https://[2001:db8::1]',
    'https://10.0.0.1',
    'https://0x7f000001',
    'https://storage.internal',
    'https://s3.eu-west-1.amazonaws.com',
    'https://victim-bucket.s3.amazonaws.com',
    'https://s3.eusc-de-east-1.amazonaws.eu',
    'https://s3.us-iso-east-1.c2s.ic.gov',
    'https://s3.cn-north-1.amazonaws.com.cn',
    'https://d111111abcdef8.cloudfront.net',
    'https://data.sluice.example',
    'https://tides.data.sluice.example',
  ])('cannot be %s', async (named) => {
    service.services.deploymentHosts = () => ['data.sluice.example'];
    service.services.allowsAccountLoopbackEndpoints = false;
    expect(await refusalOf(named)).toEqual({ status: 400, path: 'details.endpoint' });
    service.services.allowsAccountLoopbackEndpoints = true;
  });

  test('can be on this machine only if the setting allows it', async () => {
    service.services.allowsAccountLoopbackEndpoints = false;
    expect(await refusalOf(endpoint)).toEqual({ status: 400, path: 'details.endpoint' });
    service.services.allowsAccountLoopbackEndpoints = true;
  });

  test('never leads a test to a private IP address, even if the setting allows it', async () => {
    const before = service.services.resolveHost;
    const id = await draft(ben, 'ben', at('', { endpoint: 'https://storage.example.org' }));
    for (const address of ['127.0.0.1', '10.1.2.3', '169.254.169.254']) {
      service.services.resolveHost = async () => [{ address, family: 4 }];
      const { body } = await made(proof(ben, id));
      expect(body.checks[0]).toMatchObject({ check: 'address', code: 'address_not_public' });
    }
    service.services.resolveHost = before;
  });
});

describe('prefixes in one bucket', () => {
  /** Creates a draft at the prefix and proves control of the storage, or creates a connection of the platform. */
  const claim = async (by: Client, owner: string | undefined, id: string, base_prefix: string) => {
    if (owner === undefined) return by('POST', '/data-connections', own(id, at(base_prefix)));
    await made(post(by, owner, own(id, at(base_prefix))));
    return proof(by, id);
  };
  const taken = { status: 409, body: { code: 'place_taken' } };

  test('that another owner uses are refused without a name of the owner, until that connection is deleted', async () => {
    const first = newId();
    await made(claim(ada, 'tides', first, '_one/data/'));
    for (const [by, owner] of [
      [ben, 'ben'],
      [admin, undefined],
    ] as const) {
      for (const base_prefix of ['_one/', '_one/data/', '_one/data/inside/']) {
        const id = newId();
        const refused = await claim(by, owner, id, base_prefix);
        expect(refused).toMatchObject(taken);
        expect(refused.body.detail.includes(first)).toBe(owner === undefined);
        if (owner !== undefined) await made(remove(by, id));
      }
    }
    const second = newId();
    await made(claim(ben, 'ben', second, '_one/data-2/'));
    const moved = own(second, at('_one/data/x/'));
    await made(ben('PUT', `/data-connections/${second}`, moved));
    expect(await proof(ben, second)).toMatchObject(taken);
    await made(remove(ada, first));
    expect((await proof(ben, second)).status).toBe(200);
    // The earlier prefix is free after the change.
    const third = newId();
    await made(claim(ada, 'tides', third, '_one/data-2/'));
    for (const [by, id] of [
      [ben, second],
      [ada, third],
    ] as const)
      await made(remove(by, id));
  });

  test('of a draft do not block other owners', async () => {
    const id = newId();
    await made(post(ben, 'ben', own(id, at('_squatted/'))));
    const tides = newId();
    expect((await claim(ada, 'tides', tides, '_squatted/')).status).toBe(200);
    expect(await proof(ben, id)).toMatchObject(taken);
    for (const [by, one] of [
      [ben, id],
      [ada, tides],
    ] as const)
      await made(remove(by, one));
  });

  test('of the platform are protected from the creation of the connection on', async () => {
    await made(claim(admin, undefined, 'platform-place', '_platform/'));
    const id = newId();
    const refused = await claim(ben, 'ben', id, '_platform/tides/');
    expect(refused).toMatchObject(taken);
    expect(refused.body.detail).not.toContain('platform-place');
    await made(remove(ben, id));
  });

  test('never overlap when two owners create them at the same time', async () => {
    const [una, vic] = [await signUp(service, 'una'), await signUp(service, 'vic')];
    await inBatches(12, 3, async (round) => {
      const [one, two, platform] = [newId(), newId(), newId()];
      const inside = round % 2 === 0 ? '' : 'deep/';
      const answers = await Promise.all([
        claim(una, 'una', one, `_race-${round}/data/`),
        claim(vic, 'vic', two, `_race-${round}/data/${inside}`),
        claim(admin, undefined, platform, `_race-${round}/`),
      ]);
      expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
      expect(answers.filter(({ status }) => status >= 300).map(({ body }) => body.code)).toEqual([
        'place_taken',
        'place_taken',
      ]);
      await Promise.all([remove(una, one), remove(vic, two), remove(admin, platform)]);
      await made(claim(admin, undefined, newId(), `_race-${round}/`));
    });
  });

  test('that do not overlap are all created by concurrent requests', async () => {
    const answers = await Promise.all(
      [1, 2, 3, 4].map((each) => claim(admin, undefined, newId(), `_beside/part-${each}/`)),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  });
});

test('an account has at most 20 connections, also with concurrent requests', async () => {
  const max = limits.accountConnectionsMax;
  const lou = await signUp(service, 'lou');
  const statuses: number[] = [];
  await inBatches(max + 4, 8, async () => {
    let status = 409;
    // A request may conflict with another creation. Such a 409 does not show that the limit is reached.
    for (let attempt = 0; attempt < 20 && status === 409; attempt += 1) {
      const answer = await lou('POST', '/accounts/lou/data-connections', own(newId()));
      status = answer.status;
      if (answer.body?.code === 'limit_reached') break;
    }
    statuses.push(status);
  });
  expect(statuses.filter((status) => status === 201)).toHaveLength(max);
  const [first] = await idsOf(lou, '/accounts/lou/data-connections');
  await made(remove(lou, first));
  expect((await lou('POST', '/accounts/lou/data-connections', own(newId()))).status).toBe(201);
});

test('a deletion refuses an account with a connection', async () => {
  const end = await signUp(service, 'ending');
  const id = await create(end, 'ending');
  const deletion = () => end('POST', '/accounts/ending/delete', { confirm: 'ending' });
  expect(await deletion()).toMatchObject({ status: 409, body: { code: 'account_not_empty' } });
  await made(remove(end, id));
  expect((await deletion()).status).toBe(204);
});

test('no table item, log line, or list contains the credentials', async () => {
  const secret = 'very-secret-of-an-account';
  const authentication = { type: 's3_access_key', access_key_id: 'AKIDOWN', secret_access_key: secret };
  await create(ada, 'tides', { authentication });
  const listed = await made(ada('GET', '/accounts/tides/data-connections'));
  const available = await made(ada('GET', '/data-connections/available?account_id=tides'));
  expect(JSON.stringify([await table.all(), service.logged, listed.body, available.body])).not.toMatch(
    /AKIDOWN|very-secret/,
  );
});

describe('the setting accountConnections', () => {
  const withSetting = async (setting: AccountConnections, act: () => Promise<void>) => {
    service.services.accountConnections = setting;
    await act().finally(() => {
      service.services.accountConnections = 'on';
    });
  };
  const attempt = (by: Client, owner: string) => by('POST', `/accounts/${owner}/data-connections`, own(newId()));

  test('refuses every account if it is off', () =>
    withSetting('off', async () => {
      for (const [by, owner] of [
        [ada, 'tides'],
        [admin, 'site-admin'],
      ] as const)
        expect(await attempt(by, owner)).toMatchObject({ status: 403, body: { code: 'access_denied' } });
    }));

  test('off refuses updates, tests, and new repositories, and serves the existing ones', async () => {
    const id = await create();
    await made(place(ada, 'tides', id));
    const path = `/tides/on-${id}/a.txt`;
    await upload(`_${id}/tides/on-${id}/a.txt`);
    await withSetting('off', async () => {
      const denied = { status: 403, body: { code: 'access_denied', detail: expect.stringContaining('deployment') } };
      expect(await ada('PUT', `/data-connections/${id}`, own(id, { name: 'Renamed' }))).toMatchObject(denied);
      expect(await proof(ada, id)).toMatchObject(denied);
      expect(await place(ada, 'tides', id, `later-${id}`)).toMatchObject(denied);
      expect(await idsOf(ada, '/data-connections/available?account_id=tides')).not.toContain(id);
      expect((await fetch(service.dataUrl + path)).status).toBe(200);
      expect((await ada('GET', `/data-connections/${id}`)).status).toBe(200);
      expect((await ada('DELETE', `/data-connections/${id}`)).status).toBe(200);
      const unused = (await made(ada('GET', '/accounts/tides/data-connections'))).body;
      expect(unused.length).toBeGreaterThan(0);
    });
  });

  test('flag refuses updates and tests of users who lost the flag', () =>
    withSetting('flag', async () => {
      const lost = await signUp(service, 'lost-flag');
      await made(admin('PUT', '/accounts/lost-flag/flags', ['create_data_connections']));
      const id = await create(lost, 'lost-flag');
      await made(admin('PUT', '/accounts/lost-flag/flags', []));
      const denied = { status: 403, body: { detail: expect.stringContaining('create_data_connections') } };
      expect(await lost('PUT', `/data-connections/${id}`, own(id))).toMatchObject(denied);
      expect(await proof(lost, id)).toMatchObject(denied);
      expect((await place(lost, 'lost-flag', id)).status).toBe(201);
    }));

  test('refuses users without the flag if it is flag', () =>
    withSetting('flag', async () => {
      const flagged = await signUp(service, 'flagged');
      expect((await attempt(flagged, 'flagged')).body.detail).toContain('create_data_connections');
      await made(admin('PUT', '/accounts/flagged/flags', ['create_data_connections']));
      expect((await attempt(flagged, 'flagged')).status).toBe(201);
      await made(admin('POST', '/accounts', account('admins-own', 'organization')));
      expect((await attempt(admin, 'admins-own')).status).toBe(201);
    }));
});
