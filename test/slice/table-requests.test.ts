import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ciToken, s3Client, signIn } from '../service/data-clients.ts';
import { type SeededService, startSeededService } from '../service/seeded-service.ts';

let service: SeededService;
beforeAll(async () => {
  service = await startSeededService();
});
afterAll(() => service.close());
beforeEach(() => {
  service.tableRequests.length = 0;
});

test('an exchange by a key makes one request to read, and notes the use of the key at most once a minute', async () => {
  await signIn(service, service.key);
  expect(service.tableRequests).toEqual(['BatchGetItemCommand', 'UpdateItemCommand']);
  service.tableRequests.length = 0;
  await signIn(service, service.key);
  expect(service.tableRequests).toEqual(['BatchGetItemCommand']);
});

test('an exchange by a CI token makes one request to read once its repository is known', async () => {
  await signIn(service, await ciToken(service));
  service.tableRequests.length = 0;
  await signIn(service, await ciToken(service));
  expect(service.tableRequests).toEqual(['BatchGetItemCommand']);
});

test('who signed in is told without a request to the table, and a warm instance serves objects without one', async () => {
  const s3 = s3Client(service, await signIn(service, service.key));
  const place = { Bucket: 'tide-institute', Key: 'raw-drafts/warm' };
  await s3.send(new PutObjectCommand({ ...place, Body: 'warm' }));
  service.tableRequests.length = 0;
  await s3.send(new PutObjectCommand({ ...place, Body: 'warm' }));
  await (await s3.send(new GetObjectCommand(place))).Body?.transformToString();
  await s3.send(new ListObjectsV2Command({ Bucket: place.Bucket, Prefix: 'raw-drafts/' }));
  expect(service.tableRequests).toEqual([]);
});

test('credentials of another sign-in of the same service account find the instance warm', async () => {
  const place = { Bucket: 'tide-institute', Key: 'raw-drafts/shared' };
  const put = new PutObjectCommand({ ...place, Body: 'shared' });
  await s3Client(service, await signIn(service, service.key)).send(put);
  const others = await signIn(service, service.key, { role: 'ReadOnly' });
  service.tableRequests.length = 0;
  await s3Client(service, others).send(new GetObjectCommand(place));
  await expect(s3Client(service, others).send(put)).rejects.toMatchObject({ name: 'AccessDenied' });
  expect(service.tableRequests).toEqual([]);
});

test('facts of an open repository are read once for all who are anonymous', async () => {
  const url = `${service.dataUrl}/tide-institute/tide-gauges/nothing`;
  await fetch(url);
  service.tableRequests.length = 0;
  expect((await fetch(url)).status).toBe(404);
  expect(service.tableRequests).toEqual([]);
});

test('facts more than a minute old are read again before a write', async () => {
  const place = { Bucket: 'tide-institute', Key: 'raw-drafts/aged' };
  const credentials = await signIn(service, service.key);
  await s3Client(service, credentials).send(new PutObjectCommand({ ...place, Body: 'aged' }));
  service.advance(61);
  service.tableRequests.length = 0;
  await s3Client(service, credentials, 61).send(new GetObjectCommand(place));
  expect(service.tableRequests).toEqual([]);
  await s3Client(service, credentials, 61).send(new PutObjectCommand({ ...place, Body: 'aged' }));
  expect(service.tableRequests.length).toBeGreaterThan(0);
});
