import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { expect, onTestFinished, test } from 'vitest';
import { startObjectStore } from '../../../lib/local/s3/server.ts';
import { seedNames } from '../../../lib/local/seed.ts';
import { made } from '../../functions/users.ts';
import { s3Client, signIn } from '../../service/data-clients.ts';
import { startSeededService } from '../../service/seeded-service.ts';
import { startStsStandIn } from '../../service/sts-server.ts';

const lent = { access_key_id: 'ASIALENT', secret_access_key: 'lent secret', session_token: 'lent/token+for=us' };

/** Starts a service with a store that accepts only the credentials of the assumed role, including the session token. */
async function startWithRoles() {
  const directory = await mkdtemp(path.join(tmpdir(), 'sluice-roles-'));
  const bucket = 'lent-store';
  const shared = { host: '127.0.0.1' as const, port: 0, directory, clock: Date.now };
  const store = await startObjectStore({ ...shared, credentials: lent, buckets: [bucket] });
  const sts = await startStsStandIn(lent);
  const service = await startSeededService({
    storage: { endpoint: store.url, region: 'us-east-1', bucket, access_key_id: 'NONE', secret_access_key: 'none' },
    assumeRole: sts.assumeRole,
  });
  onTestFinished(async () => {
    await service.close();
    await store.close();
    await rm(directory, { recursive: true });
  });
  const admin = await service.user(seedNames.admin.identity_id);
  const at = `/data-connections/${seedNames.data_connection_id}`;
  const { authentication: _, ...connection } = (await made(admin('GET', at))).body;
  const useRole = (external_id: string) => {
    const authentication = { type: 's3_assume_role', role_arn: sts.role_arn, external_id };
    return made(admin('PUT', at, { ...connection, authentication }));
  };
  return { service, sts, admin, at, useRole };
}

test('a repository is read and written through a role, and no secret of the storage is stored', async () => {
  const { service, sts, admin, at, useRole } = await startWithRoles();
  const authentication = { type: 's3_assume_role', role_arn: sts.role_arn, external_id: sts.external_id };
  expect((await useRole(sts.external_id)).body).toMatchObject({ authentication });
  expect((await admin('GET', at)).body).toMatchObject({ authentication });
  const user = await service.user(seedNames.user.identity_id);
  expect((await user('GET', at)).body).not.toHaveProperty('authentication');

  const s3 = s3Client(service, await signIn(service, service.key));
  const object = { Bucket: 'tide-institute', Key: 'raw-drafts/large.bin' };
  const body = Buffer.alloc(6 * 1024 * 1024, 'tide');
  await new Upload({ client: s3, params: { ...object, Body: body }, partSize: 5 * 1024 * 1024 }).done();
  const got = await s3.send(new GetObjectCommand({ ...object, Range: 'bytes=-4' }));
  expect(await got.Body?.transformToString()).toBe('tide');
  const listed = await s3.send(new ListObjectsV2Command({ Bucket: 'tide-institute', Prefix: 'raw-drafts/' }));
  expect(listed.Contents?.map(({ Key }) => Key)).toEqual(['raw-drafts/large.bin']);
  expect(sts.calls).toHaveLength(1);
});

test('a refused role is an error that clients retry, without details of the role', async () => {
  const { service, sts, useRole } = await startWithRoles();
  await useRole('not-the-one');
  const answer = await fetch(`${service.dataUrl}/tide-institute/tide-gauges/a.csv`);
  expect(answer.status).toBe(503);
  const text = await answer.text();
  expect(text).toContain('<Code>StorageCredentialsRefused</Code>');
  for (const hidden of [sts.role_arn, 'not-the-one', 'AccessDenied', 'sluice-storage'])
    expect(text).not.toContain(hidden);
  await fetch(`${service.dataUrl}/tide-institute/tide-gauges/b.csv`);
  expect(sts.calls).toHaveLength(1);
});
