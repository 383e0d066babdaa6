import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { fromTokenFile, fromWebToken } from '@aws-sdk/credential-providers';
import { expect, test } from 'vitest';
import { seedNames } from '../../../lib/local/seed.ts';
import { ciToken, exchangeConfig, roleArn, s3Client, signIn } from '../../service/data-clients.ts';
import { seededService } from '../../service/seeded-service.ts';

const service = await seededService();

const list = new ListObjectsV2Command({ Bucket: 'tide-institute', Prefix: 'raw-drafts/' });

test('a key in a file signs in, says who it is, and reaches the private repository', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-key-'));
  const webIdentityTokenFile = join(directory, 'nightly-sync.key');
  await writeFile(webIdentityTokenFile, `${service.key}\n`);
  const clientConfig = exchangeConfig(service);
  const credentials = fromTokenFile({
    roleArn: roleArn(),
    roleSessionName: 'slice',
    webIdentityTokenFile,
    clientConfig,
  });

  const identity = await new STSClient({ ...clientConfig, credentials }).send(new GetCallerIdentityCommand({}));
  expect(identity).toMatchObject({
    Account: seedNames.service_account_id,
    Arn: `arn:aws:sts::${seedNames.service_account_id}:assumed-role/FullAccess/slice`,
    UserId: expect.stringMatching(/^SCRA[A-Z2-7]{16}:slice$/),
  });
  expect(await s3Client(service, await credentials()).send(list)).toMatchObject({ KeyCount: 0 });
  await rm(directory, { recursive: true });
});

const notServiceAccounts = ['tide-institute', 'ada', 'nobody--nothing', '000000000000'];

test.each(notServiceAccounts)('a key is its own account where the role names %s', async (serviceAccountId) => {
  const credentials = await signIn(service, service.key, { serviceAccountId });
  const sts = new STSClient({ ...exchangeConfig(service), credentials });
  expect((await sts.send(new GetCallerIdentityCommand({}))).Account).toBe(seedNames.service_account_id);
});

test.each(notServiceAccounts)('a CI run is not authorized where the role names %s', async (serviceAccountId) => {
  await expect(signIn(service, await ciToken(service), { serviceAccountId })).rejects.toMatchObject({
    name: 'AccessDenied',
    $metadata: { httpStatusCode: 403 },
  });
});

test('a run of the trusted workflow signs in with the token of its CI system', async () => {
  const credentials = await signIn(service, await ciToken(service));
  const sts = new STSClient({ ...exchangeConfig(service), credentials });
  expect((await sts.send(new GetCallerIdentityCommand({}))).Account).toBe(seedNames.service_account_id);
  expect(await s3Client(service, credentials).send(list)).toMatchObject({ KeyCount: 0 });
});

// The AWS SDK for Java drops the path of the configured URL.
test('who sends it to the root of the data proxy signs in there, and learns who it is', async () => {
  const clientConfig = { ...exchangeConfig(service), endpoint: service.dataUrl };
  const credentials = fromWebToken({ roleArn: roleArn(), webIdentityToken: service.key, clientConfig });
  const sts = new STSClient({ ...clientConfig, credentials });
  expect((await sts.send(new GetCallerIdentityCommand({}))).Account).toBe(seedNames.service_account_id);
  expect(await s3Client(service, await credentials()).send(list)).toMatchObject({ KeyCount: 0 });
});

test('a run that is not authorized is not there either, and who manages the account can see it', async () => {
  const clientConfig = { ...exchangeConfig(service), endpoint: service.dataUrl };
  const webIdentityToken = await ciToken(service, { sub: 'repo:tide-institute/pipelines:pull_request' });
  await expect(fromWebToken({ roleArn: roleArn(), webIdentityToken, clientConfig })()).rejects.toMatchObject({
    name: 'AccessDenied',
    $metadata: { httpStatusCode: 403 },
  });
});

test.each([
  ['of another branch', { sub: 'repo:tide-institute/pipelines:ref:refs/heads/develop' }],
  ['of another repository', { sub: 'repo:tide-institute/other:ref:refs/heads/main' }],
  ['of a pull request', { sub: 'repo:tide-institute/pipelines:pull_request' }],
])('a run %s is not authorized', async (_, claims) => {
  await expect(signIn(service, await ciToken(service, claims))).rejects.toMatchObject({
    name: 'AccessDenied',
    message: expect.stringMatching(/^Not authorized to perform sts:AssumeRoleWithWebIdentity \(request id [\w-]+\)$/),
    $metadata: { httpStatusCode: 403 },
  });
});

test('a CI token for another audience is refused', async () => {
  const token = await ciToken(service, { audience: 'https://sts.amazonaws.com' });
  await expect(signIn(service, token)).rejects.toMatchObject({
    name: 'InvalidIdentityTokenException',
    $metadata: { httpStatusCode: 400 },
  });
});

test('a token of the issuer of people is no CI token', async () => {
  const answer = await fetch(`${service.identity.url}/people/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sub: 'ada' }),
  });
  const { token } = (await answer.json()) as { token: string };
  await expect(signIn(service, token)).rejects.toMatchObject({ name: 'InvalidIdentityTokenException' });
});
