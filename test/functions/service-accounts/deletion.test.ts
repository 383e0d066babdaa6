import { inspect } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, test, vi } from 'vitest';
import { engineOfThisFile } from '../../service/engine-of-this-file.ts';
import { watchRequests } from '../../service/watched-requests.ts';
import { inBatches, made, newKey } from '../users.ts';
import {
  keyRefused,
  type NewServiceAccount,
  objectRefused,
  organization,
  privateRepository,
  ciRepository as repository,
  serviceAccountFixture,
  workflowRefused,
} from './fixture.ts';

// The timeout is longer than the default, because the tests wait for stream consumers.
vi.setConfig({ testTimeout: 120_000 });

/** The stream consumer waits for this promise before it removes the items. */
let held: Promise<void> | undefined;
/** The numbers of deleted items after which the database fails once. */
const cutOffAfter: number[] = [];

const { instrument: instrumentBackground } = watchRequests(async ({ command }) => {
  if (command !== 'DeleteItemCommand') return;
  await held;
  if (cutOffAfter[0] === undefined) return;
  cutOffAfter[0] -= 1;
  if (cutOffAfter[0] >= 0) return;
  cutOffAfter.shift();
  throw new Error('cut off');
});

const service = await serviceAccountFixture({ instrumentBackground });
let account: NewServiceAccount;
beforeEach(async () => {
  account = await service.newServiceAccount();
});

/** Returns the items with the ID of the deleted account, except change feed entries, which expire after one hour. */
const remains = async (uid: string) =>
  (await service.table.all()).filter(({ entity, ...item }) => entity !== 'feed' && JSON.stringify(item).includes(uid));
const nothingRemains = (uid: string) =>
  vi.waitFor(async () => expect((await remains(uid)).map(({ pk, sk }) => `${pk} ${sk}`)).toEqual([]), {
    timeout: 100_000,
    interval: 100,
  });
const recreate = () =>
  made(service.ada('POST', `/accounts/${organization}/service-accounts`, { name: account.id.split('--')[1] }));
const trust = (branch: string) =>
  made(service.ada('POST', `${account.path}/trusted-workflows`, { repository, branch }));
const signIn = async (branch: string) =>
  service.exchange(await service.runOn(branch), { serviceAccountId: account.id });

/** Adds more grants than the API allows, and more than one transaction can hold. */
async function addGrants(count: number): Promise<void> {
  const client = new DynamoDBClient(engineOfThisFile());
  const documents = DynamoDBDocumentClient.from(client);
  await inBatches(count / 25, 4, async (batch) => {
    const requests = Array.from({ length: 25 }, (_, index) => {
      const repository_id = `many-${batch * 25 + index}`;
      const list = { list_pk: `GRANTS#${account.uid}`, list_sk: `2026-01-01T00:00:00.000Z#${repository_id}` };
      const key = { pk: `SERVICE_ACCOUNT#${account.uid}`, sk: `GRANT#${repository_id}` };
      return { PutRequest: { Item: { ...key, ...list, entity: 'grant', repository_id, access: 'read' } } };
    });
    await documents.send(new BatchWriteCommand({ RequestItems: { [service.table.tableName]: requests } }));
  });
  client.destroy();
}

test('removes keys, workflows, and grants, and a second request gets 404', async () => {
  const { key } = await account.issueKey();
  const uses = async () => (await service.table.all()).filter(({ entity }) => entity === 'service_account_key_use');
  await service.exchange(key);
  expect(await uses()).toHaveLength(1);
  const { key_id } = await account.issueKey('never');
  await made(service.ada('DELETE', `${account.path}/keys/${key_id}`));
  await trust('main');
  expect((await remains(account.uid)).length).toBeGreaterThan(6);
  expect(await service.ada('DELETE', account.path)).toMatchObject({ status: 204, body: undefined });
  expect((await service.ada('DELETE', account.path)).status).toBe(404);
  await vi.waitFor(async () => expect(await uses()).toEqual([]), { timeout: 20_000, interval: 100 });
  expect((await service.ada('GET', account.path)).status).toBe(404);
  await nothingRemains(account.uid);
  const { body } = await service.ada('GET', `/accounts/${organization}/service-accounts`);
  expect(body.map((each: { service_account_id: string }) => each.service_account_id)).not.toContain(account.id);
});

test('succeeds once for two concurrent requests', async () => {
  const answers = await Promise.all([1, 2, 3].map(() => service.ada('DELETE', account.path)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404, 404]);
  await nothingRemains(account.uid);
});

test('revokes the API keys that an administrator issued for it, and a new account of this name restores none', async () => {
  const admin = await service.user('admin');
  const at = `/accounts/${account.id}/api-keys`;
  const issue = () => newKey(service, admin, `/accounts/${account.id}`);
  const before = await issue();
  expect((await before.client('GET', '/whoami')).status).toBe(200);
  const { promise, resolve } = Promise.withResolvers<void>();
  held = promise;
  await made(service.ada('DELETE', account.path));
  await recreate();
  const anew = await issue();
  expect((await before.client('GET', '/whoami')).status).toBe(401);
  expect((await anew.client('GET', '/whoami')).status).toBe(200);
  held = undefined;
  resolve();
  await nothingRemains(account.uid);
  await vi.waitFor(
    async () => {
      const listed = (await made(admin('GET', at))).body.map((key: { access_key_id: string }) => key.access_key_id);
      expect(listed).toEqual([anew.access_key_id]);
    },
    { timeout: 100_000, interval: 100 },
  );
  expect((await before.client('GET', '/whoami')).status).toBe(401);
  expect((await anew.client('GET', '/whoami')).status).toBe(200);
});

test('continues after interruptions until all of thousands of items are deleted', async () => {
  await addGrants(3000);
  const { key } = await account.issueKey();
  await trust('main');
  expect((await remains(account.uid)).length).toBeGreaterThan(3000);
  cutOffAfter.push(100, 1000, 500);
  await made(service.ada('DELETE', account.path));
  // All credentials of the service account are refused from the first moment.
  await expect(service.exchange(key)).rejects.toMatchObject(keyRefused);
  await expect(signIn('main')).rejects.toMatchObject(workflowRefused);
  await nothingRemains(account.uid);
  expect(cutOffAfter).toEqual([]);
  const failures = service.logged.filter((line) => /cut off/.test(inspect(line)));
  expect(failures.length).toBeGreaterThanOrEqual(3);
});

test('leaves nothing that a new account of this name revives: no key, workflow, grant, or issued credential', async () => {
  const { key } = await account.issueKey('never');
  await trust('main');
  const byKey = await service.exchange(key);
  const byRun = await signIn('main');
  await service.write(byKey);
  await service.write(byRun);
  await made(service.ada('DELETE', account.path));
  await recreate();
  // Check immediately, with the stream at any point, and again after the stream has caught up.
  for (const settle of [async () => undefined, () => nothingRemains(account.uid)]) {
    await settle();
    for (const list of ['keys', 'grants', 'trusted-workflows'])
      expect((await service.ada('GET', `${account.path}/${list}`)).body).toEqual([]);
    await expect(service.exchange(key)).rejects.toMatchObject(keyRefused);
    await expect(signIn('main')).rejects.toMatchObject(workflowRefused);
  }
  await made(service.ada('PUT', `${account.path}/grants/${privateRepository}`, { access: 'read_write' }));
  service.pass(301);
  for (const credentials of [byKey, byRun]) {
    await expect(service.write(credentials)).rejects.toMatchObject(objectRefused);
    await expect(service.read(credentials)).rejects.toMatchObject(objectRefused);
  }
});

test('allows the same workflow to be trusted at once under the same name, and does not remove it later', async () => {
  await trust('main');
  const { promise, resolve: release } = Promise.withResolvers<void>();
  held = promise;
  await made(service.ada('DELETE', account.path));
  await recreate();
  await trust('main');
  await signIn('main');
  held = undefined;
  release();
  await nothingRemains(account.uid);
  await signIn('main');
  expect((await service.ada('GET', `${account.path}/trusted-workflows`)).body).toHaveLength(1);
});

test('changes no other service account', async () => {
  const other = await service.newServiceAccount();
  const { key } = await other.issueKey();
  await made(service.ada('DELETE', account.path));
  await nothingRemains(account.uid);
  await service.write(await service.exchange(key));
});
