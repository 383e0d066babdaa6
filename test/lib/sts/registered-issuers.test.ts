import type { JWK } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import type { CiProviderKind } from '../../../lib/domain/ci/providers.ts';
import { limits } from '../../../lib/domain/limits.ts';
import { needsKeys } from '../../../lib/sts/ci-identity.ts';
import { ciClaims } from './ci-claim-table.ts';
import { ExchangeSetup, roleArn, serviceAccountId } from './exchange-setup.ts';
import { TestIssuer } from './test-issuer.ts';

const url = 'https://oidc.cluster.example.net/id/7';
const kinds = Object.keys(ciClaims) as CiProviderKind[];

let setup: ExchangeSetup;
let issuer: TestIssuer;
beforeEach(() => {
  setup = new ExchangeSetup();
  issuer = TestIssuer.create(url);
});

const register = (kind: CiProviderKind, changes: { account_id?: string; ageSeconds?: number; keys?: JWK[] } = {}) =>
  setup.register(kind, { issuer: url, keys: issuer.keys, ...changes });

function token(kind: CiProviderKind, claims: Record<string, unknown> = {}, header = {}, signer = issuer): string {
  const { iat, nbf, exp } = setup.claims();
  return signer.token({ ...ciClaims[kind].run, iss: url, iat, nbf, exp, ...claims }, header);
}

const exchange = (WebIdentityToken: string, account = serviceAccountId) =>
  setup.exchange({ WebIdentityToken, RoleArn: roleArn.replace(serviceAccountId, account) });

describe.each(kinds)('a registered issuer of the kind %s', (kind) => {
  test('signs in its trusted workload with one read', async () => {
    register(kind);
    setup.trust(ciClaims[kind].trusted, kind, url);
    const answer = await exchange(token(kind));
    expect([answer.code, answer.element('Provider')]).toEqual([undefined, url]);
    expect(setup.store.requests.filter((name) => name !== 'pinWorkflow')).toEqual([
      'readWorkloadSignIn',
      'recordSignIn',
    ]);
    expect(setup.store.signIns).toMatchObject([
      { use: { workflow: { issuer: url, kind }, repository: ciClaims[kind].trusted.repository ?? null } },
    ]);
  });

  test('refuses every other token with the same bytes and the same requests', async () => {
    const stranger = new TestIssuer(url);
    stranger.addKey('rsa-1', 'RS256');
    const { trusted, otherRepository } = ciClaims[kind];
    const sub = kind === 'github' || kind === 'gitlab' ? `${ciClaims[kind].run['sub']}2` : otherRepository;
    const stale = { ageSeconds: limits.registeredKeysCountSeconds };
    const cases: Record<string, [prepare: () => void, token: () => string]> = {
      'not registered': [() => undefined, () => token(kind)],
      'registered by another account': [() => register(kind, { account_id: 'eve' }), () => token(kind)],
      'an unknown key': [() => register(kind, { keys: [] }), () => token(kind)],
      'an outdated key': [() => register(kind, stale), () => token(kind)],
      'the key of a stranger': [() => register(kind), () => token(kind, {}, {}, stranger)],
      'another algorithm': [() => register(kind), () => token(kind, {}, { alg: 'ES256' })],
      'another subject': [() => register(kind), () => token(kind, { sub })],
      'a merge request': [() => register(kind), () => token(kind, { pipeline_source: 'merge_request_event' })],
      'another service account': [() => setup.store.workflows.splice(0), () => token(kind)],
      'a disabled service account': [
        () => {
          register(kind);
          setup.addServiceAccount({ disabled: true });
        },
        () => token(kind),
      ],
    };
    const answers = new Set<string>();
    for (const [name, [prepare, create]] of Object.entries(cases)) {
      setup = new ExchangeSetup();
      setup.trust(trusted, kind, url);
      prepare();
      const { status, headers, body, code } = await exchange(create());
      expect([name, code]).toEqual([name, 'AccessDenied']);
      const [read, write, ...more] = setup.store.requests;
      expect([name, read, more]).toEqual([name, 'readWorkloadSignIn', []]);
      expect(['noteUnknownKey', 'recordRefusedSignIn']).toContain(write);
      answers.add(JSON.stringify([status, headers, body]));
    }
    expect(answers.size).toBe(1);
  });

  test.each(kinds.filter((other) => other !== kind))('refuses a token of the kind %s', async (other) => {
    register(kind);
    for (const each of kinds) setup.trust(ciClaims[each].trusted, each, url);
    setup.trust({ claims: { sub: String(ciClaims[other].run['sub']) } }, 'oidc', url);
    // An issuer of a cluster can be registered as both kinds.
    const isPlain = kind === 'oidc' && other === 'kubernetes';
    expect((await exchange(token(other))).code).toBe(isPlain ? undefined : 'AccessDenied');
  });
});

test('records a refused workload for the owner only if a key of the issuer signed its token', async () => {
  register('kubernetes');
  await exchange(token('kubernetes'));
  await exchange(token('kubernetes', {}, {}, Object.assign(new TestIssuer(url), { privateKeys: otherKeys() })));
  expect(setup.store.refusedSignIns).toMatchObject([{ issuer: url, kind: 'kubernetes', fault: null }]);
});

function otherKeys() {
  const other = new TestIssuer(url);
  other.addKey('rsa-1', 'RS256');
  return other.privateKeys;
}

test('records an unknown key of a registered issuer when its keys are five minutes old', async () => {
  const early = limits.issuerEarlyFetchEverySeconds;
  for (const ageSeconds of [0, early - 1, early, early + 1]) {
    register('kubernetes', { ageSeconds });
    for (const kid of ['rsa-1', 'rsa-2']) {
      issuer.privateKeys.set('rsa-2', issuer.privateKeys.get('rsa-1') as never);
      await exchange(token('kubernetes', {}, { kid }));
    }
  }
  expect(setup.store.unknownKeys.filter(({ isNoted }) => isNoted)).toEqual(
    Array(2).fill({ account_id: 'tide-institute', issuer: url, isNoted: true }),
  );
});

test('sends the write without effect for the service account when nobody registered the issuer', async () => {
  await exchange(token('kubernetes'));
  expect(setup.store.unknownKeys).toEqual([{ account_id: serviceAccountId, issuer: url, isNoted: false }]);
});

test.each([
  ['rsa-1', limits.issuerEarlyFetchEverySeconds, false],
  ['ec-1', limits.issuerEarlyFetchEverySeconds, false],
  ['rsa-2', limits.issuerEarlyFetchEverySeconds, true],
  ['rsa-2', limits.issuerEarlyFetchEverySeconds - 1, false],
  ['rsa-1', limits.registeredKeysCountSeconds - 1, false],
  ['rsa-1', limits.registeredKeysCountSeconds, true],
])('the kid %s needs a fetch of keys that are %d seconds old: %s', (kid, ageSeconds, expected) => {
  register('kubernetes', { ageSeconds });
  for (const record of setup.store.registeredIssuers.values())
    expect(needsKeys({ kid }, record, setup.now)).toBe(expected);
  expect(setup.store.registeredIssuers.size).toBe(1);
});

test.each([
  ['a look-alike of a configured issuer', 'https://CI.example.org/'],
  ["a look-alike of the users' issuer", 'https://people.example.org:443'],
  ['no URL', 'ci'],
  ['a URL with a query', 'https://ci.example.net?x'],
])('refuses %s before any read', async (_, iss) => {
  expect((await exchange(token('oidc', { iss }))).code).toBe('InvalidIdentityToken');
  expect(setup.store.requests).toEqual([]);
});

test.each([
  ['another audience', { aud: 'https://other.example.org' }, 'InvalidIdentityToken'],
  ['an expired token', { exp: 1 }, 'ExpiredTokenException'],
  ['a subject above the limit', { sub: 'x'.repeat(701) }, 'InvalidIdentityToken'],
])('refuses %s before any read', async (_, claims, code) => {
  register('oidc');
  expect((await exchange(token('oidc', claims))).code).toBe(code);
  expect(setup.store.requests).toEqual([]);
});

test('an issuer in two accounts signs in to each account by its own keys and trusted workflows', async () => {
  setup.addServiceAccount({ service_account_id: 'reef-lab--sync' });
  register('kubernetes');
  register('kubernetes', { account_id: 'reef-lab' });
  setup.trust(ciClaims.kubernetes.trusted, 'kubernetes', url);
  expect((await exchange(token('kubernetes'), 'reef-lab--sync')).code).toBe('AccessDenied');
  expect((await exchange(token('kubernetes'))).code).toBeUndefined();
  setup.store.registeredIssuers.delete(`tide-institute ${url}`);
  expect((await exchange(token('kubernetes'))).code).toBe('AccessDenied');
});
