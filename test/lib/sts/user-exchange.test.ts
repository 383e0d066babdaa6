import { beforeEach, describe, expect, test } from 'vitest';
import { openSessionToken } from '../../../lib/domain/secrets/session-credentials.ts';
import type { RoleRequest } from '../../../lib/sts/parse.ts';
import { signIn as signInByRequest } from '../../../lib/sts/sign-in.ts';
import { loadAgain } from '../../mutation/load-again.ts';
import { ExchangeSetup, requestId, serviceAccountId } from './exchange-setup.ts';

let setup: ExchangeSetup;
beforeEach(() => {
  setup = new ExchangeSetup();
  setup.addUser();
});

const roleOf = (account: string, role = 'FullAccess') => `arn:aws:iam::${account}:role/${role}`;
const signIn = (claims: Record<string, unknown> = {}, fields: Record<string, string> = {}, of = setup) =>
  of.exchange({ RoleArn: roleOf('ada'), WebIdentityToken: of.userToken(claims), ...fields });
const clientsOf = (of: ExchangeSetup) => of.userClients ?? { issuer: '', api_audiences: [], data_audiences: [] };
const denied = {
  status: 403,
  code: 'AccessDenied',
  message: `Not authorized to perform sts:AssumeRoleWithWebIdentity (request id ${requestId})`,
};

async function claimsOf(answer: Awaited<ReturnType<typeof signIn>>) {
  const [id = '', token = ''] = [answer.element('AccessKeyId'), answer.element('SessionToken')];
  return openSessionToken(id, token, await setup.dependencies.sessionKeys(), setup.now)?.claims;
}

describe("a user's token for data", () => {
  test('gets credentials of the account of the user for an hour, and writes an audit event', async () => {
    const answer = await signIn({}, { RoleArn: roleOf('ada', 'ReadOnly') });
    expect(answer.status).toBe(200);
    expect(answer.element('Arn')).toBe('arn:aws:sts::ada:assumed-role/ReadOnly/nightly');
    expect(answer.element('SubjectFromWebIdentityToken')).toBe('sub-ada');
    expect(answer.element('Audience')).toBe('data');
    expect(answer.element('Provider')).toBe(setup.userIssuer.url);
    expect(await claimsOf(answer)).toEqual({
      holder: { kind: 'user', account_id: 'ada' },
      times_disabled: 0,
      role: 'ReadOnly',
      signed_in_by: { kind: 'person', id: 'tool' },
      session_name: 'nightly',
      issued_at: setup.now / 1000,
      expires_at: setup.now / 1000 + 3600,
    });
    expect(setup.store.requests).toEqual(['readUserSignIn', 'recordSignIn']);
    expect(setup.store.signIns).toEqual([
      { account_id: 'ada', role: 'ReadOnly', request_id: requestId, now: setup.now },
    ]);
  });

  test('signs in the user as a person', async () => {
    const request: RoleRequest = {
      action: 'AssumeRoleWithWebIdentity',
      role: { account_id: 'ada', role: 'ReadOnly' },
      session_name: 'nightly',
      duration_seconds: undefined,
      identity: { kind: 'token', token: setup.userToken() },
    };
    const endpoint = { now: setup.now, requestId, audience: 'https://data.example.org' };
    expect((await signInByRequest(request, endpoint, setup.dependencies)).account).toEqual({
      holder: { kind: 'user', account_id: 'ada' },
      times_disabled: 0,
      signed_in_by: { kind: 'person', id: 'tool' },
    });
  });

  test('gives credentials that contain the number of times the account was disabled', async () => {
    setup.addUser({ times_disabled: 2 });
    expect((await claimsOf(await signIn()))?.times_disabled).toBe(2);
  });

  test('signs in when the audit event cannot be written, and reports the failure', async () => {
    setup.store.failSignIn = true;
    expect((await signIn()).status).toBe(200);
    expect(setup.reported).toEqual([expect.objectContaining({ message: 'the table is busy' })]);
  });

  test.each<[string, Record<string, unknown>]>([
    ['an audience in a list of one', { aud: ['data'] }],
    [
      'no audience but a client id, as access tokens of Cognito have it',
      { aud: undefined, client_id: 'data', token_use: 'access' },
    ],
    ['an audience and token_use id', { token_use: 'id' }],
    ['an audience and the id of another client that asked for it', { client_id: 'app' }],
  ])('may have %s', async (_, claims) => {
    expect((await signIn(claims)).status).toBe(200);
  });

  test('may be signed with ES256', async () => {
    const WebIdentityToken = setup.userToken({}, { alg: 'ES256', kid: 'ec-1' });
    expect((await setup.exchange({ RoleArn: roleOf('ada'), WebIdentityToken })).status).toBe(200);
  });
});

describe('the duration of credentials', () => {
  const lasts = async (left: number, DurationSeconds?: string) => {
    const answer = await signIn({ exp: setup.now / 1000 + left }, DurationSeconds ? { DurationSeconds } : {});
    return answer.status === 200
      ? Number((await claimsOf(answer))?.expires_at) - setup.now / 1000
      : `${answer.code}: ${answer.message?.split(' (')[0]}`;
  };
  const tooLong = (left: number) =>
    `ValidationError: DurationSeconds must be at most ${left}: the identity token ends in ${left} seconds; request a shorter time or none, or use a new token`;
  const expired = 'ExpiredTokenException: The identity token has expired or is about to; get a new one';

  test.each<[number, string | undefined, number | string]>([
    [4200, undefined, 3600],
    [1800, undefined, 1800],
    [60, undefined, 60],
    [59.9, undefined, expired],
    [0, undefined, expired],
    [-30, undefined, expired],
    [4200, '4200', 4200],
    [4200, '4201', tooLong(4200)],
    [1800.5, '1801', tooLong(1800)],
    [1800, '900', 900],
    [600, '900', tooLong(600)],
    [4200, '899', 'ValidationError: DurationSeconds must be a whole number from 900 to 43200'],
    [59, '43200', expired],
  ])(
    'has its limit with %d seconds left of the token and a requested duration of %s',
    async (left, asked, expected) => {
      expect(await lasts(left, asked)).toBe(expected);
    },
  );

  test('a refused duration reads nothing from the table, so it reveals nothing about the account', async () => {
    await lasts(1800, '3600');
    await lasts(10);
    expect(setup.store.requests).toEqual([]);
  });
});

test.each<[string, Record<string, unknown>]>([
  ["the management API's audience", { aud: 'web' }],
  ["both clients' audiences", { aud: ['data', 'web'] }],
  ["both clients' audiences in reverse order", { aud: ['web', 'data'] }],
  ['a second audience', { aud: ['data', 'https://elsewhere.example.org'] }],
  ['its own audience twice and another', { aud: ['data', 'data', 'web'] }],
  ['no audience', { aud: undefined }],
  ['an empty list', { aud: [] }],
  ['an audience that is not a string', { aud: { data: true } }],
  ['a list in a list', { aud: [['data', 'web']] }],
  ['only the client ID, in an ID token', { aud: undefined, client_id: 'data', token_use: 'id' }],
  ['only the client ID, without token_use', { aud: undefined, client_id: 'data' }],
  ["the API's client id in an access token", { aud: undefined, client_id: 'web', token_use: 'access' }],
  ['client ids in a list', { aud: undefined, client_id: ['data', 'web'], token_use: 'access' }],
  ["the API's audience beside the client id for data", { aud: 'web', client_id: 'data', token_use: 'access' }],
  ['the audience of a second deployment that has the same issuer', { aud: 'data-of-another' }],
  ['the data proxy as its audience, as CI tokens have it', { aud: 'https://data.example.org' }],
  ['another use', { token_use: 'refresh' }],
  ['no subject', { sub: undefined }],
  ['an empty subject', { sub: '' }],
  ['no expiry', { exp: undefined }],
  ['no time of issue', { iat: undefined }],
  ['a time of issue to come', { iat: 4_000_000_000, exp: 4_000_009_999 }],
  ['a time to be valid from that is to come', { nbf: 4_000_000_000 }],
])('a token with %s is refused without a read', async (_, claims) => {
  expect(await signIn(claims)).toMatchObject({ status: 400, code: 'InvalidIdentityToken' });
  expect(setup.store.requests).toEqual([]);
});

test('a token with the key name of another key or of a CI system is refused', async () => {
  const forger = new ExchangeSetup();
  forger.userIssuer.addKey('rsa-2', 'RS256');
  setup.userIssuer.addKey('rsa-2', 'RS256');
  const forged = forger.userToken({}, { kid: 'rsa-2' });
  setup.issuer.addKey('ci-1', 'RS256');
  const claims = { iss: setup.userIssuer.url, aud: 'data', sub: 'sub-ada' };
  const ofCi = setup.issuer.token(setup.claims(claims), { kid: 'ci-1' });
  const unsigned = `${forged.split('.').slice(0, 2).join('.')}.`;
  for (const WebIdentityToken of [forged, unsigned, ofCi]) {
    const answer = await setup.exchange({ RoleArn: roleOf('ada'), WebIdentityToken });
    expect(answer).toMatchObject({ status: 400, code: 'InvalidIdentityToken' });
  }
  expect(setup.store.requests).toEqual([]);
});

test.each<[string, (of: ExchangeSetup) => void]>([
  [
    'no client for data',
    (of) => {
      of.userClients = { ...clientsOf(of), data_audiences: [] };
    },
  ],
  [
    'no clients known yet',
    (of) => {
      of.userClients = undefined;
    },
  ],
  [
    'another issuer',
    (of) => {
      of.userClients = { ...clientsOf(of), issuer: 'https://another.example.org' };
    },
  ],
])('with %s no user signs in with a tool', async (_, prepare) => {
  prepare(setup);
  const answer = await signIn();
  expect(answer).toMatchObject({ status: 400, code: 'InvalidIdentityToken' });
  // An account could have registered an issuer of which the deployment knows nothing.
  expect(answer.message).toMatch(/comes from an issuer that is not accepted here|is for another audience/);
  expect(setup.userIssuer.fetched).toEqual([]);
});

test('a CI token does not read the clients of users', async () => {
  setup.trust();
  Object.defineProperty(setup, 'people', { get: () => expect.fail('asked') });
  expect((await setup.exchange({ WebIdentityToken: setup.issuer.token(setup.claims()) })).status).toBe(200);
});

test('every refusal of a valid token is the same answer after the same read, and writes no record', async () => {
  const reasons: Record<string, (of: ExchangeSetup) => string | undefined> = {
    'no such account': () => 'nobody',
    'an ID that cannot be': () => 'Not_An-Account',
    "another user's account": (of) => of.addUser({ account_id: 'bob', identity_id: 'sub-bob' }).account_id,
    'an account of the same subject at another issuer': (of) =>
      void of.addUser({ identity_issuer: 'https://former.example.org' }),
    'an account whose issuer nobody knows': (of) => void of.addUser({ identity_issuer: undefined }),
    'a disabled account': (of) => void of.addUser({ disabled: true }),
    'an organization': (of) =>
      of.addUser({
        account_id: 'tide-institute',
        account_type: 'organization',
        identity_id: 'organization:tide-institute',
      }).account_id,
    'an organization that shows the subject': (of) =>
      of.addUser({ account_id: 'tide-institute', account_type: 'organization' }).account_id,
    'a service account of an account of theirs': (of) =>
      of.addServiceAccount({ service_account_id: 'ada--sync' }).service_account_id,
    'another service account': () => serviceAccountId,
    'a service account that is not there': () => 'ada--nothing',
  };
  const answers = new Set<string>();
  for (const [reason, prepare] of Object.entries(reasons)) {
    const fresh = new ExchangeSetup();
    fresh.addUser();
    const answer = await signIn({}, { RoleArn: roleOf(prepare(fresh) ?? 'ada') }, fresh);
    expect(answer, reason).toMatchObject(denied);
    expect(fresh.store.requests, reason).toEqual(['readUserSignIn']);
    answers.add(JSON.stringify([answer.status, answer.headers, answer.body]));
  }
  expect(answers.size).toBe(1);
});

test("a CI token for a user's role is refused like one for a service account without this trusted workflow", async () => {
  setup.trust();
  const WebIdentityToken = setup.issuer.token(setup.claims());
  const answers = new Set<string>();
  for (const account of ['ada', 'nobody', 'tide-institute--other']) {
    setup.store.requests.length = 0;
    const answer = await setup.exchange({ RoleArn: roleOf(account), WebIdentityToken });
    expect(answer, account).toMatchObject(denied);
    expect(setup.store.requests, account).toEqual(['readWorkloadSignIn', 'recordRefusedSignIn']);
    answers.add(answer.body);
  }
  expect(answers.size).toBe(1);
});

test('a user issuer without keys is reported as unreachable', async () => {
  setup.userIssuer.failure = new Error('down');
  expect(await signIn()).toMatchObject({ status: 400, code: 'IDPCommunicationError' });
});

describe('the claims of a user token', () => {
  const accepted = { sub: 'sub-ada', aud: 'data', iat: 0, exp: 4200 };
  test.each<[string, Record<string, unknown>, boolean]>([
    ['a subject of one character', { sub: 'x' }, true],
    ['a subject of 255 characters', { sub: 'x'.repeat(255) }, true],
    ['a subject of 256 characters', { sub: 'x'.repeat(256) }, false],
    ['an empty subject', { sub: '' }, false],
    ['the use id', { token_use: 'id' }, true],
    ['the use access', { aud: undefined, client_id: 'data', token_use: 'access' }, true],
    ['an empty use', { token_use: '' }, false],
  ])('may have %s: %#', async (_, claims, isAccepted) => {
    const url = new URL('../../../lib/sts/user-token.ts', import.meta.url);
    const module = await loadAgain<typeof import('../../../lib/sts/user-token.ts')>(url);
    expect(module.userTokenAlgorithms).toEqual(['RS256', 'ES256']);
    const check = () => module.checkUserClaims({ ...accepted, ...claims }, clientsOf(setup), 0);
    if (isAccepted) expect(check()).toMatchObject({ kind: 'user', audience: 'data' });
    else expect(check).toThrow(expect.objectContaining({ code: 'invalid_identity_token' }));
  });
});
