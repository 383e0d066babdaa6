import { S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { places, startVersitygw } from '../../../data/differential/sides.ts';
import { freeze, setVersioning, storageOf } from './freeze-fixture.ts';

// versitygw also changes the time of a version when another version replaces it. So this time does not show when the
// version was written.
test.runIf(places.includes('versitygw'))('a freeze fails on versitygw, which lists delete markers last', async () => {
  await using started = new AsyncDisposableStack();
  const { endpoint, bucket, region, access_key_id, secret_access_key } = await startVersitygw(started, {
    hasVersions: true,
  });
  const credentials = { accessKeyId: access_key_id, secretAccessKey: secret_access_key };
  const s3 = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  started.defer(() => s3.destroy());
  const storage = storageOf({ endpoint, bucket, prefix: 'real/', access_key_id, secret_access_key });
  const place = { s3, storage, clock: Date.now };
  expect((await freeze(place, { versionUid: 'v' })).outcome).toEqual({ kind: 'failed', reason: 'no_versioning' });
  await setVersioning(place, 'Enabled');
  expect((await freeze(place, { versionUid: 'w' })).outcome).toEqual({ kind: 'failed', reason: 'order_unknown' });
});
