import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { expect, onTestFinished, test } from 'vitest';
import { seed, seedNames } from '../../lib/local/seed.ts';
import { ciToken, s3Client, signIn } from '../service/data-clients.ts';
import { startTestService, type TestService } from '../service/test-service.ts';

test('accounts, keys, trusted workflows, credentials, and objects persist across a restart', {
  timeout: 180_000,
}, async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'sluice-data-'));
  onTestFinished(() => rm(dataDirectory, { recursive: true }));
  const place = { Bucket: 'tide-institute', Key: 'raw-drafts/kept' };
  // A separate engine, because the shared one stores its data only in memory.
  const start = (identityPort: number) =>
    startTestService({ dataDirectory, identityPort, dynamodb: undefined, tableName: 'sluice' });
  const plant = ({ apiUrl, identity, storage }: TestService, storedKey?: string) =>
    seed({ apiUrl, identityUrl: identity.url, storage, storedKey });

  const first = await start(0);
  onTestFinished(() => first.close());
  const { key } = await plant(first);
  const credentials = await signIn(first, key);
  await s3Client(first, credentials).send(
    new PutObjectCommand({ ...place, Body: 'kept', Metadata: { station: 'brest' }, ContentType: 'text/csv' }),
  );
  const before = await (await first.user('ada'))('GET', '/accounts/tide-institute');
  expect(before.status).toBe(200);
  await first.close();

  // Trusted workflows name their issuer by URL.
  const second = await start(Number(new URL(first.identity.url).port));
  onTestFinished(() => second.close());
  expect((await (await second.user('ada'))('GET', '/accounts/tide-institute')).body).toEqual(before.body);
  // Credentials from before the restart stay valid: their token contains all their data.
  const s3 = s3Client(second, credentials);
  expect(await s3.send(new HeadObjectCommand(place))).toMatchObject({
    ContentType: 'text/csv',
    Metadata: { station: 'brest' },
  });
  expect(await (await s3.send(new GetObjectCommand(place))).Body?.transformToString()).toBe('kept');
  await signIn(second, key);
  await signIn(second, await ciToken(second));

  expect(await plant(second, key)).toEqual({ key });
  await second.anyone('POST', '/service-account-keys/revocations', { key });
  await expect(signIn(second, key)).rejects.toThrow('API key was not accepted');
  const { service_account_id } = seedNames;
  const issued = await (await second.user('ada'))('POST', `/service-accounts/${service_account_id}/keys`, {
    label: 'after the restart',
    expiry: 'never',
  });
  await signIn(second, issued.body.key);
});
