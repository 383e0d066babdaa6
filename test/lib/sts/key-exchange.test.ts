import { beforeEach, describe, expect, test } from 'vitest';
import { openSessionToken } from '../../../lib/domain/secrets/session-credentials.ts';
import {
  hashServiceAccountKey,
  issueServiceAccountKey,
} from '../../../lib/domain/service-accounts/service-account-key.ts';
import { toTimestamp } from '../../../lib/domain/time.ts';
import {
  dataProxyUrl,
  ExchangeSetup,
  formRequest,
  random,
  requestId,
  roleArn,
  serviceAccountId,
} from './exchange-setup.ts';

let setup: ExchangeSetup;
beforeEach(() => {
  setup = new ExchangeSetup();
});

const notAccepted = `API key was not accepted (request id ${requestId})`;
const malformed = `API key is malformed; check that it was copied whole (request id ${requestId})`;

async function openedClaims(answer: Awaited<ReturnType<ExchangeSetup['exchange']>>) {
  const versions = await setup.dependencies.sessionKeys();
  return openSessionToken(
    answer.element('AccessKeyId') ?? '',
    answer.element('SessionToken') ?? '',
    versions,
    setup.now,
  );
}

describe('a valid key', () => {
  test('gets credentials of its service account, for an hour, in the published form', async () => {
    const answer = await setup.exchange();
    expect(answer.status).toBe(200);
    expect(answer.headers).toEqual({
      'content-type': 'text/xml',
      'cache-control': 'no-store',
      'x-amz-request-id': requestId,
    });
    expect(answer.body).toMatch(
      /^<AssumeRoleWithWebIdentityResponse xmlns="https:\/\/sts\.amazonaws\.com\/doc\/2011-06-15\/"><AssumeRoleWithWebIdentityResult><Credentials>/,
    );
    expect(answer.element('Expiration')).toBe('2026-11-21T11:00:00Z');
    expect(answer.element('Arn')).toBe(`arn:aws:sts::${serviceAccountId}:assumed-role/FullAccess/nightly`);
    expect(answer.body).toMatch(/<AssumedRoleUser><AssumedRoleId>SCRA[A-Z2-7]{16}:nightly<\/AssumedRoleId><Arn>/);
    expect(answer.element('SubjectFromWebIdentityToken')).toBe(serviceAccountId);
    expect(answer.element('Audience')).toBe(dataProxyUrl);
    expect(answer.element('RequestId')).toBe(requestId);
    const opened = await openedClaims(answer);
    expect(opened?.secret_access_key).toBe(answer.element('SecretAccessKey'));
    expect(opened?.claims).toMatchObject({
      holder: {
        kind: 'service_account',
        service_account_id: serviceAccountId,
        service_account_uid: `uid of ${serviceAccountId}`,
      },
      role: 'FullAccess',
      signed_in_by: { kind: 'key', id: [...setup.store.keys.values()][0]?.key_id },
      session_name: 'nightly',
      issued_at: setup.now / 1000,
      expires_at: setup.now / 1000 + 3600,
    });
    expect(answer.body).not.toContain('uid of');
  });

  test('reads once when the role names its account, and records its use', async () => {
    await setup.exchange();
    expect(setup.store.requests).toEqual(['readKeySignIn', 'recordKeyUse']);
    expect([...setup.store.keys.values()][0]?.last_used_at).toBe(toTimestamp(setup.now));
  });

  test.each([
    'arn:aws:iam::another--account:role/ReadOnly',
    'arn:aws:iam::000000000000:role/ReadOnly',
    'arn:aws:iam::tide-institute:role/ReadOnly',
  ])('gets its own account for a role of another account: %s', async (RoleArn) => {
    setup.addServiceAccount({ service_account_id: 'another--account', disabled: true });
    const answer = await setup.exchange({ RoleArn });
    expect(answer.status).toBe(200);
    expect(setup.store.requests).toEqual(['readKeySignIn', 'readServiceAccount', 'recordKeyUse']);
    expect((await openedClaims(answer))?.claims).toMatchObject({
      holder: { service_account_id: serviceAccountId },
      role: 'ReadOnly',
    });
    expect(answer.element('Arn')).toBe(`arn:aws:sts::${serviceAccountId}:assumed-role/ReadOnly/nightly`);
  });

  test.each(['\n', '\r\n', '  ', '\ufeff'])('may have white space at its end: %j', async (end) => {
    expect((await setup.exchange({ WebIdentityToken: `${end}${setup.key}${end}` })).status).toBe(200);
  });

  test('signs in when its use cannot be recorded, and the failure is reported', async () => {
    setup.store.failKeyUse = true;
    expect((await setup.exchange()).status).toBe(200);
    expect(setup.reported).toHaveLength(1);
  });

  test.each([
    ['900', 900],
    ['43200', 43_200],
    [undefined, 3600],
  ])('gets the requested duration: %s', async (DurationSeconds, seconds) => {
    const answer = await setup.exchange({ DurationSeconds });
    expect((await openedClaims(answer))?.claims.expires_at).toBe(setup.now / 1000 + seconds);
  });

  test('works until the moment it expires', async () => {
    const key = setup.addKey({ expires_at: toTimestamp(setup.now + 30 * 86_400_000) });
    setup.now += 30 * 86_400_000 - 1;
    expect((await setup.exchange({ WebIdentityToken: key })).status).toBe(200);
    setup.now += 1;
    expect((await setup.exchange({ WebIdentityToken: key })).message).toBe(notAccepted);
  });
});

describe('a key of a disabled account', () => {
  test('cannot borrow an enabled account by naming it in the role', async () => {
    setup.addServiceAccount({ service_account_id: 'another--account', disabled: true });
    const key = setup.addKey({ service_account_id: 'another--account' });
    expect((await setup.exchange({ WebIdentityToken: key, RoleArn: roleArn })).message).toBe(notAccepted);
  });

  test('works again when its account is enabled', async () => {
    setup.addServiceAccount({ disabled: true });
    expect((await setup.exchange()).status).toBe(400);
    setup.addServiceAccount({ disabled: false });
    expect((await setup.exchange()).status).toBe(200);
  });
});

test('a refusal reads the account of the key, or again the account in the role if there is no such key', async () => {
  const RoleArn = 'arn:aws:iam::a--b:role/FullAccess';
  await setup.exchange({ RoleArn, WebIdentityToken: setup.addKey({ revoked_at: toTimestamp(setup.now) }) });
  await setup.exchange({ RoleArn, WebIdentityToken: issueServiceAccountKey(random) });
  expect(setup.store.accountsRead).toEqual(['a--b', serviceAccountId, 'a--b', 'a--b']);
});

describe('a damaged key is refused without a database request', () => {
  test.each<[string, (key: string) => string]>([
    ['truncated', (key) => key.slice(0, -1)],
    ['with one additional character', (key) => `${key}x`],
    ['with one character changed', (key) => key.slice(0, 10) + (key[10] === 'a' ? 'b' : 'a') + key.slice(11)],
    ['with its checksum changed', (key) => key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')],
    ['with white space inside', (key) => `${key.slice(0, 10)}\n${key.slice(10)}`],
    ['repeated', (key) => `${key}\n${key}`],
    ['of only its prefix', () => 'sck_'],
  ])('%s', async (_, damage) => {
    const answer = await setup.exchange({ WebIdentityToken: damage(setup.key) });
    expect(answer).toMatchObject({ status: 400, code: 'InvalidIdentityToken', message: malformed });
    expect(setup.store.requests).toEqual([]);
  });

  test('with any single character changed', async () => {
    for (let position = 4; position < setup.key.length; position += 1) {
      const other = setup.key[position] === '0' ? '1' : '0';
      const WebIdentityToken = setup.key.slice(0, position) + other + setup.key.slice(position + 1);
      expect((await setup.exchange({ WebIdentityToken })).message).toBe(malformed);
    }
    expect(setup.store.requests).toEqual([]);
  });
});

describe('a failure behind the exchange shows no details, is reported, and', () => {
  const failure = new Error('table sluice-prod is on fire');
  const fail = () => Promise.reject(failure);
  const withKey = () => setup.exchange();
  const withToken = () => setup.exchange({ WebIdentityToken: setup.issuer.token(setup.claims()) });
  const withOtherRole = () => setup.exchange({ RoleArn: 'arn:aws:iam::a--b:role/FullAccess' });
  const identify = () => setup.send(formRequest('Action=GetCallerIdentity&Version=2011-06-15'));

  test.each<[string, object, () => ReturnType<ExchangeSetup['send']>]>([
    ['the first read of a key', { readKeySignIn: fail }, withKey],
    ['the second read of a key', { readServiceAccount: fail }, withOtherRole],
    ['the read of a workflow', { readWorkloadSignIn: fail }, withToken],
    ['pinning a workflow', { pinWorkflow: fail }, withToken],
    ['reading the session keys', { sessionKeys: fail }, withKey],
    ['reading the session keys for GetCallerIdentity', { sessionKeys: fail }, identify],
  ])('is 503 when it affects %s', async (_, failing, attempt) => {
    setup.trust();
    Object.assign('sessionKeys' in failing ? setup.dependencies : setup.store, failing);
    const answer = await attempt();
    expect(answer).toMatchObject({
      status: 503,
      code: 'ServiceUnavailable',
      message: `The service cannot check this at the moment; try again in a minute (request id ${requestId})`,
      body: expect.stringMatching(/^(?!.*(?:fire|sluice-prod)).*<Type>Receiver</),
    });
    expect(JSON.stringify(answer)).not.toContain(hashServiceAccountKey(setup.key));
    expect(setup.reported).toEqual([expect.objectContaining({ cause: failure })]);
  });

  test('is 500 when the program has a fault', async () => {
    setup.dependencies.audience = () => {
      throw failure;
    };
    const answer = await setup.exchange();
    expect(answer).toMatchObject({ status: 500, code: 'InternalFailure' });
    expect(answer.body).not.toContain('fire');
    expect(setup.reported).toEqual([failure]);
  });
});
