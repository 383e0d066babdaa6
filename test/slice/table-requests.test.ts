import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { openTable } from '../../lib/lambda/table.ts';
import { TableRevocationFeed } from '../../lib/store/revocation-feed.ts';
import { accessLaneCaughtUp } from '../service/consumer-marks.ts';
import { ciToken, s3Client, signIn } from '../service/data-clients.ts';
import { engineOfThisFile } from '../service/engine-of-this-file.ts';
import { seededService } from '../service/seeded-service.ts';

const tableName = `test-${randomUUID()}`;
/** The clock moves only when a test moves it, because a feed read is due every ten seconds. */
let now = Date.now();
const client = new DynamoDBClient(engineOfThisFile());
const service = await seededService({ clock: () => now, tableName });
afterAll(() => client.destroy());
beforeEach(() => {
  service.tableRequests.length = 0;
});

test('an exchange by a key sends one read, and records the use of the key at most once a minute', async () => {
  await signIn(service, service.key);
  expect(service.tableRequests).toEqual(['BatchGetItemCommand', 'UpdateItemCommand']);
  service.tableRequests.length = 0;
  await signIn(service, service.key);
  expect(service.tableRequests).toEqual(['BatchGetItemCommand']);
});

test('an exchange by a CI token sends one read after its IDs are pinned, and writes its record once a minute', async () => {
  await signIn(service, await ciToken(service));
  service.tableRequests.length = 0;
  await signIn(service, await ciToken(service));
  expect(service.tableRequests).toEqual(['BatchGetItemCommand']);
  service.tableRequests.length = 0;
  now += 60_000;
  await signIn(service, await ciToken(service));
  // The writes are the record of the sign-in, for the audit trail, and the last use of the workflow.
  expect(service.tableRequests).toEqual(['BatchGetItemCommand', 'PutItemCommand', 'UpdateItemCommand']);
});

test('answers GetCallerIdentity without a read, and a warm instance serves objects without one', async () => {
  const s3 = s3Client(service, await signIn(service, service.key));
  const place = { Bucket: 'tide-institute', Key: 'raw-drafts/warm' };
  await s3.send(new PutObjectCommand({ ...place, Body: 'warm' }));
  service.tableRequests.length = 0;
  await s3.send(new PutObjectCommand({ ...place, Body: 'warm' }));
  await (await s3.send(new GetObjectCommand(place))).Body?.transformToString();
  await s3.send(new ListObjectsV2Command({ Bucket: place.Bucket, Prefix: 'raw-drafts/' }));
  expect(service.tableRequests).toEqual([]);
});

test('credentials of another sign-in of the same service account use the cached authorization data', async () => {
  const place = { Bucket: 'tide-institute', Key: 'raw-drafts/shared' };
  const put = new PutObjectCommand({ ...place, Body: 'shared' });
  await s3Client(service, await signIn(service, service.key)).send(put);
  const others = await signIn(service, service.key, { role: 'ReadOnly' });
  service.tableRequests.length = 0;
  await s3Client(service, others).send(new GetObjectCommand(place));
  await expect(s3Client(service, others).send(put)).rejects.toMatchObject({ name: 'AccessDenied' });
  expect(service.tableRequests).toEqual([]);
});

test('authorization data of an open repository is read once for all anonymous callers', async () => {
  const url = `${service.dataUrl}/tide-institute/tide-gauges/nothing`;
  await fetch(url);
  service.tableRequests.length = 0;
  expect((await fetch(url)).status).toBe(404);
  expect(service.tableRequests).toEqual([]);
});

test('authorization data older than a minute is read again before a write, but not before a read', async () => {
  const place = { Bucket: 'tide-institute', Key: 'raw-drafts/aged' };
  const credentials = await signIn(service, service.key);
  // Creates a client for each request, because the Date header of a response sets the client to the machine's clock.
  const s3 = () => s3Client(service, credentials, (now - Date.now()) / 1000);
  const put = () => s3().send(new PutObjectCommand({ ...place, Body: 'aged' }));
  const get = () => s3().send(new GetObjectCommand(place));
  // The change feed entries of the seed data make the instance invalidate its cache and read again. After that, no
  // entries are left.
  const feed = new TableRevocationFeed(openTable(client, tableName));
  await accessLaneCaughtUp(client, { tableName, feed, clock: () => now });
  now += 10_000;
  await put();
  now += 61_000;
  service.tableRequests.length = 0;
  await get();
  expect(authorizationReads()).toEqual([]);
  await put();
  expect(authorizationReads()).toContain('BatchGetItemCommand');
});

/** Returns the reads without the feed read that is due every ten seconds. */
function authorizationReads(): string[] {
  return service.tableRequests.filter((name) => name !== 'QueryCommand');
}
