import { decodeJwt, decodeProtectedHeader } from 'jose';
import * as oauth from 'oauth4webapi';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { commandLineCallbacks } from '../../../../lib/domain/accounts/site-sign-in.ts';
import { createUserTokenVerifier } from '../../../../lib/http/user-tokens.ts';
import { createSiteSignIn } from '../../../../lib/lambda/site/site-sign-in.ts';
import { type IdentityIssuers, startIdentityIssuers } from '../../../../lib/local/oidc/issuers.ts';
import { fetchJson } from '../../../../lib/sts/fetch-json.ts';
import { createIssuerKeyCache } from '../../../../lib/sts/issuer-keys.ts';
import { createIdentityTokenVerifier } from '../../../../lib/sts/token-verifier.ts';
import { PageVisitor } from '../../../service/sign-in-page.ts';

const site = 'http://localhost:3000';
const callback = `${site}/-/sign-in/callback`;
const users = [
  { identity_id: 'ada', name: 'Ada' },
  { identity_id: 'b&b', name: 'Bed & <b>' },
];
// biome-ignore lint/suspicious/noExplicitAny: the type of the option's value is the library's own
const overHttp = { [oauth.allowInsecureRequests]: true } as any;

let now: number;
let issuers: IdentityIssuers;
let failures: unknown[];
let server: oauth.AuthorizationServer;
const start = (port = 0) =>
  startIdentityIssuers({
    port,
    clock: () => now,
    users,
    siteOrigins: () => [site],
    report: (failure) => failures.push(failure),
  });
beforeAll(async () => {
  now = Date.now();
  failures = [];
  issuers = await start();
  const issuer = new URL(issuers.people.issuer);
  server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, overHttp));
});
afterAll(() => issuers.close());
beforeEach(() => {
  now = Date.now();
});
afterEach(() => expect(failures.splice(0)).toEqual([]));

const clientOf = (kind: 'site' | 'data') => ({
  client_id: kind === 'site' ? issuers.people.client_id : issuers.people.data_client_id,
});

/** Builds an authorization request as the library's example does, with the changes of a test. */
async function begin(kind: 'site' | 'data', changes: Record<string, string | undefined> = {}) {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const nonce = oauth.generateRandomNonce();
  const url = new URL(server.authorization_endpoint ?? '');
  const parameters = {
    client_id: clientOf(kind).client_id,
    redirect_uri: kind === 'site' ? callback : (commandLineCallbacks[1] ?? ''),
    response_type: 'code',
    scope: 'openid',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...changes,
  };
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return { url, verifier, state, nonce, redirectUri: parameters.redirect_uri ?? '' };
}

async function signIn(kind: 'site' | 'data', sub: string, visitor = new PageVisitor()) {
  const begun = await begin(kind);
  const client = clientOf(kind);
  const answer = oauth.validateAuthResponse(server, client, await visitor.signIn(begun.url, { sub }), begun.state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    answer,
    begun.redirectUri,
    begun.verifier,
    overHttp,
  );
  return oauth.processAuthorizationCodeResponse(server, client, response, { expectedNonce: begun.nonce });
}

async function refresh(kind: 'site' | 'data', token: string | undefined) {
  const client = clientOf(kind);
  const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), token ?? '', overHttp);
  return oauth.processRefreshTokenResponse(server, client, response);
}

test('the discovery document names the key set and PKCE', () => {
  expect(server).toMatchObject({
    issuer: issuers.people.issuer,
    jwks_uri: issuers.people.jwks_uri,
    response_types_supported: ['code'],
    grant_types_supported: expect.arrayContaining(['authorization_code', 'refresh_token']),
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: expect.arrayContaining(['none']),
    id_token_signing_alg_values_supported: expect.arrayContaining(['RS256']),
    revocation_endpoint: expect.any(String),
    end_session_endpoint: expect.any(String),
  });
});

describe('a user who signs in', () => {
  test.each([
    ['site', 3600],
    ['data', 4200],
  ] as const)('with the %s client gets a token for it alone, for %i seconds', async (kind, seconds) => {
    now += 30 * 24 * 3600 * 1000;
    const tokens = await signIn(kind, 'ada');
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: seconds, scope: 'openid' });
    expect(oauth.getValidatedIdTokenClaims(tokens)?.sub).toBe('ada');
    const { iat = 0, exp = 0, ...claims } = decodeJwt(tokens.access_token);
    expect([iat, exp]).toEqual([expect.closeTo(now / 1000, -1), iat + seconds]);
    const { client_id } = clientOf(kind);
    expect(claims).toMatchObject({ iss: server.issuer, sub: 'ada', aud: client_id, client_id, token_use: 'access' });
    expect(decodeProtectedHeader(tokens.access_token).alg).toBe('RS256');

    const fetcher = { fetch: async (uri: string) => (await fetch(uri)).arrayBuffer() };
    const accepts = (audience: string) =>
      createUserTokenVerifier({ issuer: server.issuer, audience }, Date.now, fetcher).verify(tokens.access_token);
    expect(await accepts(client_id)).toEqual({ issuer: server.issuer, identity_id: 'ada' });
    expect(await accepts(clientOf(kind === 'site' ? 'data' : 'site').client_id)).toBeUndefined();
  });

  test('at another issuer than a user pool gets tokens for one audience each', async () => {
    const { issuer, client_id, data_client_id } = issuers.people;
    const exchange = createIdentityTokenVerifier({
      issuers: [],
      userClients: async () => ({ issuer, api_audiences: [client_id], data_audiences: [data_client_id] }),
      findKeys: createIssuerKeyCache({ fetchJson, clock: () => now }),
      clock: () => now,
    });
    const verify = async (kind: 'site' | 'data') =>
      exchange.verify((await signIn(kind, 'ada')).access_token, 'https://data.example.org');
    expect(await verify('data')).toMatchObject({
      kind: 'user',
      issuer,
      identity_id: 'ada',
      audience: data_client_id,
    });
    await expect(verify('site')).rejects.toMatchObject({ code: 'invalid_identity_token' });
  });

  test('finds the endpoints through the site’s pages', async () => {
    const { issuer, client_id } = issuers.people;
    const find = createSiteSignIn({ issuer, findClientId: async () => client_id }, { fetchJson, clock: () => now });
    const origins = [issuers.url];
    expect(await find()).toEqual({ issuer, client_id, connect_origins: origins, navigation_origins: origins });
  });

  test('signs in once, because the second client uses the browser’s session', async () => {
    const visitor = new PageVisitor();
    await signIn('site', 'ada', visitor);
    const tokens = await signIn('data', 'somebody else', visitor);
    expect(decodeJwt(tokens.access_token).sub).toBe('ada');
  });

  test('can enter any name', async () => {
    expect(decodeJwt((await signIn('site', ' grace ')).access_token).sub).toBe('grace');
  });

  test.each([
    ['cancels', { cancel: 'yes' }],
    ['enters no name', { sub: ' ' }],
    ['enters too long a name', { sub: 'x'.repeat(256) }],
    ['sends too large a form', { sub: 'ada', extra: 'x'.repeat(5000) }],
  ])('and %s causes a refusal for the client', async (_, click: Record<string, string>) => {
    const { url, state } = await begin('site');
    const left = await new PageVisitor().signIn(url, click);
    expect(Object.fromEntries(left.searchParams)).toMatchObject({ error: 'access_denied', state, iss: server.issuer });
    expect(left.href).toContain(callback);
  });
});

describe('a refresh token', () => {
  test('is replaced at each use, and a second use ends the chain', async () => {
    const first = await signIn('site', 'ada');
    const second = await refresh('site', first.refresh_token);
    expect(decodeJwt(second.access_token)).toMatchObject({ sub: 'ada', aud: 'sluice-local' });
    expect(second.refresh_token).not.toBe(first.refresh_token);
    await expect(refresh('site', first.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
    await expect(refresh('site', second.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  test.each(['site', 'data'] as const)(
    'of the %s client ends twelve hours after the sign-in, despite renewals',
    async (kind) => {
      const first = await signIn(kind, 'ada');
      now += 11 * 3600 * 1000;
      const second = await refresh(kind, first.refresh_token);
      expect(decodeJwt(second.access_token).exp).toBeGreaterThan(now / 1000);
      now += 3600 * 1000 - 20_000;
      const third = await refresh(kind, second.refresh_token);
      now += 21_000;
      await expect(refresh(kind, third.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
    },
  );

  test('belongs to one client, and can be revoked', async () => {
    const { refresh_token = '' } = await signIn('site', 'ada');
    await expect(refresh('data', refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
    const client = clientOf('site');
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, oauth.None(), refresh_token, overHttp),
    );
    await expect(refresh('site', refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  test('and the browser’s session end at a restart', async () => {
    const visitor = new PageVisitor();
    const { refresh_token } = await signIn('site', 'ada', visitor);
    await issuers.close();
    issuers = await start(Number(new URL(issuers.url).port));
    expect((await visitor.follow((await begin('site')).url)).at.pathname).toMatch(/^\/people\/sign-in\//);
    await expect(refresh('site', refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
  });
});

test.each([
  ['an unregistered URL', 'site', { redirect_uri: `${site}/elsewhere` }, 'invalid_redirect_uri'],
  ['another origin', 'site', { redirect_uri: 'http://localhost:3001/-/sign-in/callback' }, 'invalid_redirect_uri'],
  ['a fourth port', 'data', { redirect_uri: 'http://localhost:28464/callback' }, 'invalid_redirect_uri'],
  ['an unknown client', 'site', { client_id: 'nobody' }, 'invalid_client'],
] as const)('a sign-in for %s is refused on a page without a redirect', async (_, kind, changes, error) => {
  const { url } = await begin(kind, changes);
  const { response, left } = await new PageVisitor().follow(url);
  expect([left, response.status]).toEqual([undefined, 400]);
  expect(await response.text()).toContain(error);
});

test.each([
  ['without PKCE', 'site', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
  ['with PKCE in plain', 'site', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['with a token in the URL', 'site', { response_type: 'id_token' }, 'unsupported_response_type'],
  ["for the other client's audience", 'site', { resource: 'urn:sluice:sluice-local-data' }, 'invalid_target'],
  ["for the other client's audience", 'data', { resource: 'urn:sluice:sluice-local' }, 'invalid_target'],
] as const)('a sign-in %s is refused by a redirect to the client', async (_, kind, changes, error) => {
  const { url } = await begin(kind, changes);
  const { left } = await new PageVisitor().follow(url);
  const answer = new URLSearchParams(left?.search === '' ? left.hash.slice(1) : left?.search);
  expect(answer.get('error')).toBe(error);
});

describe('the sign-in page', () => {
  test('lists the users, has no script, and redirects to the client only', async () => {
    const { url } = await begin('site');
    const { response } = await new PageVisitor().follow(url);
    const text = await response.text();
    expect(text).toContain('<button type="submit" class="who" name="sub" value="ada">Ada <code>ada</code></button>');
    expect(text).toContain('<button type="submit" class="who" name="sub" value="b&amp;b">Bed &amp; &lt;b> ');
    expect(text).not.toContain('<script');
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain(`default-src 'none'`);
    expect(policy).toContain(`form-action 'self' ${site};`);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('of another browser, or after its expiry, shows the next step', async () => {
    const { url } = await begin('site');
    const visitor = new PageVisitor();
    const { at } = await visitor.follow(url);
    const elsewhere = await new PageVisitor().request(at, { sub: 'ada' });
    expect([elsewhere.status, await elsewhere.text()]).toEqual([400, expect.stringContaining('sign in again')]);
    now += 3601 * 1000;
    expect((await visitor.request(at, { sub: 'ada' })).status).toBe(400);
  });
});

test('only pages of the site can call the token endpoint', async () => {
  const call = (origin: string, client_id: string) =>
    fetch(server.token_endpoint ?? '', {
      method: 'POST',
      headers: { origin },
      body: new URLSearchParams({ client_id, grant_type: 'refresh_token', refresh_token: 'x' }),
    });
  const allowed = async (origin: string, kind: 'site' | 'data') =>
    (await call(origin, clientOf(kind).client_id)).headers.get('access-control-allow-origin');
  expect(await allowed(site, 'site')).toBe(site);
  expect(await allowed('http://localhost:3001', 'site')).toBeNull();
  expect(await allowed(site, 'data')).toBeNull();
});

interface SessionTokens {
  own: string;
  /** A token of the same session for the other client. */
  data: string;
  another: string;
}
type Hint = (tokens: SessionTokens) => Record<string, string>;
const sidOf = (token: string) => String(decodeJwt(token)['sid']);

test.each<[string, boolean, Hint]>([
  ['without a hint', true, () => ({})],
  ['with the token of another', true, ({ another }) => ({ id_token_hint: another })],
  ['with their own token', false, ({ own }) => ({ id_token_hint: own })],
  ['with an empty session ID', true, () => ({ logout_hint: '' })],
  ['with the session ID of another', true, ({ another }) => ({ logout_hint: sidOf(another) })],
  ['with their session ID at the other client', true, ({ data }) => ({ logout_hint: sidOf(data) })],
  ['with their own name', true, () => ({ logout_hint: 'ada' })],
  ['with their own session ID twice', true, ({ own }) => ({ logout_hint: `${sidOf(own)}${sidOf(own)}` })],
  ['with their own session ID', false, ({ own }) => ({ logout_hint: sidOf(own) })],
])('a sign-out %s must be confirmed: %s', async (_, isAsked, hintOf) => {
  const visitor = new PageVisitor();
  const { id_token: another = '' } = await signIn('site', 'grace', new PageVisitor());
  const { id_token: own = '' } = await signIn('site', 'ada', visitor);
  const { id_token: data = '' } = await signIn('data', 'ada', visitor);
  const url = new URL(server.end_session_endpoint ?? '');
  const hint = hintOf({ own, data, another });
  const who = 'id_token_hint' in hint ? {} : { client_id: clientOf('site').client_id };
  url.search = String(new URLSearchParams({ ...who, ...hint, post_logout_redirect_uri: `${site}/` }));
  const { response } = await visitor.follow(url);
  // A page that submits itself uses a script that its Content Security Policy allows.
  expect((await response.text()).includes('<script')).toBe(!isAsked);
  expect(response.headers.get('content-security-policy')?.includes('script-src')).toBe(!isAsked);
});

test('renewed tokens keep the session ID until the session ends', async () => {
  const visitor = new PageVisitor();
  const first = await signIn('site', 'ada', visitor);
  const second = await refresh('site', first.refresh_token);
  expect(sidOf(second.id_token ?? '')).toBe(sidOf(first.id_token ?? ''));
  await endSession(visitor, { logout_hint: sidOf(second.id_token ?? ''), client_id: clientOf('site').client_id });
  const third = await refresh('site', second.refresh_token);
  expect(decodeJwt(third.id_token ?? '')).not.toHaveProperty('sid');
});

test('a sign-out ends the session of the browser, but not the refresh token', async () => {
  const visitor = new PageVisitor();
  const { id_token = '' } = await signIn('site', 'ada', visitor);
  const left = await endSession(visitor, { id_token_hint: id_token, state: 's' });
  expect(left?.href).toBe(`${site}/?state=s`);
  const { at } = await visitor.follow((await begin('site')).url);
  expect(at.pathname).toMatch(/^\/people\/sign-in\//);
});

/** Submits the issuer's page, by its script or by a click. */
async function endSession(visitor: PageVisitor, query: Record<string, string>): Promise<URL | undefined> {
  const url = new URL(server.end_session_endpoint ?? '');
  url.search = String(new URLSearchParams({ ...query, post_logout_redirect_uri: `${site}/` }));
  const asked = await visitor.follow(url);
  const text = await asked.response.text();
  expect(asked.response.headers.get('content-security-policy')).toContain(`form-action 'self' ${site};`);
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
  const action = /action="([^"]+)"/.exec(text)?.[1] ?? '';
  return (await visitor.follow(action, { xsrf, logout: 'yes' })).left;
}
