import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JwtVerifier } from 'aws-jwt-verify';
import { SimpleJwksCache } from 'aws-jwt-verify/jwk';
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type IdentityIssuers, startIdentityIssuers } from '../../../../lib/local/oidc/issuers.ts';
import { fetchJson } from '../../../../lib/sts/fetch-json.ts';
import { createIssuerKeyCache } from '../../../../lib/sts/issuer-keys.ts';
import { createIdentityTokenVerifier } from '../../../../lib/sts/token-verifier.ts';

let now: number;
let issuers: IdentityIssuers;
beforeEach(async () => {
  now = Date.now();
  issuers = await startIdentityIssuers({ port: 0, clock: () => now });
});
afterEach(() => issuers.close());

const getJson = async (url: string) => (await fetch(url)).json();
const userToken = (body: unknown) =>
  fetch(`${issuers.url}/people/token`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const ciToken = (query: Record<string, string> | string) =>
  fetch(`${issuers.url}/ci/token?${new URLSearchParams(query)}`);
const audience = 'http://127.0.0.1:8788';
const main = 'repo:tide-institute/pipelines:ref:refs/heads/main';

test('the issuer keeps an idle connection for more than a minute', async () => {
  const { headers } = await fetch(`${issuers.url}/health`);
  expect(Number(/timeout=(\d+)/.exec(headers.get('keep-alive') ?? '')?.[1])).toBeGreaterThan(60);
});

describe('the user issuer', () => {
  test('issues a token with the requested claims that aws-jwt-verify accepts', async () => {
    const answer = await userToken({ sub: 'ada', email: 'ada@example.org' });
    const { token, ...rest } = (await answer.json()) as { token: string };
    expect(rest).toEqual({ token_type: 'Bearer', expires_in: 3600 });
    const jwksCache = new SimpleJwksCache({ fetcher: { fetch: async (url) => (await fetch(url)).arrayBuffer() } });
    const { issuer, client_id, jwks_uri } = issuers.people;
    const verifier = JwtVerifier.create({ issuer, audience: client_id, jwksUri: jwks_uri }, { jwksCache });
    expect(await verifier.verify(token)).toMatchObject({ sub: 'ada', email: 'ada@example.org', aud: 'sluice-local' });
    const { exp, iat } = decodeJwt(token);
    expect([iat, exp]).toEqual([Math.floor(now / 1000), Math.floor(now / 1000) + 3600]);
  });

  test.each<[string, unknown]>([
    ['invalid JSON', 'sub=ada'],
    ['an empty body', ''],
    ['no identity', {}],
    ['an empty identity', { sub: '' }],
    ['an identity that is not a string', { sub: 7 }],
    ['a list', ['ada']],
    ['a time claim', { sub: 'ada', exp: 1 }],
    ['an issuer claim', { sub: 'ada', iss: 'x' }],
  ])('refuses %s with a message', async (_, body) => {
    const answer = await userToken(body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({
      message: expect.stringMatching(/^(?:Send a JSON object|The claim \w+ is set)/),
    });
  });

  test('refuses a body over 64 KiB', async () => {
    expect((await userToken({ sub: 'ada', extra: 'x'.repeat(70_000) })).status).toBe(413);
  });
});

describe('the CI issuer', () => {
  const verify = async (token: string, at = now) =>
    createIdentityTokenVerifier({
      userClients: async () => undefined,
      issuers: [{ issuer: issuers.ci.issuer, kind: 'github', algorithms: ['RS256'] }],
      findKeys: createIssuerKeyCache({ fetchJson, clock: () => at }),
      clock: () => at,
    }).verify(token, audience);

  test('issues a token that the exchange accepts for five minutes', async () => {
    const { value } = (await (await ciToken({ audience, sub: main })).json()) as { value: string };
    expect(await verify(value)).toMatchObject({ workload: { subject: main }, audience });
    await expect(verify(value, now + 360_000)).rejects.toMatchObject({ code: 'expired_identity_token' });
  });

  test.each<[string, Record<string, string>]>([
    [main, { repository: 'tide-institute/pipelines', ref: 'refs/heads/main', ref_type: 'branch', event_name: 'push' }],
    ['repo:a/b:ref:refs/tags/v1', { repository: 'a/b', repository_owner: 'a', ref: 'refs/tags/v1', ref_type: 'tag' }],
    ['repo:a/b:environment:prod%3Aeu', { repository: 'a/b', environment: 'prod:eu' }],
    ['repo:a/b:pull_request', { event_name: 'pull_request', ref: 'refs/pull/1/merge' }],
    ['repo:a@12/b@34:ref:refs/heads/x', { repository: 'a/b', repository_owner_id: '12', repository_id: '34' }],
  ])('derives the claims of GitHub from %s', async (sub, claims) => {
    const { value } = (await (await ciToken({ audience, sub })).json()) as { value: string };
    expect(decodeJwt(value)).toMatchObject({ sub, aud: audience, ...claims });
    expect(await verify(value)).toMatchObject({ workload: { subject: sub, fault: null } });
  });

  test('derives stable numeric IDs from a name, and accepts more claims', async () => {
    const claimsOf = async (query: Record<string, string>) =>
      decodeJwt(((await (await ciToken({ audience, sub: main, ...query })).json()) as { value: string }).value);
    const [first, second, taken] = [
      await claimsOf({}),
      await claimsOf({}),
      await claimsOf({ repository_id: '5', x: 'y' }),
    ];
    expect(first['repository_id']).toMatch(/^\d+$/);
    expect(second['repository_id']).toBe(first['repository_id']);
    expect(taken).toMatchObject({ repository_id: '5', x: 'y' });
    expect(first.jti).not.toBe(second.jti);
  });

  test.each([
    ['no audience', `sub=${main}`, /audience/],
    ['no subject', 'audience=x', /sub=/],
    ['a repeated claim', `audience=x&sub=${main}&actor=a&actor=b`, /twice/],
    ['a time claim', `audience=x&sub=${main}&exp=1`, /set by the issuer/],
  ])('refuses %s with a message', async (_, query, message) => {
    const answer = await ciToken(query);
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as { message: string }).message).toMatch(message);
  });
});

test('each issuer has its own discovery document and key', async () => {
  const sets: JSONWebKeySet[] = [];
  for (const { issuer, jwks_uri } of [issuers.people, issuers.ci]) {
    expect(await getJson(`${issuer}/.well-known/openid-configuration`)).toMatchObject({ issuer, jwks_uri });
    sets.push((await getJson(jwks_uri)) as JSONWebKeySet);
  }
  const [people, ci] = sets;
  expect(Object.keys(people?.keys[0] ?? {}).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  const { token } = (await (await userToken({ sub: 'ada' })).json()) as { token: string };
  await expect(jwtVerify(token, createLocalJWKSet(ci ?? { keys: [] }))).rejects.toThrow();
});

test('the health check answers, and unknown paths and methods get a message', async () => {
  expect(await getJson(`${issuers.url}/health`)).toEqual({ status: 'ok' });
  expect((await fetch(`${issuers.url}/people/token`)).status).toBe(405);
  expect(await getJson(`${issuers.url}/people/token`)).toEqual({ message: 'Use POST /people/token.' });
  expect((await fetch(`${issuers.url}/nothing`)).status).toBe(404);
});

test.each([
  ['evil.example.org', 421],
  ['localhost:1', 200],
])('a request for the host %j gets %i', async (host, status) => {
  const got = await new Promise((resolve, reject) => {
    httpRequest(`${issuers.url}/health`, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
  expect(got).toBe(status);
});

test('a directory stores the keys, readable by the user only', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-identity-'));
  try {
    const kids: unknown[] = [];
    for (let round = 0; round < 2; round += 1) {
      const kept = await startIdentityIssuers({ port: 0, clock: () => now, directory: join(directory, 'keys') });
      kids.push([await getJson(kept.people.jwks_uri), await getJson(kept.ci.jwks_uri)]);
      await kept.close();
    }
    expect(kids[1]).toEqual(kids[0]);
    for (const name of await readdir(join(directory, 'keys')))
      expect((await stat(join(directory, 'keys', name))).mode & 0o777).toBe(0o600);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
