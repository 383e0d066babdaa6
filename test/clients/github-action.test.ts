import { createServer } from 'node:http';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { AssumeRoleWithWebIdentityCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { listenOnLoopback } from '../../lib/local/ports.ts';
import { ciToken, roleArn } from '../service/data-clients.ts';
import { userToken } from '../service/user-tokens.ts';
import { clientFixture, schemes } from './fixtures/client-fixture.ts';

/** Inputs of a workflow step, which GitHub's runner puts into the environment. */
interface Inputs {
  'role-to-assume': string;
  audience: string;
  /** Versions of the action before 6.2 do not know this input. Their SDK reads the job's `AWS_ENDPOINT_URL_STS`. */
  'sts-endpoint'?: string;
  'aws-region': string;
  'role-duration-seconds'?: number;
  'allowed-account-ids'?: string;
}
interface RunnerEnvironment {
  ACTIONS_ID_TOKEN_REQUEST_URL: string;
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: string;
}

/**
 * Makes the calls of `aws-actions/configure-aws-credentials` in order. Resolves with the variables that it exports to
 * later steps.
 */
async function configureCredentials(inputs: Inputs, runner: RunnerEnvironment, attempts = 12) {
  const tokenUrl = `${runner.ACTIONS_ID_TOKEN_REQUEST_URL}&audience=${encodeURIComponent(inputs.audience)}`;
  const answer = await fetch(tokenUrl, {
    headers: { authorization: `Bearer ${runner.ACTIONS_ID_TOKEN_REQUEST_TOKEN}` },
  });
  if (!answer.ok) throw new Error(`no token: ${answer.status}`);
  const { value } = (await answer.json()) as { value: string };

  const endpoint = inputs['sts-endpoint'];
  const config = { ...(endpoint === undefined ? {} : { endpoint }), region: inputs['aws-region'], maxAttempts: 1 };
  const exchange = new AssumeRoleWithWebIdentityCommand({
    RoleArn: inputs['role-to-assume'],
    RoleSessionName: 'GitHubActions',
    DurationSeconds: inputs['role-duration-seconds'] ?? 3600,
    WebIdentityToken: value,
  });
  // The action retries after any refusal with the same token, and tries only once with `disable-retry`.
  const send = async (left: number): Promise<Awaited<ReturnType<typeof once>>> =>
    once().catch((error) => (left > 1 ? send(left - 1) : Promise.reject(error)));
  const once = () => new STSClient(config).send(exchange);
  const { Credentials } = await send(attempts);
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '', Expiration } = Credentials ?? {};
  const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken };

  const identity = await new STSClient({ ...config, credentials }).send(new GetCallerIdentityCommand({}));
  if (!identity.Account || !identity.Arn) throw new Error('Could not get caller identity');
  const allowed = inputs['allowed-account-ids']?.split(',').map((id) => id.trim());
  if (allowed !== undefined && !allowed.includes(identity.Account)) throw new Error('not an allowed account');
  return { credentials, Expiration, account: identity.Account };
}

describe.each(schemes)('the steps of the GitHub action over %s', (scheme) => {
  const fixture = clientFixture(scheme);
  let runner: RunnerEnvironment;
  /** Claims of the run for which the runner's server issues tokens. */
  let run: Record<string, string>;
  const requestToken = 'token-of-this-run';
  const server = createServer(async (request, response) => {
    const query = new URL(request.url ?? '', 'http://runner').searchParams;
    if (request.headers.authorization !== `Bearer ${requestToken}` || query.get('api-version') !== '2.0') {
      return response.writeHead(401).end();
    }
    const value = await ciToken(fixture.service, {
      ...run,
      audience: query.get('audience') ?? 'https://github.com/tide-institute',
    });
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ count: value.length, value }));
  });
  beforeAll(async () => {
    const url = `http://127.0.0.1:${await listenOnLoopback(server, 0)}/idtoken?api-version=2.0`;
    runner = { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken };
    run = {};
  });
  afterAll(() => void server.close());
  const inputs = (more: Partial<Inputs> = {}): Inputs => ({
    'role-to-assume': roleArn(),
    audience: fixture.dataUrl,
    'sts-endpoint': `${fixture.dataUrl}/.sts`,
    'aws-region': 'us-east-1',
    ...more,
  });

  test('get credentials of the service account for the requested duration', async () => {
    const allowed = { 'allowed-account-ids': 'tide-institute--nightly-sync', 'role-duration-seconds': 43_200 };
    const { credentials, Expiration, account } = await configureCredentials(inputs(allowed), runner);
    expect(account).toBe('tide-institute--nightly-sync');
    expect((Expiration?.getTime() ?? 0) - Date.now()).toBeGreaterThan(43_000_000);
    // The action's special-characters-workaround would otherwise repeat the exchange until the credentials have no such
    // characters.
    expect(credentials.accessKeyId + credentials.secretAccessKey).toMatch(/^[0-9A-Za-z]+$/);
    const s3 = new S3Client({ endpoint: fixture.dataUrl, region: 'us-east-1', credentials });
    const place = { Bucket: 'tide-institute', Key: 'tide-gauges/from-a-run.txt' };
    expect((await s3.send(new PutObjectCommand({ ...place, Body: 'from a run' }))).$metadata.httpStatusCode).toBe(200);
  });

  test('get credentials in releases before 6.2 when the environment has the URL of the exchange', async () => {
    const { 'sts-endpoint': endpoint = '', ...older } = inputs();
    vi.stubEnv('AWS_ENDPOINT_URL_STS', endpoint);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect((await configureCredentials(older, runner)).account).toBe('tide-institute--nightly-sync');
  });

  test('stop when only another account is allowed', async () => {
    const other = inputs({ 'allowed-account-ids': 'tide-institute--other, 123456789012' });
    await expect(configureCredentials(other, runner)).rejects.toThrow('not an allowed account');
  });

  test('are refused when the audience is the default for AWS', async () => {
    await expect(configureCredentials(inputs({ audience: 'sts.amazonaws.com' }), runner)).rejects.toMatchObject({
      name: 'InvalidIdentityTokenException',
    });
  });

  test('are refused in all twelve attempts for an untrusted branch, and pass as soon as it is trusted', async () => {
    const asAda = fixture.service.withAuthorization(`Bearer ${await userToken(fixture.service, 'ada')}`);
    run = { sub: 'repo:tide-institute/pipelines:ref:refs/heads/release', ref: 'refs/heads/release' };
    await expect(configureCredentials(inputs(), runner)).rejects.toMatchObject({
      name: 'AccessDenied',
      message: expect.stringMatching(/^Not authorized to perform sts:AssumeRoleWithWebIdentity \(request id/),
    });
    const workflow = { repository: 'tide-institute/pipelines', branch: 'release' };
    const path = '/service-accounts/tide-institute--nightly-sync/trusted-workflows';
    expect((await asAda('POST', path, workflow)).status).toBe(201);
    expect((await configureCredentials(inputs(), runner)).account).toBe('tide-institute--nightly-sync');
  });
});
