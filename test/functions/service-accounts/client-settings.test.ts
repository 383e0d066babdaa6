import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { fromWebToken } from '@aws-sdk/credential-providers';
import { afterAll, describe, expect, test } from 'vitest';
import type { ClientSettings } from '../../../lib/domain/service-accounts/client-settings.ts';
import { made } from '../users.ts';
import { organization, serviceAccountFixture } from './fixture.ts';

const execFileAsync = promisify(execFile);

const service = await serviceAccountFixture();
const account = await service.newServiceAccount();
const { key } = await account.issueKey();
const settings: ClientSettings = (await made(service.ada('GET', `${account.path}/client-settings`))).body;
const folder = await mkdtemp(path.join(tmpdir(), 'sluice-settings-'));
await writeFile(path.join(folder, 'key'), `${key}\n`);
afterAll(() => rm(folder, { recursive: true }));

/** A program that reads its settings only from the environment. */
const software = `
  import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
  const found = await new S3Client({ forcePathStyle: true }).send(new ListObjectsV2Command({ Bucket: '${organization}', Prefix: 'raw-drafts/' }));
  console.log(found.$metadata.httpStatusCode, found.Name);
`;

/** Replaces the placeholder for the path of the key file, which users fill in. */
const withKeyFile = (text: string) =>
  text.replaceAll(settings.environment.AWS_WEB_IDENTITY_TOKEN_FILE, path.join(folder, 'key'));

async function run(command: string, env: Record<string, string> = {}): Promise<string> {
  const { stdout } = await execFileAsync('sh', ['-c', command], { env: { PATH: process.env['PATH'], ...env } });
  return stdout.trim();
}

describe('the client settings of a service account', () => {
  test('contain the account, the data proxy, and the paths for a key, and no key', () => {
    expect(settings.environment).toEqual({
      AWS_REGION: 'us-east-1',
      AWS_DEFAULT_REGION: 'us-east-1',
      AWS_ENDPOINT_URL_S3: service.dataUrl,
      AWS_ENDPOINT_URL_STS: `${service.dataUrl}/.sts`,
      AWS_ROLE_ARN: `arn:aws:iam::${account.id}:role/FullAccess`,
      AWS_WEB_IDENTITY_TOKEN_FILE: `/etc/sluice/${account.id}.key`,
    });
    expect(JSON.stringify(settings)).not.toMatch(/sck_|SCAK|SCTA/);
  });

  test('contain the issuers that the account registered, after those of the deployment', async () => {
    const issuer = 'https://cluster.tides.example';
    await made(service.ada('POST', `/accounts/${organization}/issuers`, { issuer, kind: 'kubernetes' }));
    const { body } = await made(service.ada('GET', `${account.path}/client-settings`));
    const issuers = body.ci_issuers.map((each: { issuer: string; kind: string }) => [each.issuer, each.kind]);
    expect(issuers.slice(1)).toEqual([[issuer, 'kubernetes']]);
  });

  test('let software sign in after they are pasted into a shell', async () => {
    const program = `${withKeyFile(settings.shell)}exec '${process.execPath}' --input-type=module -e "$SOFTWARE"`;
    expect(await run(program, { SOFTWARE: software })).toBe(`200 ${organization}`);
  });

  test('let software sign in under their profile after they are pasted into an AWS configuration file', async () => {
    const AWS_CONFIG_FILE = path.join(folder, 'config');
    // Adds the settings to a config file that already has another profile.
    await writeFile(AWS_CONFIG_FILE, `[default]\nregion = eu-west-1\n\n${withKeyFile(settings.aws_config)}`);
    const env = { AWS_CONFIG_FILE, AWS_PROFILE: account.id, SOFTWARE: software };
    expect(await run(`exec '${process.execPath}' --input-type=module -e "$SOFTWARE"`, env)).toBe(`200 ${organization}`);
  });

  test('are valid in a job of GitHub Actions and contain the values that the exchange requires', async () => {
    const job = await readJob(settings.github_actions_job);
    const inputs = job.steps[0]?.with ?? {};
    expect(job.permissions).toEqual({ 'id-token': 'write', contents: 'read' });
    expect(job.env).toEqual({ AWS_ENDPOINT_URL_S3: service.dataUrl });
    expect(inputs).toEqual({
      'role-to-assume': settings.environment.AWS_ROLE_ARN,
      audience: service.dataUrl,
      'sts-endpoint': settings.environment.AWS_ENDPOINT_URL_STS,
      'aws-region': settings.environment.AWS_REGION,
      'role-duration-seconds': '3600',
    });

    await service.ada('POST', `${account.path}/trusted-workflows`, {
      repository: 'tide-institute/site',
      branch: 'main',
    });
    const query = new URLSearchParams({
      audience: inputs['audience'] ?? '',
      sub: 'repo:tide-institute/site:ref:refs/heads/main',
    });
    const answer = await fetch(`${service.identity.url}/ci/token?${query}`);
    const { value } = (await answer.json()) as { value: string };
    const credentials = await fromWebToken({
      webIdentityToken: value,
      roleArn: inputs['role-to-assume'] ?? '',
      roleSessionName: 'GitHubActions',
      durationSeconds: Number(inputs['role-duration-seconds']),
      clientConfig: { endpoint: inputs['sts-endpoint'] ?? '', region: inputs['aws-region'] ?? '' },
    })();
    expect(credentials.accountId).toBe(account.id);
  });

  test('are unchanged for a disabled account, and a deleted one gets 404', async () => {
    const passing = await service.newServiceAccount();
    const ask = () => service.ada('GET', `${passing.path}/client-settings`);
    const before = await ask();
    await service.ada('POST', `${passing.path}/disable`);
    expect((await ask()).body).toEqual(before.body);
    await service.ada('DELETE', passing.path);
    expect((await ask()).status).toBe(404);
  });
});

async function readJob(text: string): Promise<Job> {
  const indented = text.replace(/^(?=.)/gm, '    ');
  const content = `on: push\njobs:\n  sync:\n    runs-on: ubuntu-latest\n${indented}`;
  const { context, value } = parseWorkflow({ name: 'sync.yaml', content }, new NoOperationTraceWriter());
  expect(context.errors.getErrors()).toEqual([]);
  return (plainOf(JSON.parse(JSON.stringify(value))) as { jobs: { sync: Job } }).jobs.sync;
}

interface Job {
  permissions: Record<string, string>;
  env: Record<string, string>;
  steps: { uses: string; with: Record<string, string> }[];
}

/** The parser's syntax tree, without its tokens. */
type Token = string | { seq?: Token[]; map?: { Key: string; Value: Token }[] };

function plainOf(token: Token): unknown {
  if (typeof token === 'string') return token;
  if (token.seq !== undefined) return token.seq.map(plainOf);
  return Object.fromEntries((token.map ?? []).map(({ Key, Value }) => [Key, plainOf(Value)]));
}
