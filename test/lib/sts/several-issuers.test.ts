import { beforeEach, describe, expect, test } from 'vitest';
import type { CiIssuer } from '../../../lib/domain/ci/issuers.ts';
import { createIssuerKeyCache } from '../../../lib/sts/issuer-keys.ts';
import { createIdentityTokenVerifier } from '../../../lib/sts/token-verifier.ts';
import { ExchangeSetup } from './exchange-setup.ts';
import { TestIssuer } from './test-issuer.ts';

/** Three CI systems together: GitHub, a self-hosted GitHub with the same names, and GitLab. */
let setup: ExchangeSetup;
const hub = TestIssuer.create();
const ownHub = new TestIssuer('https://git.example.org/_services/token');
ownHub.addKey('rsa-1', 'RS256');
const lab = new TestIssuer('https://lab.example.org/');
lab.discovery = { issuer: lab.url, jwks_uri: 'https://lab.example.org/jwks' };
lab.addKey('ec-1', 'ES256');
lab.addKey('rsa-1', 'RS256');
const all = [hub, ownHub, lab];

const configured: readonly CiIssuer[] = [
  { issuer: hub.url, kind: 'github', algorithms: ['RS256'] },
  { issuer: ownHub.url, kind: 'github', algorithms: ['RS256'], audience: 'own' },
  { issuer: lab.url, kind: 'gitlab', algorithms: ['ES256'], audience: 'sluice' },
];
const onMain = 'repo:tide-institute/pipelines:ref:refs/heads/main';
const onLab = 'project_path:tide-institute/pipelines:ref_type:branch:ref:main';

beforeEach(() => {
  setup = new ExchangeSetup();
  for (const issuer of all) {
    issuer.fetched.length = 0;
    issuer.failure = undefined;
  }
  const findKeys = createIssuerKeyCache({
    fetchJson: (url, bounds) => {
      const issuer = all.find((candidate) => new URL(candidate.url).host === new URL(url).host);
      if (issuer === undefined) throw new Error(`nothing at ${url}`);
      // The discovery document is below the issuer's URL. A slash at the end of that URL must not be doubled.
      return issuer.fetchJson(
        url === 'https://lab.example.org/.well-known/openid-configuration'
          ? `${lab.url}/.well-known/openid-configuration`
          : url,
        bounds,
      );
    },
    clock: () => setup.now,
  });
  setup.dependencies.identityTokens = createIdentityTokenVerifier({
    userClients: async () => undefined,
    issuers: configured,
    findKeys,
    clock: () => setup.now,
  });
});

function trustAt(issuer: TestIssuer, branch = 'main'): void {
  const kind = issuer === lab ? 'gitlab' : 'github';
  setup.trust({ repository: 'tide-institute/pipelines', branch }, kind, issuer.url);
}

const tokens = {
  hub: (claims: object = {}, signer = hub) => signer.token(setup.claims({ iss: hub.url, ...claims })),
  ownHub: (claims: object = {}, signer = ownHub) =>
    signer.token(setup.claims({ iss: ownHub.url, aud: 'own', ...claims })),
  lab: (claims: object = {}, header = { alg: 'ES256', kid: 'ec-1' }, signer = lab) =>
    signer.token(
      setup.claims({
        iss: lab.url,
        aud: 'sluice',
        sub: onLab,
        repository: undefined,
        project_path: 'tide-institute/pipelines',
        ...claims,
      }),
      header,
    ),
};
const outcome = async (WebIdentityToken: string) => (await setup.exchange({ WebIdentityToken })).code ?? 'signed in';

test('each issuer signs in only its own trusted workflows', async () => {
  for (const issuer of all) trustAt(issuer);
  expect(await outcome(tokens.hub())).toBe('signed in');
  expect(await outcome(tokens.ownHub())).toBe('signed in');
  expect(await outcome(tokens.lab())).toBe('signed in');
});

describe('a workflow trusted for one issuer is refused for the others', () => {
  test.each([
    ['hub', ['signed in', 'AccessDenied', 'AccessDenied']],
    ['ownHub', ['AccessDenied', 'signed in', 'AccessDenied']],
    ['lab', ['AccessDenied', 'AccessDenied', 'signed in']],
  ] as const)('%s', async (name, expected) => {
    trustAt({ hub, ownHub, lab }[name]);
    expect([await outcome(tokens.hub()), await outcome(tokens.ownHub()), await outcome(tokens.lab())]).toEqual(
      expected,
    );
  });

  test('a token of one issuer in the form of another is refused', async () => {
    trustAt(hub);
    trustAt(lab);
    expect(await outcome(tokens.hub({ sub: onLab }))).toBe('AccessDenied');
    expect(await outcome(tokens.lab({ sub: onMain }))).toBe('AccessDenied');
  });
});

test.each<[string, () => string]>([
  ['the audience of another issuer', () => tokens.hub({ aud: 'own' })],
  ['the common audience when the issuer has its own', () => tokens.ownHub({ aud: setup.claims()['aud'] })],
  ['the audience of a third', () => tokens.lab({ aud: 'own' })],
  ['an algorithm that another may use', () => tokens.lab({}, { alg: 'RS256', kid: 'rsa-1' })],
  ['the key of another under the same kid', () => tokens.ownHub({}, hub)],
  ['the key of another, the other way round', () => tokens.hub({}, ownHub)],
  ['its URL without the slash that is in its name', () => tokens.lab({ iss: 'https://lab.example.org' })],
])('a token with %s is refused', async (_, token) => {
  for (const issuer of all) trustAt(issuer);
  expect(await outcome(token())).toBe('InvalidIdentityToken');
});

test('a token of an issuer that is neither configured nor registered is refused like an untrusted one', async () => {
  for (const issuer of all) trustAt(issuer);
  expect(await outcome(tokens.hub({ iss: 'https://eve.example.org' }))).toBe('AccessDenied');
});

test('fetches keys only from the issuer in the token', async () => {
  await outcome(tokens.ownHub());
  expect(all.map(({ fetched }) => fetched.length)).toEqual([0, 2, 0]);
});

test('an outage of one issuer does not affect the others', async () => {
  for (const issuer of all) trustAt(issuer);
  hub.failure = new Error('down');
  expect(await outcome(tokens.hub())).toBe('IDPCommunicationError');
  expect(await outcome(tokens.ownHub())).toBe('signed in');
  expect(await outcome(tokens.lab())).toBe('signed in');
});
