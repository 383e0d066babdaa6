import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { beforeEach, describe, expect, test } from 'vitest';
import { issueServiceAccountKey } from '../../lib/domain/service-accounts/service-account-key.ts';
import { systemRandom } from '../../lib/lambda/random.ts';
import { made } from '../functions/users.ts';
import { send } from '../lib/local/http-client.ts';
import { type Credentials, ciToken, exchangeConfig, roleArn, s3Client, signIn } from '../service/data-clients.ts';
import { expectExchangeError, expectProblem } from '../service/error-answers.ts';
import { postExchange } from '../service/raw-exchange.ts';
import { seededService } from '../service/seeded-service.ts';

/** The table "Errors" of the specification, row by row and sentence by sentence, as complete responses. */

const account = 'tide-institute--error-table';
const day = 86_400;

const service = await seededService();
const ada = await service.user('ada');
await made(ada('POST', '/accounts/tide-institute/service-accounts', { name: 'error-table' }));
const workflow = { repository: 'tide-institute/pipelines', branch: 'main' };
await made(ada('POST', `/service-accounts/${account}/trusted-workflows`, workflow));

let movedSeconds = 0;
beforeEach(() => () => {
  service.advance(-movedSeconds);
  movedSeconds = 0;
});
function pass(seconds: number): void {
  movedSeconds += seconds;
  service.advance(seconds);
}

const issueKey = async (expiry = '30d'): Promise<{ key: string; key_id: string }> =>
  (await made(ada('POST', `/service-accounts/${account}/keys`, { label: 'a key', expiry }))).body;
const disabled = async (during: () => Promise<void>): Promise<void> => {
  await made(ada('POST', `/service-accounts/${account}/disable`));
  await during().finally(() => made(ada('POST', `/service-accounts/${account}/enable`)));
};
const exchange = (WebIdentityToken: string, { as = account, role = 'FullAccess' } = {}) =>
  postExchange(service, { WebIdentityToken, RoleArn: roleArn(role, as) });

test('a session request without credentials gets 401', async () => {
  expectProblem(await service.anyone('GET', '/whoami'), {
    status: 401,
    code: 'unauthenticated',
    detail:
      'This needs an identity; sign in and send "Authorization: Bearer <token>", or an API key as "Authorization: <access_key_id> <secret_access_key>"',
  });
});

test('the public revocation answers 204 without a body for a live, a revoked, and an unknown key', async () => {
  const { key } = await issueKey();
  for (const sent of [key, key, issueServiceAccountKey(systemRandom)]) {
    const answer = await service.anyone('POST', '/service-account-keys/revocations', { key: sent });
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 204, body: undefined });
  }
});

describe('the exchange refuses a CI token', () => {
  const refusal = {
    status: 403,
    code: 'AccessDenied',
    message: 'Not authorized to perform sts:AssumeRoleWithWebIdentity (request id <request id>)',
  };

  test('when the workflow is not trusted', async () => {
    const run = await ciToken(service, { sub: 'repo:tide-institute/pipelines:ref:refs/heads/other' });
    expectExchangeError(await exchange(run), refusal);
  });

  test('when the service account is disabled', async () => {
    const run = await ciToken(service);
    expect((await exchange(run)).status).toBe(200);
    await disabled(async () => expectExchangeError(await exchange(run), refusal));
    expect((await exchange(run)).status).toBe(200);
  });

  test.each(['tide-institute', 'ada', 'tide-institute--nobody', '123456789012'])(
    'when the role names %s, which is not a service account',
    async (as) => {
      expectExchangeError(await exchange(await ciToken(service), { as }), refusal);
    },
  );
});

describe('the exchange', () => {
  const refusal = {
    status: 400,
    code: 'InvalidIdentityToken',
    message: 'API key was not accepted (request id <request id>)',
  };

  test('refuses a key after its revocation', async () => {
    const { key, key_id } = await issueKey();
    expect((await exchange(key)).status).toBe(200);
    await made(ada('DELETE', `/service-accounts/${account}/keys/${key_id}`));
    expectExchangeError(await exchange(key), refusal);
  });

  test.each([
    ['30d', 30 * day],
    ['90d', 90 * day],
    ['1y', 365 * day],
  ])('refuses a key that expired after %s, while its credentials stay valid', async (expiry, seconds) => {
    const { key } = await issueKey(expiry);
    pass(seconds - 60);
    expect((await exchange(key)).status).toBe(200);
    const credentials = await signIn(service, key, { serviceAccountId: account });
    pass(61);
    expectExchangeError(await exchange(key), refusal);
    expect((await callerOf(credentials)).Account).toBe(account);
  });

  test('accepts a key without an expiry after twenty years', async () => {
    const { key } = await issueKey('never');
    pass(20 * 365 * day);
    expect((await exchange(key)).status).toBe(200);
  });

  test('refuses a key while its service account is disabled', async () => {
    const { key } = await issueKey();
    await disabled(async () => expectExchangeError(await exchange(key), refusal));
    expect((await exchange(key)).status).toBe(200);
  });
});

test.each<[string, (key: string) => string]>([
  ['cut short', (key) => key.slice(0, -1)],
  ['mistyped', (key) => key.slice(0, 12) + (key[12] === 'x' ? 'y' : 'x') + key.slice(13)],
])('a %s key with a wrong checksum is refused before any read', async (_, damage) => {
  const { key } = await issueKey();
  service.tableRequests.length = 0;
  expectExchangeError(await exchange(damage(key)), {
    status: 400,
    code: 'InvalidIdentityToken',
    message: 'API key is malformed; check that it was copied whole (request id <request id>)',
  });
  expect(service.tableRequests).toEqual([]);
});

test('the API and the exchange refuse a key in the URL', async () => {
  const { key } = await issueKey();
  const message = 'API key must be sent in the request body, not the URL';
  const path = `/.sts?Action=AssumeRoleWithWebIdentity&Version=2011-06-15&WebIdentityToken=${key}`;
  for (const method of ['GET', 'POST']) {
    const answer = await send(Number(new URL(service.dataUrl).port), { method, path });
    expectExchangeError(answer, { status: 400, code: 'ValidationError', message });
  }
  const answer = await service.anyone('POST', `/service-account-keys/revocations?key=${key}`, { key });
  expectProblem(answer, { status: 400, code: 'secret_in_url', detail: message });
  expect((await exchange(key)).status).toBe(200);
});

test.each(['Admin', 'fullaccess', 'ReadOnly2', 'FullAccess/ReadOnly', ' ReadOnly'])(
  'the exchange refuses the role name %j',
  async (role) => {
    const { key } = await issueKey();
    service.tableRequests.length = 0;
    expectExchangeError(await exchange(key, { role }), {
      status: 400,
      code: 'ValidationError',
      message: 'RoleArn must name one of the roles FullAccess and ReadOnly',
    });
    expect(service.tableRequests).toEqual([]);
    for (const known of ['FullAccess', 'ReadOnly']) expect((await exchange(key, { role: known })).status).toBe(200);
  },
);

test('a disabled service account gets no new key', async () => {
  await disabled(async () =>
    expectProblem(await ada('POST', `/service-accounts/${account}/keys`, { label: 'late', expiry: '30d' }), {
      status: 409,
      code: 'wrong_state',
      detail: 'The service account is disabled; enable it before you issue a key',
    }),
  );
});

test('an API key with an expiry in the past is rejected', async () => {
  for (const expires of [new Date(Date.now() - 1000).toISOString(), '2001-01-01T00:00:00Z']) {
    for (const path of ['/accounts/ada/api-keys', '/repositories/tide-institute/raw-drafts/api-keys'])
      expectProblem(await ada('POST', path, { name: 'late', expires }), {
        status: 400,
        code: 'field_invalid',
        detail: 'The request is not valid: expires: must lie in the future',
        errors: [{ path: 'expires', message: 'must lie in the future' }],
      });
  }
});

describe('temporary credentials', () => {
  const place = { Bucket: 'tide-institute', Key: 'raw-drafts/error-table' };

  test.each([
    [undefined, 3600],
    [900, 900],
    [43_200, 43_200],
  ])('with the duration %s get ExpiredToken and 403 after they expire', async (durationSeconds, lifeSeconds) => {
    const credentials = await signIn(service, service.key, durationSeconds === undefined ? {} : { durationSeconds });
    const send = (command: GetObjectCommand | PutObjectCommand) =>
      s3Client(service, credentials, movedSeconds).send(command as PutObjectCommand);
    pass(lifeSeconds - 60);
    await send(new PutObjectCommand({ ...place, Body: 'in time' }));
    pass(61);
    const expired = { name: 'ExpiredToken', $metadata: { httpStatusCode: 403 } };
    await expect(send(new PutObjectCommand({ ...place, Body: 'late' }))).rejects.toMatchObject(expired);
    await expect(send(new GetObjectCommand(place))).rejects.toMatchObject({
      ...expired,
      message: 'The temporary credentials have expired; sign in again.',
    });
    await expect(callerOf(credentials)).rejects.toMatchObject(expired);
  });

  test('get RequestTimeTooSkewed when the signing time is off by 16 minutes, and succeed at 14 minutes', async () => {
    const credentials = await signIn(service, service.key);
    const signedAt = (seconds: number) =>
      s3Client(service, credentials, seconds).send(new PutObjectCommand({ ...place, Body: 'x' }));
    await signedAt(-840);
    for (const seconds of [-960, 960])
      await expect(signedAt(seconds)).rejects.toMatchObject({
        name: 'RequestTimeTooSkewed',
        message: 'The request was signed more than 15 minutes from the current time; set the clock and sign again.',
        $metadata: { httpStatusCode: 403 },
      });
  });
});

function callerOf(credentials: Credentials) {
  const config = { ...exchangeConfig(service), credentials, systemClockOffset: movedSeconds * 1000 };
  return new STSClient(config).send(new GetCallerIdentityCommand({}));
}
