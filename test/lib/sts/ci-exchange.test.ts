import { beforeEach, describe, expect, test } from 'vitest';
import type { TrustedOrigin } from '../../../lib/domain/ci/provider.ts';
import type { CiProviderKind } from '../../../lib/domain/ci/providers.ts';
import { openSessionToken } from '../../../lib/domain/secrets/session-credentials.ts';
import { loadAgain } from '../../mutation/load-again.ts';
import { type Answer, dataProxyUrl, ExchangeSetup, requestId, serviceAccountId } from './exchange-setup.ts';

let setup: ExchangeSetup;
beforeEach(() => {
  setup = new ExchangeSetup();
});

const denied = `Not authorized to perform sts:AssumeRoleWithWebIdentity (request id ${requestId})`;

function signIn(claims: Record<string, unknown> = {}, fields: Record<string, string> = {}): Promise<Answer> {
  return setup.exchange({ WebIdentityToken: setup.issuer.token(setup.claims(claims)), ...fields });
}

describe('a run of a trusted workflow', () => {
  test('gets credentials of the service account that the role names', async () => {
    const workflow = setup.trust();
    const answer = await signIn({}, { DurationSeconds: '1800' });
    expect(answer.status).toBe(200);
    expect(answer.element('SubjectFromWebIdentityToken')).toBe('repo:tide-institute/pipelines:ref:refs/heads/main');
    expect(answer.element('Provider')).toBe(setup.issuer.url);
    expect(answer.element('Audience')).toBe(dataProxyUrl);
    const opened = openSessionToken(
      answer.element('AccessKeyId') ?? '',
      answer.element('SessionToken') ?? '',
      await setup.dependencies.sessionKeys(),
      setup.now,
    );
    expect(opened?.claims).toMatchObject({
      holder: { service_account_id: serviceAccountId },
      signed_in_by: { kind: 'workflow', id: workflow.workflow_id },
      expires_at: setup.now / 1000 + 1800,
    });
  });

  test('is recorded for the audit trail of the owner, and signs in when the record fails', async () => {
    const { workflow_id } = setup.trust();
    await signIn({}, { RoleArn: `arn:aws:iam::${serviceAccountId}:role/ReadOnly` });
    expect(setup.store.signIns).toEqual([
      {
        account_id: 'tide-institute',
        role: 'ReadOnly',
        request_id: requestId,
        now: setup.now,
        workflow: { service_account_id: serviceAccountId, workflow_id },
        use: { workflow: expect.objectContaining({ workflow_id }), repository: 'tide-institute/pipelines' },
      },
    ]);
    setup.store.failSignIn = true;
    expect((await signIn()).status).toBe(200);
    expect(setup.reported).toEqual([expect.objectContaining({ message: 'the table is busy' })]);
  });

  test('may use its token again', async () => {
    setup.trust();
    const WebIdentityToken = setup.issuer.token(setup.claims());
    for (let round = 0; round < 3; round += 1) expect((await setup.exchange({ WebIdentityToken })).status).toBe(200);
  });

  test('may use an issuer with a separate audience', async () => {
    setup = new ExchangeSetup({ audience: 'sts.example.org' });
    setup.trust();
    expect((await signIn({ aud: 'sts.example.org' })).status).toBe(200);
    expect((await signIn()).code).toBe('InvalidIdentityToken');
  });
});

// subject-attacks.test.ts tests the refusals whose reason is in the token itself.
test('every refused run gets the same answer, for any reason', async () => {
  const main = { repository: 'tide-institute/pipelines', branch: 'main' };
  type Reason = { trusted?: TrustedOrigin | null; account?: string; prepare?: (fresh: ExchangeSetup) => unknown };
  const reasons: Record<string, Reason> = {
    'nothing trusted': { trusted: null },
    'another branch trusted': { trusted: { ...main, branch: 'other' } },
    'service account disabled': { prepare: (fresh) => fresh.addServiceAccount({ disabled: true }) },
    'owner disabled': { prepare: ({ store }) => store.disabledOwners.add('tide-institute') },
    'service account deleted': { prepare: ({ store }) => store.serviceAccounts.clear() },
    'service account created again': { prepare: (fresh) => fresh.addServiceAccount({ uid: 'another' }) },
    'another service account': {
      account: 'another--account',
      prepare: (fresh) => fresh.addServiceAccount({ service_account_id: 'another--account' }),
    },
    'no such account': { account: 'no-such--account' },
    'the owner instead': { account: 'tide-institute' },
  };
  const bodies = new Set<string>();
  for (const [reason, { trusted = main, account = serviceAccountId, prepare }] of Object.entries(reasons)) {
    setup = new ExchangeSetup();
    if (trusted !== null) setup.trust(trusted);
    prepare?.(setup);
    const answer = await signIn({}, { RoleArn: `arn:aws:iam::${account}:role/FullAccess` });
    expect(answer, reason).toMatchObject({ status: 403, code: 'AccessDenied', message: denied });
    expect(setup.store.requests, reason).toEqual(['readWorkloadSignIn', 'recordRefusedSignIn']);
    bodies.add(answer.body);
  }
  expect(bodies.size).toBe(1);
});

describe('a refusal of a genuine token', () => {
  test('is recorded for the service account in the role, whether or not it exists', async () => {
    for (const account of [serviceAccountId, 'no-such--account']) {
      await signIn({ environment: 'x'.repeat(600) }, { RoleArn: `arn:aws:iam::${account}:role/FullAccess` });
      expect(setup.store.refusedSignIns.at(-1)).toEqual({
        service_account_id: account,
        time: '2026-11-21T10:00:00.000Z',
        request_id: requestId,
        issuer: setup.issuer.url,
        kind: 'github',
        subject: 'repo:tide-institute/pipelines:ref:refs/heads/main',
        fault: null,
        repository_id: '1001',
        repository_owner_id: '77',
        claims: { environment: 'x'.repeat(512), ref: 'refs/heads/main' },
      });
    }
  });

  const registered = { iss: 'i', sub: 's', aud: 'a', exp: '1', iat: '1', nbf: '1', jti: 'j' };
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`a${index + 10}`, 'x']));
  const firstOf = (count: number) => Object.entries(many).slice(0, count);
  test.each<[CiProviderKind, Record<string, string>, [string, string][]]>([
    ['oidc', registered, []],
    [
      'oidc',
      { ...registered, b: '1', a: '2' },
      [
        ['a', '2'],
        ['b', '1'],
      ],
    ],
    ['oidc', { ...registered, ...many }, firstOf(16)],
    ['oidc', { [`n${'x'.repeat(512)}`]: `v${'y'.repeat(512)}` }, [[`n${'x'.repeat(511)}`, `v${'y'.repeat(511)}`]]],
    [
      'forgejo',
      { ...many, repository_id: '1', repository_owner_id: '2' },
      [['repository_id', '1'], ['repository_owner_id', '2'], ...firstOf(14)],
    ],
    [
      'github',
      { ...many, ref: 'refs/heads/main', environment: 'prod' },
      [
        ['environment', 'prod'],
        ['ref', 'refs/heads/main'],
      ],
    ],
  ])('records the claims of a token of the kind %s that can be trusted: %#', async (kind, claims, expected) => {
    const url = new URL('../../../lib/sts/ci-identity.ts', import.meta.url);
    const { refusedSignInOf } = await loadAgain<typeof import('../../../lib/sts/ci-identity.ts')>(url);
    const workload = {
      ...{ subject: 's', parts: undefined, ids: undefined, fault: null },
      claims: new Map(Object.entries(claims)),
    };
    const issuer = { issuer: setup.issuer.url, kind };
    const refused = refusedSignInOf({ kind: 'workload', issuer, audience: dataProxyUrl, workload }, serviceAccountId, {
      now: setup.now,
      requestId,
    });
    expect(refused).toMatchObject({ kind, repository_id: null, repository_owner_id: null });
    expect(Object.entries(refused.claims)).toEqual(expected);
  });

  test('gets the same answer when it cannot be recorded', async () => {
    const kept = await signIn();
    setup.store.failRefusal = true;
    expect(await signIn()).toMatchObject({ status: kept.status, body: kept.body, headers: kept.headers });
    expect(setup.reported).toEqual([expect.objectContaining({ message: 'the table is busy' })]);
  });

  test.each<[string, () => Promise<Answer>]>([
    [
      'a sign-in that succeeds',
      () => {
        setup.trust();
        return signIn();
      },
    ],
    ['a token for another audience', () => signIn({ aud: 'https://other.example.org' })],
    ['an expired token', () => signIn({ iat: 1, nbf: 1, exp: 2 })],
    [
      'a token with another signature',
      () => setup.exchange({ WebIdentityToken: `${setup.issuer.token(setup.claims()).slice(0, -8)}AAAAAAAA` }),
    ],
  ])('is not recorded for %s', async (_, attempt) => {
    await attempt();
    expect(setup.store.refusedSignIns).toEqual([]);
  });
});

describe('pinned IDs', () => {
  test('are those of the first sign-in, and later ones must be the same', async () => {
    setup.trust();
    expect((await signIn()).status).toBe(200);
    expect((await signIn()).status).toBe(200);
    expect(setup.store.requests).toEqual([
      ...['readWorkloadSignIn', 'pinWorkflow', 'recordSignIn'],
      ...['readWorkloadSignIn', 'recordSignIn'],
    ]);
    expect(setup.store.workflows[0]?.pinned).toEqual({
      repository_id: '1001',
      repository_owner_id: '77',
      pinned_at: '2026-11-21T10:00:00.000Z',
    });
  });

  test.each([
    ['another repository under the name', { repository_id: '2002' }],
    ['another owner under the name', { repository_owner_id: '78' }],
    ['both', { repository_id: '2002', repository_owner_id: '78' }],
    ['no id of the repository', { repository_id: undefined }],
    ['no ids', { repository_id: undefined, repository_owner_id: undefined }],
  ])('refuse %s', async (_, claims) => {
    setup.trust();
    await signIn();
    expect(await signIn(claims)).toMatchObject({ status: 403, message: denied });
    expect((await signIn()).status).toBe(200);
  });

  test('refuse a sign-in after a concurrent sign-in pinned other IDs', async () => {
    setup.trust();
    setup.store.losePinning = true;
    expect((await signIn()).message).toBe(denied);
    const attempt = ['readWorkloadSignIn', 'pinWorkflow'];
    expect(setup.store.requests).toEqual([...attempt, ...attempt, 'recordRefusedSignIn']);
  });

  test('are not needed when the subject contains them', async () => {
    setup.trust({ repository: 'tide-institute@77/pipelines@1001', branch: 'main' });
    expect((await signIn({ sub: 'repo:tide-institute@77/pipelines@1001:ref:refs/heads/main' })).status).toBe(200);
    expect(setup.store.requests).toEqual(['readWorkloadSignIn', 'recordSignIn']);
  });

  test('are not required from an issuer without them', async () => {
    setup.trust();
    expect((await signIn({ repository_id: undefined, repository_owner_id: undefined })).status).toBe(200);
    expect(setup.store.requests).toEqual(['readWorkloadSignIn', 'recordSignIn']);
  });
});

describe('a token whose subject contradicts the claims is refused like an untrusted one', () => {
  const numbered = 'repo:tide-institute@77/pipelines@1001:ref:refs/heads/main';
  test.each<[string, Record<string, unknown>]>([
    ['when the claim has another repository', { repository: 'eve/pipelines' }],
    ['when the claim has another repository ID', { sub: numbered, repository_id: '1' }],
    ['when the claim has another owner ID', { sub: numbered, repository_owner_id: '1' }],
  ])('%s', async (_, claims) => {
    setup.trust();
    setup.trust({ repository: 'tide-institute@77/pipelines@1001', branch: 'main' });
    expect(await signIn(claims)).toMatchObject({ status: 403, code: 'AccessDenied', message: denied });
    expect(setup.store.requests).toEqual(['readWorkloadSignIn', 'recordRefusedSignIn']);
    expect(setup.store.refusedSignIns[0]).toMatchObject({ fault: 'contradiction' });
  });

  test('unless only the case of the repository differs', async () => {
    setup.trust();
    expect((await signIn({ repository: 'Tide-Institute/Pipelines' })).status).toBe(200);
  });
});

test('distinguishes an environment from one whose name contains its escaped form', async () => {
  setup.trust({ repository: 'tide-institute/pipelines', environment: 'prod:eu' });
  const sub = 'repo:tide-institute/pipelines:environment:prod%3Aeu';
  expect((await signIn({ sub, environment: 'prod:EU' })).status).toBe(200);
  expect((await signIn({ sub, environment: 'prod%3Aeu' })).message).toBe(denied);
});

describe('the exchange refuses other tokens of the service', () => {
  test('such as a session token', async () => {
    const issued = await setup.exchange();
    const WebIdentityToken = issued.element('SessionToken') ?? '';
    expect(await setup.exchange({ WebIdentityToken })).toMatchObject({ status: 400, code: 'InvalidIdentityToken' });
  });

  test('such as a token of the user issuer with the right audience and signature', async () => {
    setup.trust();
    expect(await signIn({ iss: 'https://people.example.org' })).toMatchObject({
      status: 400,
      code: 'InvalidIdentityToken',
    });
    expect(setup.issuer.fetched).toEqual([]);
  });
});

test('a token is refused as expired one minute after its expiry', async () => {
  setup.trust();
  const WebIdentityToken = setup.issuer.token(setup.claims());
  setup.now += (300 + 59) * 1000;
  expect((await setup.exchange({ WebIdentityToken })).status).toBe(200);
  setup.now += 1000;
  expect(await setup.exchange({ WebIdentityToken })).toMatchObject({ status: 400, code: 'ExpiredTokenException' });
});

test('an unreachable issuer is a communication error, and only the report has its cause', async () => {
  setup.trust();
  setup.issuer.failure = new Error('connect ECONNREFUSED 10.0.0.1');
  const answer = await signIn();
  expect(answer).toMatchObject({ status: 400, code: 'IDPCommunicationError' });
  expect(answer.body).not.toContain('ECONNREFUSED');
  expect(setup.reported).toHaveLength(1);
});
