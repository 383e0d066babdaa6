import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { limits } from '../../../lib/domain/limits.ts';
import { toTimestamp } from '../../../lib/domain/time.ts';
import { openTable } from '../../../lib/lambda/table.ts';
import { encode } from '../../../lib/store/codec.ts';
import { inList, keys, sublists } from '../../../lib/store/keys.ts';
import { noteUnknownKey } from '../../../lib/store/registered-issuers.ts';
import { engineOfThisFile } from '../../service/engine-of-this-file.ts';
import { testService } from '../../service/test-service.ts';
import { lookAtTable } from '../table-items.ts';
import { addMember, made, signUpTides } from '../users.ts';
import { issuerServer } from './issuer-server.ts';

const items = lookAtTable();
const ciIssuers = [{ issuer: 'https://gitlab.example.org', kind: 'gitlab', algorithms: ['RS256'] }] as const;
const service = await testService({ tableName: items.tableName, ciIssuers });
const { ada, ben } = await signUpTides(service);
const server = await issuerServer();
const client = new DynamoDBClient(engineOfThisFile());
afterAll(() => client.destroy());
const table = openTable(client, items.tableName);

const newIssuer = () => server.issuer(`/${randomUUID()}`);
const register = (issuer: string, by = ada, account = 'tides') =>
  by('POST', `/accounts/${account}/issuers`, { issuer, kind: 'gitlab' });
const registered = async (...args: Parameters<typeof register>) => (await made(register(...args))).body;
const remove = (issuerId: string, by = ada, account = 'tides') =>
  by('DELETE', `/accounts/${account}/issuers/${issuerId}`);
const listed = async (issuer: string, by = ada, account = 'tides') => {
  const { body } = await made(by('GET', `/accounts/${account}/issuers`));
  return body.find((one: { issuer: string }) => one.issuer === issuer);
};
const fetchesOf = (issuer: string) => server.fetched.filter((path) => server.issuer(path) === issuer).length;

/** Stores a trusted workflow of the issuer, and again at each sign-in, as the operation and the exchange do. */
async function trust(
  issuer: string,
  account = 'tides',
  last_used_at: string | null = null,
  workflow_id: string = randomUUID(),
) {
  const record = { workflow_id, issuer, service_account_id: `${account}--sync`, subject: 'any', last_used_at };
  const sublist = inList(sublists.trustsOfIssuer(account, issuer), toTimestamp(0), workflow_id);
  await items.putAll([encode('trusted_workflow', record, { key: keys.workflow('uid', workflow_id), sublist })]);
  return workflow_id;
}
const signIn = (issuer: string, workflowId: string) =>
  trust(issuer, 'tides', toTimestamp(service.services.clock()), workflowId);

/** Waits until the stream consumer has changed the item of the issuer. */
async function changed(issuer: string, change: () => Promise<unknown>, account = 'tides'): Promise<void> {
  const { pk, sk } = keys.registeredIssuer(account, issuer);
  const before = await items.find(pk, sk);
  await change();
  await vi.waitFor(async () => expect(await items.find(pk, sk)).not.toEqual(before), { timeout: 20_000 });
}

const minutes = (count: number) => service.advance(count * 60);

describe('an owner', () => {
  test('registers an issuer, lists it with the result of its fetch, and deletes it', async () => {
    const issuer = newIssuer();
    const created = await registered(issuer);
    expect(created).toMatchObject({
      ...{ issuer, kind: 'gitlab', created_by: 'ada', key_ids: ['one'] },
      ...{ keys_fetched_at: created.created_at, last_attempt_at: created.created_at },
      ...{ last_failure: null, last_used_at: null },
    });
    expect(await listed(issuer)).toEqual({ ...created, created_by_name: null, trust_count: 0 });
    const { issuer_id } = created;
    expect((await remove(issuer_id)).status).toBe(204);
    expect(await listed(issuer)).toBeUndefined();
    expect((await remove(issuer_id)).body).toMatchObject({
      code: 'not_found',
      detail: expect.stringContaining('list'),
    });
    const { body: events } = await made(ada('GET', '/accounts/tides/audit-events'));
    expect(events.slice(0, 2)).toMatchObject(
      ['issuer.deleted', 'issuer.registered'].map((kind) => ({
        kind,
        actor: { account_id: 'ada' },
        subject: { account_id: 'tides', issuer_id, issuer, kind: 'gitlab' },
      })),
    );
  });

  test('sees how many trusted workflows end with an issuer, and sees them again after a new registration', async () => {
    const issuer = newIssuer();
    const { issuer_id } = await registered(issuer);
    for (let count = 0; count < 3; count += 1) await trust(issuer);
    await trust(issuer, 'ben');
    expect(await listed(issuer)).toMatchObject({ trust_count: 3 });
    await made(remove(issuer_id));
    const again = await registered(issuer);
    expect(await listed(issuer)).toMatchObject({ issuer_id: again.issuer_id, trust_count: 3 });
    await made(remove(again.issuer_id));
  });

  test('sees the number of existing trusted workflows of every issuer', async () => {
    const { issuer } = service.identity.ci;
    const count = () => service.services.store.registeredIssuers.countTrusts({ account_id: 'ben', issuer }, 10);
    await made(ben('POST', '/accounts/ben/service-accounts', { name: 'sync' }));
    const path = '/service-accounts/ben--sync/trusted-workflows';
    const { body } = await made(ben('POST', path, { repository: 'tides/pipelines', branch: 'main' }));
    expect(await count()).toBe(1);
    await made(ben('DELETE', `${path}/${body.workflow_id}`));
    expect(await count()).toBe(0);
  });

  test('registers an issuer once, and another account can register the same issuer', async () => {
    const issuer = newIssuer();
    const { issuer_id } = await registered(issuer);
    expect((await register(issuer)).body).toMatchObject({ code: 'already_registered' });
    const other = await registered(issuer, ben, 'ben');
    expect((await remove(other.issuer_id)).status).toBe(404);
    await made(remove(issuer_id));
    expect(await listed(issuer, ben, 'ben')).toMatchObject({ issuer_id: other.issuer_id, key_ids: ['one'] });
  });
});

test('a maintainer cannot register, list, or delete an issuer', async () => {
  await addMember(ada, 'tides', ben, 'ben', 'maintainers');
  const { issuer_id } = await registered(newIssuer());
  const answers = [
    await register(newIssuer(), ben),
    await ben('GET', '/accounts/tides/issuers'),
    await remove(issuer_id, ben),
  ];
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
  await made(remove(issuer_id));
});

describe('a registration of an issuer is refused', () => {
  test.each([
    ['a configured issuer', 'https://gitlab.example.org', /without registering/],
    ['a configured issuer with a slash', 'https://gitlab.example.org/', /looks like https:\/\/gitlab\.example\.org,/],
    ['a configured issuer in capitals', 'https://GitLab.example.org', /looks like/],
    ['a configured issuer with its port', 'https://gitlab.example.org:443', /looks like/],
    ['the local CI system', service.identity.ci.issuer, /without registering/],
    ["the users' issuer", service.identity.people.issuer, /signs in the users/],
    ["the users' issuer with a slash", `${service.identity.people.issuer}/`, /signs in the users/],
    ['an issuer with a user', 'https://user@ci.example.org', /without user/],
    ['an IP address', 'https://169.254.169.254', /public host/],
    ['an issuer without https', 'http://ci.example.org', /https/],
  ])('if it is %s', async (_, issuer, message) => {
    const { status, body } = await register(issuer);
    expect({ status, ...body }).toMatchObject({ status: 400, code: 'field_invalid', errors: [{ path: 'issuer' }] });
    expect(body.detail).toMatch(message);
  });

  test.each([
    ['github', 'https://github.example.net', /_services\/token/],
    ['oidc', 'https://gitlab.com', /kind gitlab/],
    ['kubernetes', 'https://token.actions.githubusercontent.com/x', /kind github/],
  ])('if %s is the wrong kind for %s', async (kind, issuer, message) => {
    const { status, body } = await ada('POST', '/accounts/tides/issuers', { issuer, kind });
    expect({ status, path: body.errors?.[0].path }).toEqual({ status: 400, path: 'issuer' });
    expect(body.detail).toMatch(message);
  });

  test('if its keys cannot be fetched, and the reason repeats no text of the issuer', async () => {
    const issuer = newIssuer();
    server.publish({ status: 503 });
    const { status, body } = await register(issuer);
    expect({ status, ...body }).toMatchObject({ status: 409, code: 'issuer_unusable' });
    expect(body.detail).toMatch(/does not answer with status 200; make/);
    server.publish([]);
    expect((await register(issuer)).body.detail).toMatch(/no usable key; publish/);
    server.publish(['one']);
    expect((await register(server.issuer('/a/'))).body.detail).toMatch(/names another issuer; register exactly/);
    expect(await listed(issuer)).toBeUndefined();
  });

  test('after too many attempts of one account in an hour', async () => {
    server.publish({ status: 503 });
    const codes = new Set<string>();
    for (let count = 0; count <= limits.issuerRegistrationsPerHourMax; count += 1) {
      codes.add((await register(newIssuer(), ben, 'ben')).body.code);
    }
    server.publish(['one']);
    expect([...codes]).toEqual(['issuer_unusable', 'throttled']);
    const { headers } = await register(newIssuer(), ben, 'ben');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    service.advance(3600);
  });
});

describe('the keys of a registered issuer', () => {
  test('are fetched every 6 hours while it has a trust, and every 15 minutes while it is used', async () => {
    const issuer = newIssuer();
    await registered(issuer);
    const fetchesAfter = async (count: number) => {
      minutes(count);
      await service.issuerKeys.run();
      return fetchesOf(issuer);
    };
    expect([await fetchesAfter(361), await fetchesAfter(361)]).toEqual([1, 1]);
    // The stored keys are older than five minutes, so the new trusted workflow causes a fetch.
    const workflowId = randomUUID();
    await changed(issuer, () => trust(issuer, 'tides', null, workflowId));
    expect([await fetchesAfter(0), await fetchesAfter(359), await fetchesAfter(2)]).toEqual([2, 2, 3]);
    await changed(issuer, () => signIn(issuer, workflowId));
    expect([await fetchesAfter(14), await fetchesAfter(2), await fetchesAfter(14), await fetchesAfter(2)]).toEqual([
      3, 4, 4, 5,
    ]);
    expect((await listed(issuer)).last_used_at).not.toBeNull();
    expect([await fetchesAfter(31 * 24 * 60), await fetchesAfter(30), await fetchesAfter(332)]).toEqual([6, 6, 7]);
  });

  test('are fetched once in five minutes for any number of unknown key IDs', async () => {
    const issuer = newIssuer();
    await registered(issuer);
    const miss = () => noteUnknownKey(table, { account_id: 'tides', issuer }, service.services.clock());
    await changed(issuer, async () => expect(await miss()).toBe(true));
    await service.issuerKeys.run();
    minutes(6);
    await service.issuerKeys.run();
    // If no workflow trusts the issuer, a token cannot make the service send a request.
    expect(fetchesOf(issuer)).toBe(1);
    await changed(issuer, () => trust(issuer));
    await service.issuerKeys.run();
    expect(fetchesOf(issuer)).toBe(2);
    minutes(6);
    await changed(issuer, async () => {
      expect(await miss()).toBe(true);
      expect(new Set(await Promise.all(Array.from({ length: 20 }, miss)))).toEqual(new Set([false]));
    });
    for (let run = 0; run < 3; run += 1) await service.issuerKeys.run();
    expect(fetchesOf(issuer)).toBe(3);
    minutes(4);
    await service.issuerKeys.run();
    expect(fetchesOf(issuer)).toBe(3);
  });

  test('follow the issuer, and stay the same if it publishes no keys', async () => {
    const issuer = newIssuer();
    await registered(issuer);
    minutes(6);
    await changed(issuer, () => trust(issuer));
    const published = async (keyIds: Parameters<typeof server.publish>[0]) => {
      server.publish(keyIds);
      minutes(361);
      await service.issuerKeys.run();
      const { key_ids, last_failure, keys_fetched_at, last_attempt_at } = await listed(issuer);
      return [key_ids, last_failure, keys_fetched_at === last_attempt_at];
    };
    expect(await published(['two', 'three'])).toEqual([['two', 'three'], null, true]);
    expect(await published([])).toEqual([['two', 'three'], 'no_usable_key', false]);
    expect(await published({ status: 404 })).toEqual([['two', 'three'], 'status_refused', false]);
    expect(await published(['two'])).toEqual([['two'], null, true]);
    server.publish(['one']);
  });

  test('are not fetched after the deletion of the issuer', async () => {
    const issuer = newIssuer();
    const { issuer_id } = await registered(issuer);
    minutes(6);
    await changed(issuer, () => trust(issuer));
    await service.issuerKeys.run();
    expect(fetchesOf(issuer)).toBe(2);
    await made(remove(issuer_id));
    minutes(361);
    await service.issuerKeys.run();
    expect(fetchesOf(issuer)).toBe(2);
  });
});
