import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { originHeader } from '../../lib/domain/secrets/origin-secret.ts';
import { systemRandom } from '../../lib/lambda/random.ts';
import { startGateway } from '../../lib/local/api-gateway/server.ts';
import { createTable } from '../../lib/local/dynamodb/table.ts';
import { gatewayRoutes } from '../../lib/local/functions.ts';
import { seed, seedNames } from '../../lib/local/seed.ts';
import { signRequest } from '../../lib/sigv4/sign.ts';
import { streamEvent, streamRecord } from '../functions/streams/stream-events.ts';
import { requestEvent, responseEvent } from '../lib/edge/event-builders.ts';
import { engineOfThisFile } from '../service/engine-of-this-file.ts';
import { serve } from '../service/http-server.ts';
import { isEmulatorMissing, startAwsAccount } from './aws-account.ts';
import { DeployedFunctions } from './deployed-functions.ts';

const title = `a deployment${isEmulatorMissing ? ' (the emulator is not installed here: test/clients/install.sh)' : ''}`;
const homeRegion = 'eu-west-1';
const settings = { homeRegion, removalPolicy: 'destroy' };
/** next-release.ts has one more operation and one more index. */
const nextApp = `${process.execPath} --import ./bin/loader.js test/deployment/next-release.ts`;
const nextSettings = { ...settings, adminIdentityIds: [seedNames.admin.identity_id] };
const nextOperation = { method: 'GET', path: '/health-again', name: 'get-health-again' };
/** A limit for a test that hangs. A deployment takes three minutes on a machine with ten times the load. */
const timeout = 480_000;

describe.skipIf(isEmulatorMissing)(title, { timeout }, async () => {
  if (isEmulatorMissing) return;
  const directory = mkdtempSync(path.join(tmpdir(), 'sluice-deployment-'));
  const [first, next] = ['first', 'next'].map((name) => path.join(directory, name)) as [string, string];
  const account = await startAwsAccount(directory);
  const closers: (() => unknown)[] = [];
  afterAll(async () => {
    for (const close of closers.toReversed()) await close();
    await account.close();
    rmSync(directory, { recursive: true });
  });

  /** Deploys with a direct call. Moto's change sets neither export nor import values. */
  const deploy = (...args: string[]) =>
    account.cdk('deploy', '--all', '--method=direct', '--require-approval=never', ...args);

  describe('a deployment fails', () => {
    const parameter = (value: unknown) => ({
      Type: 'AWS::SSM::Parameter',
      Properties: { Type: 'String', Value: value },
    });
    const exporting = (value: string) => ({
      Resources: { A: parameter('a') },
      Outputs: { A: { Value: value, Export: { Name: 'exported' } } },
    });
    const indexed = (...names: string[]) => ({
      Type: 'AWS::DynamoDB::Table',
      Properties: { GlobalSecondaryIndexes: names.map((IndexName) => ({ IndexName })) },
    });
    const withVariable = (length: number) => ({
      Type: 'AWS::Lambda::Function',
      Properties: { Environment: { Variables: { A: 'a'.repeat(length) } } },
    });

    test.each<[string, string, ...[string, object][]]>([
      [
        'an import without an export',
        'No export named missing found',
        ['reader', { Resources: { A: parameter({ 'Fn::ImportValue': 'missing' }) } }],
      ],
      [
        'a change of an export that another stack imports',
        'Export exported cannot change, because reader use it',
        ['exporter', exporting('a')],
        ['reader', { Resources: { A: parameter({ 'Fn::ImportValue': 'exported' }) } }],
        ['exporter', exporting('b')],
      ],
      [
        'two new indexes at once',
        'more than one GSI creation or deletion',
        ['table', { Resources: { A: indexed('a') } }],
        ['table', { Resources: { A: indexed('a', 'b', 'c') } }],
      ],
      ['an environment of more than 4 KB', 'exceed 4KB', ['function', { Resources: { A: withVariable(4090) } }]],
      [
        'a name that another stack has',
        'already exists',
        ['one', { Resources: { A: { Type: 'AWS::CloudWatch::Alarm', Properties: { AlarmName: 'a' } } } }],
        ['two', { Resources: { A: { Type: 'AWS::CloudWatch::Alarm', Properties: { AlarmName: 'a' } } } }],
      ],
    ])('because of %s', async (_, message, ...steps) => {
      const request = (Action: string, StackName: string, template = {}) =>
        account.call('cloudformation', 'us-west-2', {
          body: new URLSearchParams({ Action, StackName, TemplateBody: JSON.stringify(template) }).toString(),
        });
      const answers: string[] = [];
      for (const [name, template] of steps) {
        const isNew = !(await request('DescribeStacks', name)).includes('<StackId>');
        answers.push(await request(isNew ? 'CreateStack' : 'UpdateStack', name, template));
      }
      const refused = answers.pop();
      for (const answer of answers) expect(answer).toContain('<StackId>');
      expect(refused).toContain(message);
      for (const [name] of steps.toReversed()) await request('DeleteStack', name);
    });
  });

  test('deploys all stacks into an empty account', async () => {
    const output = await deploy('--output', first, ...context(settings));
    expect(deployedIn(output)).toHaveLength(14);
    expect(output).not.toContain('(no changes)');
  });

  test('changes nothing when the same release is deployed again', async () => {
    const output = await deploy('--app', first);
    expect(output.match(/^.*\(no changes\)$/gm)).toHaveLength(14);
  });

  test('updates to a release with another operation, setting, and index', async () => {
    const output = await deploy('--app', nextApp, '--output', next, ...context(nextSettings));
    expect(deployedIn(output)).toContain('sluice-data');
    expect(deployedIn(output)).toContain('sluice-routes');
    expect(deployedIn(output)).not.toContain('sluice-edge');
  });

  describe('the deployment has functions', { timeout }, () => {
    const { organization_id, open_repository_id, private_repository_id, service_account_id } = seedNames;
    let functions: DeployedFunctions;
    let apiUrl: string;
    let scan: () => Promise<Record<string, unknown>[]>;
    let serviceAccountKey: string;

    beforeAll(async () => {
      const engine = { ...engineOfThisFile(), region: homeRegion };
      const client = new DynamoDBClient(engine);
      closers.push(() => client.destroy());
      await createTable(client, { table_name: 'sluice' });
      scan = async () => {
        const items: Record<string, unknown>[] = [];
        for await (const { Items = [] } of paginateScan({ client }, { TableName: 'sluice' })) {
          items.push(...Items.map((item) => unmarshall(item)));
        }
        return items;
      };
      const clients = await account.call('ssm', homeRegion, {
        target: 'AmazonSSM.GetParameter',
        body: JSON.stringify({ Name: '/sluice/people-clients' }),
      });
      const issuer = await startUserIssuer(JSON.parse(JSON.parse(clients).Parameter.Value));
      closers.push(issuer.close);
      functions = new DeployedFunctions({
        ...{ assembly: next, account, homeRegion },
        ports: { dynamodb: Number(new URL(engine.endpoint).port), 'cognito-idp': Number(new URL(issuer.url).port) },
        accessKeyId: engine.credentials.accessKeyId,
      });
      closers.push(() => functions.close());
      const gateway = await startGateway({
        port: 0,
        routes: [...gatewayRoutes, nextOperation],
        invoke: (name, event) => functions.invoke(name, event),
        clock: Date.now,
        random: systemRandom,
        onError: (name, error) => console.error(name, error),
      });
      closers.push(() => gateway.close());
      apiUrl = gateway.url;
      const storage = { endpoint: 'https://storage.example.org', region: 'auto', bucket: 'bucket' };
      ({ key: serviceAccountKey } = await seed({
        apiUrl,
        identityUrl: issuer.url,
        storage: { ...storage, access_key_id: 'storage-key', secret_access_key: 'storage-secret' },
        storedKey: undefined,
      }));
    });

    const get = async (at: string) => {
      const response = await fetch(`${apiUrl}${at}`);
      return { status: response.status, body: await response.text() };
    };

    test.each([
      ['the new operation', nextOperation.path, '"ok"'],
      ['the catalogue', '/api/v1/repositories', `"${open_repository_id}"`],
      ['the page of a repository', `/${organization_id}/${open_repository_id}`, 'Tide gauges'],
    ])('that answer API events for %s', async (_, at, part) => {
      const { status, body } = await get(at);
      expect({ status, body }).toEqual({ status: 200, body: expect.stringContaining(part) });
    });

    test('that have the new setting in their environment', async () => {
      expect(await functions.environmentOf('get-account')).toMatchObject({ SLUICE_ADMIN_IDENTITY_IDS: '["admin"]' });
    });

    test('that authorize only requests with the secret of the distribution', async () => {
      const origin = await account.call('secretsmanager', 'us-east-1', {
        target: 'secretsmanager.GetSecretValue',
        body: JSON.stringify({ SecretId: 'sluice/origin' }),
      });
      const { SecretString } = JSON.parse(origin);
      const authorize = (value: string) => functions.invoke('authorize-origin', { headers: { [originHeader]: value } });
      expect(await authorize(JSON.parse(SecretString).current)).toEqual({ isAuthorized: true });
      expect(await authorize('guessed')).toEqual({ isAuthorized: false });
    });

    test('that process stream events into search changes and the change feed', async () => {
      const before = await scan();
      const event = streamEvent(...before.map((after) => streamRecord({ after })));
      for (const name of ['follow-changes', 'propagate-access-change']) {
        expect(await functions.invoke(name, event)).toEqual({ batchItemFailures: [] });
      }
      const known = new Set(before.map(({ entity }) => entity));
      const added = new Set((await scan()).map(({ entity }) => entity).filter((entity) => !known.has(entity)));
      expect([...added].sort()).toEqual(['feed', 'key_expiry_marker', 'search_change']);
    });

    test('that invalidate both caches after the message of a closed repository', async () => {
      const repository = (await scan()).find(
        ({ entity, repository_id }) => entity === 'repository' && repository_id === open_repository_id,
      );
      const closing = streamRecord({ before: { ...repository }, after: { ...repository, data_mode: 'private' } });
      expect(await functions.invoke('propagate-access-change', streamEvent(closing))).toEqual({
        batchItemFailures: [],
      });
      const { SLUICE_INVALIDATION_QUEUE_URL: QueueUrl } = await functions.environmentOf('propagate-access-change');
      const received = await account.call('sqs', homeRegion, {
        target: 'AmazonSQS.ReceiveMessage',
        body: JSON.stringify({ QueueUrl, MaxNumberOfMessages: 10, AttributeNames: ['All'] }),
      });
      const Records = JSON.parse(received).Messages.map(
        ({ MessageId, Body, Attributes }: { MessageId: string; Body: string; Attributes: object }) => ({
          messageId: MessageId,
          body: Body,
          attributes: Attributes,
        }),
      );
      expect(await functions.invoke('invalidate-caches', { Records })).toEqual({ batchItemFailures: [] });
      const distribution = await account.call('ssm', 'us-east-1', {
        target: 'AmazonSSM.GetParameter',
        body: JSON.stringify({ Name: '/sluice/data-distribution' }),
      });
      const started = await account.call('cloudfront', 'us-east-1', {
        path: `/2020-05-31/distribution/${JSON.parse(distribution).Parameter.Value}/invalidation`,
      });
      expect(started).toContain('<Quantity>1</Quantity>');
    });

    test('that exchange a key at the edge and sign a read for the storage', async () => {
      const form = new URLSearchParams({
        Action: 'AssumeRoleWithWebIdentity',
        Version: '2011-06-15',
        RoleArn: `arn:aws:iam::${service_account_id}:role/FullAccess`,
        RoleSessionName: 'test',
        WebIdentityToken: serviceAccountKey,
      });
      const exchanged = await functions.invoke(
        'exchange-credentials',
        requestEvent({
          method: 'POST',
          uri: '/.sts',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: {
            action: 'read-only',
            data: Buffer.from(form.toString()).toString('base64'),
            encoding: 'base64',
            inputTruncated: false,
          },
        }),
      );
      expect(exchanged).toMatchObject({ status: '200' });
      const field = (name: string) => new RegExp(`<${name}>(.*)</${name}>`).exec(exchanged.body)?.[1] ?? '';
      const credentials = {
        access_key_id: field('AccessKeyId'),
        secret_access_key: field('SecretAccessKey'),
        session_token: field('SessionToken'),
      };
      const uri = `/${organization_id}/${private_repository_id}/a.csv`;
      const headers = signRequest(
        { method: 'GET', rawPath: uri, rawQuery: '', headers: { host: 'd1234.cloudfront.net' } },
        credentials,
        { now: Date.now(), region: 'auto', service: 's3', payloadHash: 'UNSIGNED-PAYLOAD' },
      );
      const signed = await functions.invoke('serve-object', requestEvent({ uri, headers }));
      expect(signed.origin.custom.domainName).toBe('storage.example.org');
      expect(signed.headers.authorization[0].value).toContain('Credential=storage-key/');
      const refused = await functions.invoke('serve-object', requestEvent({ uri }));
      expect(refused).toMatchObject({ status: '403', body: expect.stringContaining('<Code>AccessDenied</Code>') });
    });

    test('that remove headers of the storage from its response', async () => {
      const event = responseEvent('200', { 'content-type': 'text/csv', 'x-amz-id-2': 'of the storage' });
      const { headers } = await functions.invoke('shape-response', event);
      expect(headers['content-type'][0].value).toBe('text/csv');
      expect(headers['x-amz-id-2']).toBeUndefined();
    });
  });

  test('destroys all stacks', async () => {
    const output = await account.cdk('destroy', '--all', '--force', '--app', next);
    expect(output.match(/: destroyed$/gm)).toHaveLength(14);
  });
});

function context(given: object): string[] {
  return ['--context', `sluice=${JSON.stringify(given)}`];
}

/** Returns the stacks that a deployment created or changed. */
function deployedIn(output: string): string[] {
  return [...output.matchAll(/^✅ {2}(\S+)$/gm)].map(([, name = '']) => name);
}

/** Starts an OpenID Connect issuer of users at the URL of the deployment's user pool, without TLS. */
async function startUserIssuer({ issuer, site_client_id }: { issuer: string; site_client_id: string }) {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg: 'RS256', use: 'sig', kid: 'one' }] };
  const answers = new Map<string, object>([
    [`${issuer}/.well-known/openid-configuration`, { issuer, jwks_uri: `${issuer}/keys` }],
    [`${issuer}/keys`, jwks],
  ]);
  return serve(async (request, response) => {
    const { sub } = request.method === 'POST' ? JSON.parse(await text(request)) : {};
    const claims = { sub, client_id: site_client_id, token_use: 'access' };
    const signed = new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).setIssuer(issuer);
    const answer =
      sub === undefined
        ? answers.get(`https://${request.headers.host}${request.url}`)
        : { token: await signed.setIssuedAt().setExpirationTime('1h').sign(privateKey) };
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  });
}
