import { describe, expect, test } from 'vitest';
import { testService } from '../../service/test-service.ts';
import { connection, made, repository, signUp, signUpAdmin } from '../users.ts';
import { changing, showing, tagOf, thingsOf } from './things.ts';

const service = await testService();
const admin = await signUpAdmin(service);
const ben = await signUp(service, 'ben');
await made(admin('POST', '/data-connections', connection('store-one')));
await made(admin('POST', '/repositories/site-admin', repository('gauges')));
await made(admin('POST', '/accounts/site-admin/service-accounts', { name: 'sync' }));
const things = thingsOf(admin, 'site-admin');

const names = changing.map(({ name }) => name);
let prepared = 0;
const thingFor = async (name: string) => {
  prepared += 1;
  const thing = await things[name]?.(`thing-${prepared}`);
  if (thing === undefined) throw new Error(`the tests know nothing that ${name} changes`);
  return thing;
};
const sentence = 'The resource changed after you read it; read it again and repeat your change';

test('this file tests all operations that accept `If-Match`', () => {
  expect(Object.keys(things).sort()).toEqual(names.toSorted());
});

describe.each(names)('%s', (name) => {
  test('answers 400 to a malformed `If-Match` and 412 to another version or a weak tag, and changes nothing', async () => {
    const thing = await thingFor(name);
    const tag = await tagOf(admin, thing.shown);
    expect(tag).toMatch(/^"v\d+"$/);
    const answers = [
      ['v1', 400],
      ['"v1', 400],
      ['*, "v1"', 400],
      ['"v0"', 412],
      [`W/${tag}`, 412],
      ['"v0", "other"', 412],
      [tag.replace(/"$/, '-0123456789abcdef"'), 412],
    ] as const;
    for (const [header, status] of answers) {
      const answer = await thing.change({ 'if-match': header });
      expect([header, answer.status]).toEqual([header, status]);
      if (status === 412) expect(answer.body).toMatchObject({ code: 'stale', detail: sentence, status });
      else expect(answer.body).toMatchObject({ code: 'field_invalid', errors: [{ path: 'If-Match' }] });
    }
    expect(await tagOf(admin, thing.shown)).toBe(tag);
  });

  test('accepts a change with the current version and increases the version', async () => {
    const thing = await thingFor(name);
    const tag = await tagOf(admin, thing.shown);
    await made(thing.change({ 'if-match': `"v0", ${tag}` }));
    const after = await admin('GET', thing.shown);
    expect(after.headers.get('etag')).not.toBe(tag);
    // Repeats the change with the old version, after another change or deletion.
    const again = await thing.change({ 'if-match': tag });
    expect(after.status === 200 ? [412] : [403, 404]).toContain(again.status);
  });

  test('accepts a change with `*` for any version', async () => {
    const thing = await thingFor(name);
    await made(thing.change({ 'if-match': '*' }));
  });
});

test('a change of only the credentials of a data connection increases its version', async () => {
  const path = '/data-connections/with-credentials';
  const authentication = { type: 's3_access_key', access_key_id: 'AKIDONE', secret_access_key: 'secret-one' };
  const stored = connection('with-credentials', {
    details: { ...connection('with-credentials').details, base_prefix: '_with-credentials/' },
    authentication,
  });
  await made(admin('POST', '/data-connections', stored));
  const tag = await tagOf(admin, path);
  const replaced = { ...authentication, secret_access_key: 'secret-two' };
  await made(admin('PUT', path, { ...stored, authentication: replaced }, { 'if-match': tag }));
  expect((await admin('PUT', path, stored, { 'if-match': tag })).status).toBe(412);
});

test('a condition reveals nothing to a caller without the right to change', async () => {
  const forbidden = await ben('PUT', '/accounts/site-admin/profile', {}, { 'if-match': '"v0"' });
  expect(forbidden).toMatchObject({ status: 403, body: { code: 'access_denied' } });
  expect(await admin('PUT', '/accounts/nobody-here/profile', {}, { 'if-match': '"v0"' })).toMatchObject({
    status: 404,
  });
});

const paths: Readonly<Record<string, string>> = {
  'get-account': '/accounts/site-admin',
  'get-account-flags': '/accounts/site-admin/flags',
  'get-profile': '/accounts/site-admin/profile',
  'get-repository': '/repositories/site-admin/gauges',
  'get-repository-settings': '/repositories/site-admin/gauges/settings',
  'get-repository-overview': '/repositories/site-admin/gauges/overview',
  'get-service-account': '/service-accounts/site-admin--sync',
  'get-data-connection': '/data-connections/store-one',
};

describe.each(showing.map(({ name, etag }) => [name, etag === 'target_only'] as const))('%s', (name, isRecordAlone) => {
  const get = (headers?: Record<string, string>) => admin('GET', paths[name] ?? '', undefined, headers);

  test('answers with the version and private headers that require revalidation', async () => {
    const { headers } = await made(get());
    expect(headers.get('etag')).toMatch(/^"v\d+"$/);
    expect(headers.get('cache-control')).toBe(name === 'get-data-connection' ? 'no-store' : 'private, no-cache');
  });

  test.each([
    ['the tag', (tag: string) => tag, 304],
    ['the tag as a weak one', (tag: string) => `W/${tag}`, 304],
    ['the tag among others', (tag: string) => `"v0", ${tag}`, 304],
    ['*', () => '*', 304],
    ['another tag', () => '"v0"', 200],
    ['no tag', () => 'v0', 400],
  ])(`${isRecordAlone ? 'uses' : 'ignores'} the \`If-None-Match\` of %s`, async (_, header, status) => {
    const first = await made(get());
    const tag = first.headers.get('etag') ?? '';
    const answer = await get({ 'if-none-match': header(tag) });
    expect(answer.status).toBe(isRecordAlone ? status : 200);
    if (answer.status === 200) expect(answer.body).toEqual(first.body);
    if (answer.status !== 304) return;
    expect(answer.body).toBeUndefined();
    expect(answer.headers.get('etag')).toBe(tag);
    expect(answer.headers.get('content-type')).toBeNull();
  });
});

test('answers 304 only to callers who may still read an existing record', async () => {
  const tag = await tagOf(admin, '/repositories/site-admin/gauges');
  const asked = { 'if-none-match': tag };
  expect((await ben('GET', '/repositories/site-admin/gauges', undefined, asked)).status).toBe(403);
  expect((await service.anyone('GET', '/repositories/site-admin/gauges', undefined, asked)).status).toBe(401);
  expect(
    (await service.anyone('GET', '/accounts/nobody-here/profile', undefined, { 'if-none-match': '*' })).status,
  ).toBe(404);
});

test('a repository or service account with the name of a deleted one has a new version', async () => {
  const path = '/repositories/site-admin/again';
  const versions: string[] = [];
  for (let round = 0; round < 2; round += 1) {
    await made(admin('POST', '/repositories/site-admin', repository('again', { adopt_objects: true })));
    versions.push(await tagOf(admin, path));
    await made(admin('POST', `${path}/disable`));
    versions.push(await tagOf(admin, path));
    await made(admin('POST', `${path}/delete`, { confirm: 'site-admin/again' }));
    await made(admin('POST', '/accounts/site-admin/service-accounts', { name: 'again' }));
    versions.push(await tagOf(admin, '/service-accounts/site-admin--again'));
    await made(admin('DELETE', '/service-accounts/site-admin--again'));
  }
  expect(new Set(versions).size).toBe(6);
});
