import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { ServiceEvent } from '../../../lib/domain/changes/events.ts';
import { consumerMarks, writeLastChanges } from '../../service/consumer-marks.ts';
import { ciToken, signIn } from '../../service/data-clients.ts';
import { engineOfThisFile } from '../../service/engine-of-this-file.ts';
import { seededService } from '../../service/seeded-service.ts';
import type { Client } from '../../service/test-service.ts';
import { lookAtTable } from '../table-items.ts';

const table = lookAtTable(`test-${randomUUID()}`);
const writer = DynamoDBDocumentClient.from(new DynamoDBClient(engineOfThisFile()));
const day = 86_400;
const serviceAccount = '/service-accounts/tide-institute--nightly-sync';

afterAll(() => writer.destroy());
const service = await seededService({ tableName: table.tableName });
const ada = await service.user('ada');

function events(): ServiceEvent[] {
  return service.logged.flatMap((line) => ('event' in line ? [line.event] : []));
}

const eventually = <T>(look: () => T | Promise<T>) => vi.waitFor(look, { timeout: 20_000, interval: 20 });

async function expectEvent(type: string, detail: Record<string, unknown>): Promise<void> {
  await eventually(() =>
    expect(events()).toContainEqual(expect.objectContaining({ type, detail: expect.objectContaining(detail) })),
  );
}

async function allFedPartitions(): Promise<string[]> {
  const items = await table.all();
  return items.filter(({ entity }) => entity === 'feed').flatMap(({ partitions }) => partitions as string[]);
}

async function fedPartitions(): Promise<string[]> {
  return (await allFedPartitions()).filter((partition) => !partition.startsWith('ACCOUNT#caught-up')).sort();
}

/** Resolves when both stream consumers have processed all earlier writes. */
async function streamCaughtUp(): Promise<void> {
  const roles = consumerMarks('propagate-access-change', (name) => ({ pk: `ACCOUNT#${name}`, sk: 'ROLE#nobody' }));
  await table.putAll(roles.map(({ key }) => ({ ...key, entity: 'role' })));
  const last = await writeLastChanges((items) => table.putAll(items));
  for (const account_id of last) await expectEvent('account.disabled', { account_id });
  await eventually(async () => {
    const fed = await allFedPartitions();
    for (const { key } of roles) expect(fed).toContain(key.pk);
  });
}

async function issueKey(expiry: string): Promise<{ key: string; key_id: string }> {
  const { body } = await ada('POST', `${serviceAccount}/keys`, { label: 'nightly', expiry });
  return body;
}

describe('the feed', () => {
  test.each<[string, (admin: Client) => Promise<unknown>, string]>([
    [
      'a changed grant',
      () => ada('PUT', `${serviceAccount}/grants/raw-drafts`, { access: 'read' }),
      'SERVICE_ACCOUNT#',
    ],
    [
      'a disabled service account',
      () => ada('POST', `${serviceAccount}/disable`),
      'ACCOUNT#tide-institute--nightly-sync',
    ],
    [
      'an enabled service account',
      () => ada('POST', `${serviceAccount}/enable`),
      'ACCOUNT#tide-institute--nightly-sync',
    ],
    [
      'a disabled repository',
      () => ada('POST', '/repositories/tide-institute/raw-drafts/disable'),
      'REPOSITORY#tide-institute/raw-drafts',
    ],
    [
      'a disabled connection',
      (admin) => admin('DELETE', '/data-connections/local-store'),
      'DATA_CONNECTION#local-store',
    ],
  ])('contains %s within seconds', async (_, change, partition) => {
    await streamCaughtUp();
    const timesNamed = async () => (await fedPartitions()).filter((name) => name.startsWith(partition)).length;
    const before = await timesNamed();
    await change(await service.user('admin'));
    await eventually(async () => expect(await timesNamed()).toBeGreaterThan(before));
  });

  test('has no entry for sign-ins, keys, workflows, audit events, and writes of the function itself', async () => {
    await streamCaughtUp();
    const before = await fedPartitions();
    const { key_id } = await issueKey('30d');
    await signIn(service, service.key);
    await signIn(service, await ciToken(service));
    await ada('PUT', `${serviceAccount}/keys/${key_id}/expiry`, { expiry: '90d' });
    await ada('DELETE', `${serviceAccount}/keys/${key_id}`);
    await streamCaughtUp();
    // Wait again, for the writes of the function itself.
    await streamCaughtUp();
    expect(await fedPartitions()).toEqual(before);
  });

  test('stores its entries for an hour', async () => {
    const [entry] = (await table.all()).filter(({ entity }) => entity === 'feed');
    const written = Date.parse(String(entry?.['sk']).split('#')[0] ?? '');
    expect(Number(entry?.['ttl'])).toBe(Math.ceil(written / 1000) + 3600);
  });
});

describe('events', () => {
  test('contain the ID and label of a revoked key, and no secret', async () => {
    const { key, key_id } = await issueKey('30d');
    await ada('DELETE', `${serviceAccount}/keys/${key_id}`);
    await expectEvent('key.revoked', { account_id: 'tide-institute', key_id, label: 'nightly' });
    const hashes = (await table.all()).flatMap(({ key_hash }) => (typeof key_hash === 'string' ? [key_hash] : []));
    const text = JSON.stringify(events());
    for (const secret of [key, ...hashes]) expect(text).not.toContain(secret);
  });

  test('report a leaked key and its revocation', async () => {
    const { key, key_id } = await issueKey('never');
    await service.anyone('POST', '/service-account-keys/revocations', { key });
    await expectEvent('key.found_in_public', { key_id, expires_at: null });
    await expectEvent('key.revoked', { key_id });
  });

  test('report invitations and their expiry', async () => {
    const grace = await service.user('grace');
    await grace('POST', '/accounts', { account_id: 'grace', account_type: 'user', profile: {} });
    const invited = await ada('POST', '/accounts/tide-institute/members', { account_id: 'grace', role: 'read_data' });
    const { membership_id } = invited.body;
    const detail = { membership_id, account_id: 'tide-institute', member_account_id: 'grace', role: 'read_data' };
    await expectEvent('membership.invited', detail);
    await grace('POST', `/memberships/${membership_id}/accept`);
    await expectEvent('membership.accepted', detail);
    await ada('POST', `/memberships/${membership_id}/revoke`);
    await expectEvent('membership.revoked', detail);
  });
});

describe('the expiry of a key', () => {
  async function moved(seconds: number, during: () => Promise<void>): Promise<void> {
    service.advance(seconds);
    try {
      await during();
    } finally {
      service.advance(-seconds);
    }
  }

  /** Deletes the expired markers, as the TTL of the table does. */
  async function timeToLiveRuns(): Promise<void> {
    await streamCaughtUp();
    await service.ttl.runOnce();
    await streamCaughtUp();
  }

  const typesOf = (key_id: string) =>
    events().flatMap(({ type, detail }) => ('key_id' in detail && detail.key_id === key_id ? [type] : []));

  test('causes one event seven days before it and one at its time', async () => {
    const { key_id } = await issueKey('30d');
    await moved(22.9 * day, async () => {
      await timeToLiveRuns();
      expect(typesOf(key_id)).toEqual([]);
    });
    await moved(23 * day + 1, async () => {
      await timeToLiveRuns();
      expect(typesOf(key_id)).toEqual(['key.expiring']);
    });
    await moved(30 * day + 1, async () => {
      await timeToLiveRuns();
      await timeToLiveRuns();
      expect(typesOf(key_id)).toEqual(['key.expiring', 'key.expired']);
    });
  });

  test('causes the event at its new time after a change', async () => {
    const { key_id } = await issueKey('30d');
    await ada('PUT', `${serviceAccount}/keys/${key_id}/expiry`, { expiry: '90d' });
    await moved(31 * day, async () => {
      await timeToLiveRuns();
      expect(typesOf(key_id)).toEqual([]);
    });
    await moved(83 * day + 1, async () => {
      await timeToLiveRuns();
      expect(typesOf(key_id)).toEqual(['key.expiring']);
    });
  });

  test.each([
    ['was revoked', (path: string) => ada('DELETE', path)],
    ['has no expiry any more', (path: string) => ada('PUT', `${path}/expiry`, { expiry: 'never' })],
  ])('causes no event for a key that %s', async (_, change) => {
    const { key_id } = await issueKey('30d');
    await streamCaughtUp();
    await change(`${serviceAccount}/keys/${key_id}`);
    await moved(31 * day, async () => {
      await timeToLiveRuns();
      expect(typesOf(key_id).filter((type) => type !== 'key.revoked')).toEqual([]);
    });
  });

  test('causes only the expiry event if the announcement is late', async () => {
    const { key_id } = await issueKey('30d');
    await moved(31 * day, async () => {
      await timeToLiveRuns();
      expect(typesOf(key_id)).toEqual(['key.expired']);
    });
  });

  test('causes events for an API key too', async () => {
    const expires = new Date(Date.now() + 30 * day * 1000).toISOString();
    const { body } = await ada('POST', '/accounts/tide-institute/api-keys', { name: 'reader', expires });
    const { access_key_id } = body;
    await moved(23 * day + 1, async () => {
      await timeToLiveRuns();
      await expectEvent('api_key.expiring', { access_key_id, account_id: 'tide-institute', name: 'reader' });
    });
    await moved(30 * day + 1, async () => {
      await timeToLiveRuns();
      await expectEvent('api_key.expired', { access_key_id, expires });
    });
  });
});

test('the stream sets aside a change that fails every time, and continues with the next ones', async () => {
  const damaged = { pk: 'ACCOUNT#damaged', sk: 'ACCOUNT' };
  await writer.send(
    new PutCommand({ TableName: table.tableName, Item: { ...damaged, entity: 'account', disabled: false } }),
  );
  await writer.send(
    new UpdateCommand({
      TableName: table.tableName,
      Key: damaged,
      UpdateExpression: 'SET disabled = :true',
      ExpressionAttributeValues: { ':true': true },
    }),
  );
  const { key_id } = await issueKey('30d');
  await ada('DELETE', `${serviceAccount}/keys/${key_id}`);
  await expectEvent('key.revoked', { key_id });
  const setAside = () =>
    service.logged.flatMap((line) =>
      'failure' in line &&
      line.failure instanceof Error &&
      / was given up after all attempts$/.test(line.failure.message)
        ? [line.source]
        : [],
    );
  await eventually(() => expect(setAside()).toEqual(['follow-changes']));
  await streamCaughtUp();
  expect(setAside()).toHaveLength(1);
});
