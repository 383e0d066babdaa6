import { hash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { devNull, tmpdir } from 'node:os';
import path from 'node:path';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { DemoError, findRunningService, type RunningService } from './demo/running-service.ts';

/** The bucket and key of an object. */
interface ObjectLocation {
  Bucket: string;
  Key: string;
}

const partMebibytes = 8;
const same = 'the same SHA-256';

try {
  await main();
} catch (error) {
  if (!(error instanceof DemoError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const service = await findRunningService();
  const { service_account_id, user_identity_id, data_url, organization_id: Bucket } = service;
  console.log(`An AWS client at ${data_url} as the service account ${service_account_id}\n`);
  const folder = `demo-${randomUUID()}`;
  const open: ObjectLocation = { Bucket, Key: `${service.open_repository_id}/${folder}/countries-10m.json` };
  const restricted: ObjectLocation = {
    Bucket,
    Key: `${service.private_repository_id}/${folder}/countries-repeated.json`,
  };

  const keyFile = await step(
    `Issue a key, as ${user_identity_id}`,
    () => issueKey(service),
    'into a file that this user alone can read',
  );
  useSettings({ ...service.settings, AWS_WEB_IDENTITY_TOKEN_FILE: keyFile });
  const client = new S3Client();
  const deleteObjects = () =>
    Promise.all([open, restricted].map((location) => client.send(new DeleteObjectCommand(location))));
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
    await Promise.allSettled([deleteObjects(), revokeLeakedKey(service, keyFile)]);
    throw error;
  }
  await step('Delete the objects, with the credentials issued before', deleteObjects, 'they work until they expire');
  console.log('\nAll went well: the key signed in, moved data, leaked, was revoked and signs in no more.');
}

async function moveData(
  client: S3Client,
  { open, restricted }: { open: ObjectLocation; restricted: ObjectLocation },
): Promise<void> {
  const file = await readDataFile();
  const requireSame = (bytes: Uint8Array, expected: Uint8Array = file) =>
    expect(sha256(bytes) === sha256(expected), 'other bytes came back');
  const put = { ...open, Body: file, ContentType: 'application/json', ChecksumAlgorithm: 'SHA256' } as const;
  const title = `Upload countries-10m.json, ${megabytes(file)}`;
  await step(title, () => client.send(new PutObjectCommand(put)), `SHA-256 ${sha256(file).slice(0, 12)}…`);
  const readChecksum = async () => {
    const { ChecksumSHA256 = '' } = await client.send(new HeadObjectCommand({ ...open, ChecksumMode: 'ENABLED' }));
    const stored = Buffer.from(ChecksumSHA256, 'base64').toString('hex');
    expect(stored === sha256(file), 'the storage has another checksum');
  };
  await step('Ask for the checksum that the storage keeps', readChecksum, same);
  const readList = async () => {
    const location = { Bucket: open.Bucket, Prefix: open.Key.slice(0, open.Key.lastIndexOf('/') + 1) };
    const found: string[] = [];
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, location))
      found.push(...Contents.map(({ Key, Size }) => `${Key} ${Size}`));
    expect(found.join() === `${open.Key} ${file.length}`, 'the list does not hold the file alone');
  };
  await step('List its folder', readList, `1 object of ${file.length} bytes`);
  await step('Read it whole', async () => requireSame(await read(client, open)), same);
  const readParts = async () => {
    const length = Math.ceil(file.length / 4);
    const ranges = [0, 1, 2, 3].map((part) => `bytes=${part * length}-${(part + 1) * length - 1}`);
    requireSame(Buffer.concat(await Promise.all(ranges.map((range) => read(client, open, range)))));
  };
  await step('Read it in four ranges at a time', readParts, same);
  const readEnd = async () => requireSame(await read(client, open, 'bytes=-1000'), file.subarray(-1000));
  await step('Read its last 1,000 bytes', readEnd, 'the same bytes');

  // The file is larger than one part, so the client uploads it in several parts.
  const large = Buffer.concat(Array<Uint8Array>(6).fill(file));
  const upload = () =>
    new Upload({ client, partSize: partMebibytes * 1024 * 1024, params: { ...restricted, Body: large } }).done();
  const inParts = `Upload ${megabytes(large)} in parts, to the private repository`;
  await step(inParts, upload, `parts of ${partMebibytes} MiB`);
  await step('Read that back', async () => requireSame(await read(client, restricted), large), same);
}

async function readAsAnyone(
  service: RunningService,
  locations: { open: ObjectLocation; restricted: ObjectLocation },
): Promise<void> {
  const fetchPlain = ({ Bucket, Key }: ObjectLocation) => fetch(`${service.data_url}/${Bucket}/${Key}`);
  const readOpen = async () => {
    const answer = await fetchPlain(locations.open);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    expect(sha256(bytes) === sha256(await readDataFile()), `it answered ${answer.status} and other bytes`);
  };
  await step('Read the open repository without credentials', readOpen, same);
  const readPrivate = async () => {
    const { status } = await fetchPlain(locations.restricted);
    expect(status === 403, `it answered ${status}`);
  };
  await step('Read the private repository without credentials', readPrivate, 'refused: 403');
}

async function leakKey(service: RunningService, keyFile: string, location: ObjectLocation): Promise<void> {
  const revoke = () => revokeLeakedKey(service, keyFile);
  await step('Find the key leaked, and revoke it as anyone may', revoke, '204, without an account');
  const exchange = async () => {
    const refusal = await read(new S3Client(), location).then(
      () => undefined,
      (error: Error & { Code?: string }) => error,
    );
    expect(refusal !== undefined, 'the key still signs in');
    expect(refusal.Code === 'InvalidIdentityToken', `it failed in another way: ${refusal.message}`);
    return refusal;
  };
  const title = 'Exchange the revoked key, with a new client';
  await step(title, exchange, ({ Code, message }) => `refused: ${Code}: ${message}`);
}

/**
 * Creates a key for the seeded service account, as its manager. Writes the key to a file that only the current user can
 * read. The file is deleted when the process ends. The demo revokes this key, so it must not use the seeded key.
 */
async function issueKey(service: RunningService): Promise<string> {
  const { api_url, identity_url, user_identity_id, service_account_id } = service;
  const issued = await post(`${identity_url}/people/token`, { sub: user_identity_id });
  const { token } = (await issued.json()) as { token: string };
  const keys = `${api_url}/api/v1/service-accounts/${service_account_id}/keys`;
  const answer = await post(keys, { label: 'demo', expiry: '30d' }, { authorization: `Bearer ${token}` });
  const { key } = (await answer.json()) as { key: string };
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-demo-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  // Handle signals, because a process that a signal ends emits no `exit` event.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  const file = path.join(folder, 'demo.key');
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return file;
}

/**
 * Revokes a leaked key in the same way as any finder would: the key is in the request body, and the request has no
 * credentials.
 */
async function revokeLeakedKey({ api_url }: RunningService, file: string): Promise<void> {
  const key = (await readFile(file, 'utf8')).trim();
  await post(`${api_url}/api/v1/service-account-keys/revocations`, { key });
}

async function post(url: string, body: unknown, headers = {}): Promise<Response> {
  const json = { 'content-type': 'application/json', ...headers };
  const answer = await fetch(url, { method: 'POST', headers: json, body: JSON.stringify(body) });
  expect(answer.ok, `POST ${new URL(url).pathname} answered ${answer.status}`);
  return answer;
}

/** Makes the AWS SDK use only these settings. It ignores profiles and credentials of the user. */
function useSettings(settings: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];
  Object.assign(process.env, { AWS_CONFIG_FILE: devNull, AWS_SHARED_CREDENTIALS_FILE: devNull, ...settings });
}

/** Reads the demo's data file: the borders of the world's countries from Natural Earth, 3.7 MB. */
function readDataFile(): Promise<Uint8Array> {
  return readFile(createRequire(import.meta.url).resolve('world-atlas/countries-10m.json'));
}

async function read(client: S3Client, location: ObjectLocation, Range?: string): Promise<Uint8Array> {
  const { Body } = await client.send(new GetObjectCommand({ ...location, Range }));
  expect(Body !== undefined, 'the answer has no body');
  return Body.transformToByteArray();
}

/**
 * Runs one step. Prints its duration, its title, and its result.
 *
 * @throws DemoError with the title of the step when it fails
 */
async function step<T>(title: string, work: () => Promise<T>, describe: string | ((result: T) => string)): Promise<T> {
  const startedAt = performance.now();
  try {
    const result = await work();
    const took = `${(performance.now() - startedAt).toFixed(0).padStart(6)} ms`;
    console.log(`${took}  ${title.padEnd(56)}  ${typeof describe === 'string' ? describe : describe(result)}`);
    return result;
  } catch (cause) {
    throw new DemoError(`Failed: "${title}": ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/**
 * Checks an expectation of the demo.
 *
 * @throws Error with `sentence` when `claim` is false
 */
function expect(claim: boolean, sentence: string): asserts claim {
  if (!claim) throw new Error(sentence);
}

function sha256(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

function megabytes(bytes: Uint8Array): string {
  return `${(bytes.length / 1e6).toFixed(1)} MB`;
}
