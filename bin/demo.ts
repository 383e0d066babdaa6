import { randomUUID } from 'node:crypto';
import { DeleteObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { issueKey, revokeFoundKey, useSettings } from './demo/key.ts';
import {
  list,
  type Place,
  partMebibytes,
  read,
  readDataFile,
  readInRanges,
  readStoredChecksum,
  repeated,
  sha256,
  upload,
  uploadInParts,
} from './demo/objects.ts';
import { findRunningService, type RunningService } from './demo/running-service.ts';
import { DemoError, expect, step } from './demo/steps.ts';

try {
  await main();
} catch (error) {
  if (!(error instanceof DemoError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const service = await findRunningService();
  const { service_account_id, person_identity_id, data_url, organization_id: Bucket } = service;
  console.log(`An AWS client at ${data_url} as the service account ${service_account_id}\n`);
  const folder = `demo-${randomUUID()}`;
  const open: Place = { Bucket, Key: `${service.open_repository_id}/${folder}/countries-10m.json` };
  const restricted: Place = { Bucket, Key: `${service.private_repository_id}/${folder}/countries-repeated.json` };

  const keyFile = await step(
    `Issue a key, as ${person_identity_id}`,
    () => issueKey(service),
    'into a file that this user alone can read',
  );
  useSettings({ ...service.settings, AWS_WEB_IDENTITY_TOKEN_FILE: keyFile });
  const client = new S3Client();
  const deleteObjects = () =>
    Promise.all([open, restricted].map((place) => client.send(new DeleteObjectCommand(place))));
  try {
    await step(
      'Exchange it for temporary credentials',
      () => client.config.credentials(),
      ({ accessKeyId, expiration }) => `${accessKeyId}, good until ${expiration?.toISOString()}`,
    );
    await moveData(client, { open, restricted });
    await readAsAnyone(service, { open, restricted });
    await leakKey(service, keyFile, open);
  } catch (error) {
    await Promise.allSettled([deleteObjects(), revokeFoundKey(service, keyFile)]);
    throw error;
  }
  await step('Delete the objects, with the credentials issued before', deleteObjects, 'they work until they expire');
  console.log('\nAll went well: the key signed in, moved data, leaked, was revoked and signs in no more.');
}

async function moveData(client: S3Client, { open, restricted }: { open: Place; restricted: Place }): Promise<void> {
  const file = await readDataFile();
  const digest = sha256(file);
  const requireSame = (bytes: Uint8Array, expected = digest) =>
    expect(sha256(bytes) === expected, 'other bytes came back');
  const same = 'the same SHA-256';
  const size = `SHA-256 ${digest.slice(0, 12)}…`;
  await step(`Upload countries-10m.json, ${megabytes(file)}`, () => upload(client, open, file), size);
  const readChecksum = async () =>
    expect((await readStoredChecksum(client, open)) === digest, 'the storage has another checksum');
  await step('Ask for the checksum that the storage keeps', readChecksum, same);
  const readList = async () => {
    const found = await list(client, open.Bucket, open.Key.slice(0, open.Key.lastIndexOf('/') + 1));
    expect(found.size === 1 && found.get(open.Key) === file.length, 'the list does not hold the file alone');
  };
  await step('List its folder', readList, `1 object of ${file.length} bytes`);
  await step('Read it whole', async () => requireSame(await read(client, open)), same);
  const readParts = async () => requireSame(await readInRanges(client, open, file.length, 4));
  await step('Read it in four ranges at a time', readParts, same);
  const readEnd = async () => requireSame(await read(client, open, 'bytes=-1000'), sha256(file.subarray(-1000)));
  await step('Read its last 1,000 bytes', readEnd, 'the same bytes');

  const large = repeated(file, 6);
  const title = `Upload ${megabytes(large)} in parts, to the private repository`;
  await step(title, () => uploadInParts(client, restricted, large), `parts of ${partMebibytes} MiB`);
  await step('Read that back', async () => requireSame(await read(client, restricted), sha256(large)), same);
}

async function readAsAnyone(service: RunningService, places: { open: Place; restricted: Place }): Promise<void> {
  const fetchPlain = ({ Bucket, Key }: Place) => fetch(`${service.data_url}/${Bucket}/${Key}`);
  await step(
    'Read the open repository without credentials',
    async () => {
      const answer = await fetchPlain(places.open);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      expect(sha256(bytes) === sha256(await readDataFile()), `it answered ${answer.status} and other bytes`);
    },
    'the same SHA-256',
  );
  await step(
    'Read the private repository without credentials',
    async () => {
      const { status } = await fetchPlain(places.restricted);
      expect(status === 403, `it answered ${status}`);
    },
    'refused: 403',
  );
}

async function leakKey(service: RunningService, keyFile: string, place: Place): Promise<void> {
  await step(
    'Find the key leaked, and revoke it as anyone may',
    () => revokeFoundKey(service, keyFile),
    (status) => `${status}, without an account`,
  );
  await step(
    'Exchange the revoked key, with a new client',
    async () => {
      const refusal = await read(new S3Client(), place).then(
        () => undefined,
        (error: Error & { Code?: string }) => error,
      );
      expect(refusal !== undefined, 'the key still signs in');
      expect(refusal.Code === 'InvalidIdentityToken', `it failed in another way: ${refusal.message}`);
      return refusal;
    },
    ({ Code, message }) => `refused: ${Code}: ${message}`,
  );
}

function megabytes(bytes: Uint8Array): string {
  return `${(bytes.length / 1e6).toFixed(1)} MB`;
}
