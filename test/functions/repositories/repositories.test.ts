import { describe, expect, test } from 'vitest';
import { type Client, testService } from '../../service/test-service.ts';
import { lookAtTable } from '../table-items.ts';
import { connection, createOrganization, inBatches, made, repository, signUpTides } from '../users.ts';

const table = lookAtTable();
const service = await testService({ tableName: table.tableName });
await table.stopStream();
const { admin, ada, ben } = await signUpTides(service);
const template = '{{repository.repository_id}}/v1/{{repository.account_id}}/';
await made(admin('POST', '/data-connections', connection('store-two', { prefix_template: template })));

const create = (client: Client, accountId: string, id: string, changes: Record<string, unknown> = {}) =>
  made(client('POST', `/repositories/${accountId}`, repository(id, changes)));
const meta = { title: 'T', description: 'D', tags: 'a,b' };

describe('a new repository', () => {
  test('is unlisted, is published now, and has the one mirror of its connection', async () => {
    const before = service.services.clock();
    const { body, headers } = await create(ada, 'tides', 'gauges', { data_mode: 'private' });
    expect(body).toEqual({
      account_id: 'tides',
      repository_id: 'gauges',
      state: 'unlisted',
      data_mode: 'private',
      featured: 0,
      meta: repository('gauges').meta,
      data: {
        primary_mirror: 'store-one',
        mirrors: { 'store-one': { data_connection_id: 'store-one', prefix: 'tides/gauges/' } },
      },
      published: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated: body.published,
      disabled: false,
    });
    expect(Date.parse(body.published)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(body.published)).toBeLessThanOrEqual(service.services.clock());
    expect(headers.get('location')).toBe('/api/v1/repositories/tides/gauges');
    expect((await ada('GET', '/repositories/tides/gauges')).body).toEqual(body);
  });

  test('gets its prefix from the template of its connection', async () => {
    const { body } = await create(ada, 'tides', 'templated', { data_connection_id: 'store-two' });
    expect(body.data.mirrors['store-two'].prefix).toBe('templated/v1/tides/');
  });

  test('is refused if the account has its ID, and the existing repository stays unchanged', async () => {
    await create(ada, 'tides', 'taken');
    const again = repository('taken', { data_connection_id: 'store-two', meta });
    expect((await ada('POST', '/repositories/tides', again)).status).toBe(409);
    await made(ada('POST', '/repositories/tides/taken/disable'));
    expect((await ada('POST', '/repositories/tides', again)).status).toBe(409);
    expect((await ada('GET', '/repositories/tides/taken')).body.data.primary_mirror).toBe('store-one');
    expect((await create(ben, 'ben', 'taken')).status).toBe(201);
  });

  test('is created once by two concurrent requests', async () => {
    await inBatches(20, 10, async (round) => {
      const bodies = ['store-one', 'store-two'].map((data_connection_id) =>
        repository(`raced-${round}`, { data_connection_id }),
      );
      const answers = await Promise.all(bodies.map((body) => ada('POST', '/repositories/tides', body)));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
      const won = answers.find(({ status }) => status === 201);
      expect((await ada('GET', `/repositories/tides/raced-${round}`)).body).toEqual(won?.body);
    });
  });

  test.each([
    ['without a title', { meta: { description: '', tags: '' } }, 'meta.title'],
    ['without tags', { meta: { title: '', description: '' } }, 'meta.tags'],
    ['with a list of tags', { meta: { ...meta, tags: ['a'] } }, 'meta.tags'],
    ['with a description above the limit', { meta: { ...meta, description: 'x'.repeat(4097) } }, 'meta.description'],
    ['with an unknown mode', { data_mode: 'public' }, 'data_mode'],
    ['with a state of its own', { state: 'listed' }, ''],
    ['with an ID in upper case', { repository_id: 'Gauges' }, 'repository_id'],
    ['on a connection with an invalid ID', { data_connection_id: '../x' }, 'data_connection_id'],
  ])('is refused with the path of the field: %s', async (_, changes, path) => {
    const answer = await ada('POST', '/repositories/tides', { ...repository('refused'), ...changes });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path }] } });
  });
});

const told = {
  license: 'MIT OR CC-BY-4.0',
  homepage: 'https://tides.example/gauges',
  documentation: 'http://tides.example/docs#gauges',
  doi: '10.5281/zenodo.1234567',
  citation: 'Tide Institute (2030): Tide gauges.',
  contact: 'gauges@tides.example',
  keywords: ['tides', 'sea level'],
};

describe('metadata besides title, description, and tags', () => {
  test('stays without a value in an update, is cleared by null, and is replaced otherwise', async () => {
    const { body } = await create(ada, 'tides', 'told', { meta: { ...meta, ...told, contact: null } });
    const { contact, ...others } = told;
    expect(body.meta).toEqual({ ...meta, ...others });
    const put = async (change: object) =>
      (await made(ada('PUT', '/repositories/tides/told', { meta: { ...meta, ...change }, state: 'listed' }))).body.meta;
    expect(await put({})).toEqual({ ...meta, ...others });
    expect(await put({ contact, doi: null, keywords: [] })).toEqual({ ...meta, ...told, doi: undefined, keywords: [] });
    expect((await ada('GET', '/repositories/tides/told')).body.meta).toMatchObject({ contact, keywords: [] });
  });

  test.each([
    ['a license that is not in SPDX', { license: 'my own' }, 'meta.license'],
    ['an empty license', { license: '' }, 'meta.license'],
    ['a URL that runs something', { homepage: 'javascript:alert(1)' }, 'meta.homepage'],
    ['a URL without a host', { documentation: '/docs' }, 'meta.documentation'],
    ['a DOI with a URL before it', { doi: 'https://doi.org/10.5281/zenodo.1' }, 'meta.doi'],
    ['more keywords than the limit', { keywords: Array.from({ length: 33 }, String) }, 'meta.keywords'],
    ['an empty keyword', { keywords: [''] }, 'meta.keywords.0'],
    ['an unknown field', { licence: 'MIT' }, 'meta'],
  ])('is refused with the path of the field: %s', async (_, change, path) => {
    const answer = await ada('POST', '/repositories/tides', repository('refused', { meta: { ...meta, ...change } }));
    expect(answer).toMatchObject({ status: 400, body: { code: 'field_invalid', errors: [{ path }] } });
  });
});

test('every change of a repository updates its time of change', async () => {
  const { body } = await create(ada, 'tides', 'dated');
  const path = '/repositories/tides/dated';
  let before = body.updated;
  for (const change of [
    () => ada('PUT', path, { meta, state: 'listed' }),
    () => ada('PUT', `${path}/data-mode`, { data_mode: 'private' }),
    () => ada('POST', `${path}/disable`),
    () => ada('POST', `${path}/enable`),
  ]) {
    const changed = await made(change());
    expect(changed.body.updated > before).toBe(true);
    expect((await ada('GET', path)).body).toEqual(changed.body);
    before = changed.body.updated;
  }
});

describe('an update', () => {
  test('replaces the description and the listing, and no other field', async () => {
    const { body } = await create(ada, 'tides', 'updated');
    const updated = await ada('PUT', '/repositories/tides/updated', { meta, state: 'listed' });
    expect(updated).toMatchObject({
      status: 200,
      body: { ...body, meta, state: 'listed', updated: expect.any(String) },
    });
    expect((await ada('GET', '/repositories/tides/updated')).body).toEqual(updated.body);
    const refused = await ada('PUT', '/repositories/tides/updated', { meta, state: 'listed', data_mode: 'private' });
    expect(refused.status).toBe(400);
  });
});

describe('the catalogue', () => {
  const shown = async (accountId: string) =>
    (await service.anyone('GET', '/repositories')).body
      .filter((item: { account_id: string }) => item.account_id === accountId)
      .map((item: { repository_id: string }) => item.repository_id);

  test('shows enabled, listed, open repositories of enabled accounts, and removes them when this changes', async () => {
    await createOrganization(ada, 'museum');
    await create(ada, 'museum', 'open-one');
    await create(ada, 'museum', 'private-one', { data_mode: 'private' });
    expect(await shown('museum')).toEqual([]);
    const put = (id: string, state: string) => made(ada('PUT', `/repositories/museum/${id}`, { meta, state }));
    await put('open-one', 'listed');
    await put('private-one', 'listed');
    expect(await shown('museum')).toEqual(['open-one']);
    await put('open-one', 'unlisted');
    expect(await shown('museum')).toEqual([]);
    await put('open-one', 'listed');
    await made(ada('POST', '/repositories/museum/open-one/disable'));
    expect(await shown('museum')).toEqual([]);
    await made(admin('POST', '/repositories/museum/open-one/enable'));
    expect(await shown('museum')).toEqual(['open-one']);
    await made(ada('POST', '/accounts/museum/disable'));
    expect(await shown('museum')).toEqual([]);
    await made(ada('POST', '/accounts/museum/enable'));
    expect(await shown('museum')).toEqual(['open-one']);
  });
});
