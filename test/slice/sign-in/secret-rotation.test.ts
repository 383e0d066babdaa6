import { randomBytes, randomUUID } from 'node:crypto';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { afterAll, expect, test } from 'vitest';
import { readSecretText } from '../../../lib/lambda/aws/secrets-manager.ts';
import { createRotationHandler } from '../../../lib/lambda/rotations/rotation.ts';
import { rotateApiKeyMaster, rotateSessionKeys } from '../../../lib/lambda/rotations/rotations.ts';
import { createSecretSource, parseSecretVersions } from '../../../lib/lambda/secrets/secrets.ts';
import { AwsStandIn } from '../../lib/lambda/aws-server.ts';
import { type Credentials, s3Client, signIn } from '../../service/data-clients.ts';
import { seededService } from '../../service/seeded-service.ts';

const hour = 3600;

let movedSeconds = 0;
const clock = () => Date.now() + movedSeconds * 1000;
const generated = () =>
  JSON.stringify({ version: 1, created_at: '2026-01-01T00:00:00Z', key: randomBytes(48).toString('base64') });

const secrets = {
  sessionKeys: await AwsStandIn.start(generated()),
  apiKeyMasters: await AwsStandIn.start(generated()),
};
afterAll(() => {
  for (const standIn of Object.values(secrets)) standIn.close();
});
const source = ({ secrets }: AwsStandIn) => createSecretSource((id) => readSecretText(secrets, id), 'secret', clock);
const service = await seededService({
  clock,
  rotatingSecrets: { sessionKeys: source(secrets.sessionKeys), apiKeyMasters: source(secrets.apiKeyMasters) },
});

async function rotate(which: keyof typeof secrets) {
  const rotated = which === 'sessionKeys' ? rotateSessionKeys : rotateApiKeyMaster;
  const token = randomUUID();
  secrets[which].beginRotation(token);
  await createRotationHandler({
    secrets: secrets[which].secrets,
    rotate: (text) => rotated(text, clock(), randomBytes(48)),
  })({ Step: 'finishSecret', SecretId: 'secret', ClientRequestToken: token });
}

const versionOf = ({ sessionToken = '' }: Credentials) => Buffer.from(sessionToken, 'base64url').readUInt32BE(0);

const list = (credentials: Credentials) =>
  s3Client(service, credentials, movedSeconds).send(
    new ListObjectsV2Command({ Bucket: 'tide-institute', Prefix: 'raw-drafts/' }),
  );

test('a rotation of the session keys ends no session: older credentials work until they expire', async () => {
  const before = await signIn(service, service.key, { durationSeconds: 12 * hour });
  await rotate('sessionKeys');
  const during = await signIn(service, service.key, { durationSeconds: 12 * hour });
  movedSeconds += 601;
  const after = await signIn(service, service.key, { durationSeconds: 12 * hour });
  expect([before, during, after].map(versionOf)).toEqual([1, 1, 2]);
  for (const credentials of [before, during, after]) await list(credentials);

  movedSeconds += 12 * hour - 700;
  await rotate('sessionKeys');
  for (const credentials of [before, during, after]) await list(credentials);
  movedSeconds += 100;
  await expect(list(before)).rejects.toMatchObject({ name: 'ExpiredToken' });
});

test('a rotation of the master key keeps API keys and list cursors valid', async () => {
  const ada = await service.user('ada');
  const issue = async () => {
    const expires = new Date(clock() + 400 * 24 * hour * 1000).toISOString();
    const { body } = await ada('POST', '/accounts/ada/api-keys', { name: 'k', expires });
    return body as { access_key_id: string; secret_access_key: string };
  };
  const keys = [await issue(), await issue()];
  const firstPage = await ada('GET', '/accounts/ada/api-keys?limit=1');
  const next = /<([^>]+)>/.exec(firstPage.headers.get('link') ?? '')?.[1] ?? '';
  for (let year = 0; year < 2; year += 1) {
    await rotate('apiKeyMasters');
    movedSeconds += 180 * 24 * hour;
    keys.push(await issue());
  }
  expect(parseSecretVersions(secrets.apiKeyMasters.current)).toHaveLength(3);
  for (const { access_key_id, secret_access_key } of keys) {
    const answer = await service.withAuthorization(`${access_key_id} ${secret_access_key}`)('GET', '/whoami');
    expect(answer.status).toBe(200);
  }
  const page = await ada('GET', new URL(next, service.apiUrl).href);
  expect(page.body.map(({ access_key_id }: { access_key_id: string }) => access_key_id)).toContain(
    keys[1]?.access_key_id,
  );
});
