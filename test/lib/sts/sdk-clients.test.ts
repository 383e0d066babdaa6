import { buffer } from 'node:stream/consumers';
import { AssumeRoleWithWebIdentityCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { fromWebToken } from '@aws-sdk/credential-providers';
import { beforeEach, describe, expect, test } from 'vitest';
import { createExchangeThrottle } from '../../../lib/sts/throttle.ts';
import { serveInFile } from '../../service/http-server.ts';
import { ExchangeSetup, formRequest, requestId, roleArn, serviceAccountId } from './exchange-setup.ts';

let setup: ExchangeSetup;
let paths: string[] = [];
const url = await serveInFile(async (request, response) => {
  const [rawPath = '', rawQuery = ''] = (request.url ?? '').split('?');
  paths.push(rawPath);
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const changes = { method: request.method ?? '', rawPath, rawQuery, headers };
  const answer = await setup.send(formRequest(await buffer(request), changes));
  response.writeHead(answer.status, answer.headers).end(answer.body);
});
const endpoint = `${url}/.sts`;

beforeEach(() => {
  setup = new ExchangeSetup();
  // The SDK signs with the machine's clock.
  setup.now = Date.now();
  paths = [];
});

const region = 'anywhere-1';
const anonymous = { accessKeyId: 'none', secretAccessKey: 'none' };

describe('the STS client of the AWS SDK for JavaScript', () => {
  const exchange = () =>
    new STSClient({ endpoint, region, credentials: anonymous }).send(
      new AssumeRoleWithWebIdentityCommand({
        RoleArn: roleArn,
        RoleSessionName: 'again',
        WebIdentityToken: setup.key,
      }),
    );

  test('backs off when it is throttled, and signs in when the limit allows', async () => {
    // The clock moves half a minute with every request. The limit is one request a minute.
    const passing = () => setup.now + paths.length * 30_000;
    const throttles = { per_ip_per_minute: 1000, per_key_per_minute: 1 };
    setup.dependencies.throttle = createExchangeThrottle(throttles, passing);
    expect((await exchange()).$metadata.attempts).toBe(1);
    expect((await exchange()).$metadata.attempts).toBe(2);
    expect(paths).toHaveLength(3);
  });

  test('retries when the database is unavailable', async () => {
    const { store } = setup;
    const read = store.readKeySignIn.bind(store);
    store.readKeySignIn = (hash, account) =>
      paths.length === 1 ? Promise.reject(new Error('down')) : read(hash, account);
    expect((await exchange()).$metadata.attempts).toBe(2);
  });

  test('reads every field of an exchange', async () => {
    const client = new STSClient({ endpoint, region, credentials: anonymous });
    const answer = await client.send(
      new AssumeRoleWithWebIdentityCommand({
        RoleArn: roleArn,
        RoleSessionName: 'from-sdk',
        WebIdentityToken: setup.key,
        DurationSeconds: 7200,
      }),
    );
    expect(answer.Credentials?.AccessKeyId).toMatch(/^SCTA[A-Z2-7]{16}$/);
    expect(answer.Credentials?.SecretAccessKey).toMatch(/^[0-9A-Za-z]{40}$/);
    expect(answer.Credentials?.SessionToken).toMatch(/^[\w-]{100,600}$/);
    expect(answer.Credentials?.Expiration?.getTime()).toBe((Math.floor(setup.now / 1000) + 7200) * 1000);
    expect(answer.AssumedRoleUser?.Arn).toBe(`arn:aws:sts::${serviceAccountId}:assumed-role/FullAccess/from-sdk`);
    expect(answer.AssumedRoleUser?.AssumedRoleId).toMatch(/^SCRA.{16}:from-sdk$/);
    expect(answer.SubjectFromWebIdentityToken).toBe(serviceAccountId);
    expect(answer.$metadata.requestId).toBe(requestId);
  });

  test('signs GetCallerIdentity with the credentials that it got', async () => {
    const credentials = fromWebToken({
      roleArn,
      roleSessionName: 'from-sdk',
      webIdentityToken: setup.key,
      clientConfig: { endpoint, region },
    });
    const client = new STSClient({ endpoint, region, credentials });
    expect(await client.send(new GetCallerIdentityCommand({}))).toMatchObject({
      Account: serviceAccountId,
      Arn: `arn:aws:sts::${serviceAccountId}:assumed-role/FullAccess/from-sdk`,
    });
    expect(new Set(paths)).toEqual(new Set(['/.sts/']));
  });

  test.each<[string, Record<string, unknown>, string, number, RegExp]>([
    [
      'a malformed key',
      { WebIdentityToken: 'sck_cut' },
      'InvalidIdentityTokenException',
      400,
      /^API key is malformed; check that it was copied whole \(request id REQ-1==\)$/,
    ],
    ['another role', { RoleArn: `${roleArn}x` }, 'ValidationError', 400, /FullAccess and ReadOnly/],
    ['another token', { WebIdentityToken: 'abcd' }, 'InvalidIdentityTokenException', 400, /not an identity token/],
  ])('understands the refusal of %s', async (_, input, name, status, message) => {
    const client = new STSClient({ endpoint, region, credentials: anonymous });
    const command = new AssumeRoleWithWebIdentityCommand({
      RoleArn: roleArn,
      RoleSessionName: 'from-sdk',
      WebIdentityToken: setup.key,
      ...input,
    });
    const error = await client.send(command).catch((refusal: unknown) => refusal);
    expect(error).toMatchObject({
      name,
      $metadata: { httpStatusCode: status },
      message: expect.stringMatching(message),
    });
    expect(paths).toHaveLength(1);
  });
});
