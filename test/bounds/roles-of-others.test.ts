import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { placesOfMemberships } from '../../lib/store/migrations/0007-places-of-memberships.ts';
import { encodeFinished } from '../../lib/store/migrations/finished-migrations.ts';
import {
  connection,
  createOrganization,
  invite,
  made,
  repository,
  signUp,
  signUpAdmin,
  signUpFounder,
} from '../functions/people.ts';
import { lookAtTable } from '../functions/table-items.ts';
import { formerMembership } from '../lib/store/former-memberships.ts';
import { migrate, newMembership } from '../lib/store/open-store.ts';
import { type Credentials, signIn } from '../service/data-clients.ts';
import { engineOfThisFile } from '../service/engine-of-this-file.ts';
import { sendSigned } from '../service/signed-requests.ts';
import { type Client, startTestService, type TestService } from '../service/test-service.ts';
import { countReads } from './counted-reads.ts';

/**
 * An attack: an older release put a role into the partition of whoever was invited, whoever invited them, and left it
 * there. Thousands of them may lie in a person's partition until they are migrated, and slow nothing down.
 */
const count = 2500;
/** Of somebody else, who is migrated: that this is done to thousands is tested of the migration. */
const migrated = 200;
const oneAfterAnotherMax = 4;
/** The look into the feed of revocations, once in ten seconds of an instance. */
const feedLooks = 1;
const itemsMax = 40;

const table = lookAtTable();
const reads = countReads();
let service: TestService;
let victim: Client;
let bystander: Client;
let personKey: Credentials;
let bystandersKey: Credentials;
let serviceAccountKey: string;
beforeAll(async () => {
  service = await startTestService({ tableName: table.tableName, instrument: reads.instrument });
  const admin = await signUpAdmin(service);
  victim = await signUpFounder(service, admin, 'victim');
  await createOrganization(victim, 'hermit');
  const { endpoint, bucket, region, access_key_id, secret_access_key } = service.storage;
  const details = { provider: 's3', bucket, base_prefix: '', region, endpoint };
  const authentication = { type: 's3_access_key', access_key_id, secret_access_key };
  await made(admin('POST', '/data-connections', connection('store-one', { details, authentication })));
  await made(victim('POST', '/repositories/hermit', repository('gauges', { data_mode: 'private' })));
  await made(victim('POST', '/accounts/hermit/service-accounts', { name: 'sync' }));
  await made(victim('PUT', '/service-accounts/hermit--sync/grants/gauges', { access: 'read_write' }));
  const issued = await made(victim('POST', '/service-accounts/hermit--sync/keys', { label: 'one', expiry: '30d' }));
  serviceAccountKey = issued.body.key;
  const farAhead = { name: 'k', expires: '2090-01-01T00:00:00Z' };
  const keyOf = async (person: Client, accountId: string) => {
    const { body } = await made(person('POST', `/accounts/${accountId}/api-keys`, farAhead));
    return { accessKeyId: body.access_key_id, secretAccessKey: body.secret_access_key };
  };
  bystander = await signUp(service, 'bystander');
  [personKey, bystandersKey] = [await keyOf(victim, 'victim'), await keyOf(bystander, 'bystander')];
  await table.stopStream();
  const invitations = (accountId: string, length: number) =>
    Array.from({ length }, (_, index) => invitationOfBefore(accountId, index));
  await table.putAll(invitations('victim', count).flatMap(({ role }) => role));
  await table.putAll(invitations('bystander', migrated).flatMap((former) => Object.values(former)));
}, 300_000);
afterAll(() => service.close());

function invitationOfBefore(accountId: string, index: number) {
  const created_at = new Date(service.services.clock() - index * 1000).toISOString();
  const invited = newMembership(accountId, `spammer-${index}`, { role: 'read_data' });
  return formerMembership({ ...invited, created_at, state_changed: created_at });
}
const rolesOf = async (accountId: string) =>
  (await table.all()).filter(({ pk, sk }) => pk === `ACCOUNT#${accountId}` && String(sk).startsWith('ROLE#'));

interface S3Request {
  name: string;
  method: string;
  path: string;
  query?: Record<string, string>;
  body?: string;
}

const requests: S3Request[] = [
  { name: 'PutObject', method: 'PUT', path: '/hermit/gauges/2026.csv', body: 'station,height\n' },
  { name: 'GetObject', method: 'GET', path: '/hermit/gauges/2026.csv' },
  { name: 'HeadObject', method: 'HEAD', path: '/hermit/gauges/2026.csv' },
  { name: 'ListObjectsV2', method: 'GET', path: '/hermit', query: { 'list-type': '2', prefix: 'gauges/' } },
  { name: 'DeleteObject', method: 'DELETE', path: '/hermit/gauges/2026.csv' },
];
/** They ask for every role that somebody has. */
const allLists: S3Request[] = [
  { name: 'ListBuckets', method: 'GET', path: '/' },
  {
    name: 'ListObjectsV2 of an account',
    method: 'GET',
    path: '/bystander',
    query: { 'list-type': '2', delimiter: '/' },
  },
];

/** Nothing that an instance remembers helps. */
async function countedRequest(credentials: Credentials, request: S3Request) {
  service.advance(301);
  let status = 0;
  const counted = await reads.during(async () => {
    status = (await sendSigned(service, credentials, request, { signedAt: service.services.clock() })).status;
  });
  return { status, ...counted };
}
async function countedSignIn(act: () => Promise<unknown>) {
  service.advance(61);
  return reads.during(act);
}

describe('thousands of roles that others put into a partition', () => {
  test.each(requests.map((each) => [each.name, each] as const))('do not slow down %s', async (_, request) => {
    const session = await signIn(service, serviceAccountKey, { serviceAccountId: 'hermit--sync' });
    for (const credentials of [personKey, session]) {
      const { status, oneAfterAnother, items } = await countedRequest(credentials, request);
      expect(status).toBeLessThan(300);
      expect(oneAfterAnother).toBeLessThanOrEqual(feedLooks + oneAfterAnotherMax);
      expect(items).toBeLessThanOrEqual(itemsMax);
    }
  });

  test('slow nobody down who signs in', async () => {
    const exchange = () => signIn(service, serviceAccountKey, { serviceAccountId: 'hermit--sync' });
    for (const act of [exchange, () => made(victim('GET', '/repositories/hermit/gauges'))]) {
      const { oneAfterAnother, items } = await countedSignIn(act);
      expect(oneAfterAnother).toBeLessThanOrEqual(oneAfterAnotherMax);
      expect(items).toBeLessThanOrEqual(itemsMax);
    }
  });

  test('are gone after the migration, when a session and the lists of buckets and repositories read none of them either', {
    timeout: 180_000,
  }, async () => {
    const client = new DynamoDBClient(engineOfThisFile());
    await table.putAll([encodeFinished([])]);
    const { unreadable } = await migrate({ client, tableName: table.tableName }, [placesOfMemberships], {
      clock: service.services.clock,
    });
    client.destroy();
    expect(unreadable).toEqual([]);
    expect(await rolesOf('bystander')).toEqual([]);
    const session = await countedSignIn(() => made(bystander('GET', '/whoami?limit=1')));
    expect(session.oneAfterAnother).toBeLessThanOrEqual(oneAfterAnotherMax);
    expect(session.items).toBeLessThanOrEqual(itemsMax);
    for (const list of allLists) {
      const { status, oneAfterAnother, items } = await countedRequest(bystandersKey, list);
      expect(status).toBe(200);
      expect(oneAfterAnother).toBeLessThanOrEqual(feedLooks + oneAfterAnotherMax);
      expect(items).toBeLessThanOrEqual(itemsMax);
    }
  });

  test('are not made any more: an invitation leaves nothing among the roles of whoever is invited', async () => {
    const spammer = await signUp(service, 'spammer');
    await invite(spammer, 'spammer', 'victim', 'read_data');
    expect(await table.find('ACCOUNT#victim', 'ROLE#spammer')).toBeUndefined();
  });
});
