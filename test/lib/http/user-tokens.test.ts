import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { createUserTokenVerifier } from '../../../lib/http/user-tokens.ts';
import { serveInFile } from '../../service/http-server.ts';
import { testService } from '../../service/test-service.ts';

/** The state of an OIDC issuer whose keys, documents, and failures a test sets. */
const fresh = () => ({
  keys: [published('first', pairs.first.publicKey)],
  discovery: { issuer: url, jwks_uri: `${url}/jwks` } as Record<string, unknown>,
  isDown: false,
  hasKeys: true,
  fetched: [] as string[],
});
const pairs = { first: rsaPair(), second: rsaPair(), foreign: rsaPair() };
const audience = 'the-web-app';
const url = await serveInFile(({ url = '' }, response) => {
  issuer.fetched.push(url);
  if (issuer.isDown || (url === '/jwks' && !issuer.hasKeys)) return void response.destroy();
  response.end(JSON.stringify(url === '/jwks' ? { keys: issuer.keys } : issuer.discovery));
});
const service = await testService();
const fetcher = { fetch: async (uri: string) => (await fetch(uri)).arrayBuffer() };
let issuer = fresh();
let clockOffsetMs = 0;

beforeEach(() => {
  issuer = fresh();
  clockOffsetMs = 0;
  // The verifier's clock moves only when a test moves it, because on a busy machine a request may take a second.
  const beganAt = Date.now();
  // A new instance of the function has an empty cache.
  const clock = () => beganAt + clockOffsetMs;
  service.services.userTokens = createUserTokenVerifier({ issuer: url, audience }, clock, fetcher);
});

function rsaPair() {
  return generateKeyPairSync('rsa', { modulusLength: 2048 });
}

function published(kid: string, key: KeyObject): Record<string, unknown> {
  return { ...key.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' };
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const seconds = () => Math.floor(Date.now() / 1000);
const claims = (changes: Record<string, unknown> = {}) => ({
  iss: url,
  aud: audience,
  sub: 'ada',
  iat: seconds(),
  exp: seconds() + 600,
  ...changes,
});

function token(
  changes: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
  key = pairs.first.privateKey,
) {
  const input = `${part({ typ: 'JWT', alg: 'RS256', kid: 'first', ...header })}.${part(claims(changes))}`;
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
}

function hmacToken(secret: string | Buffer): string {
  const input = `${part({ typ: 'JWT', alg: 'HS256', kid: 'first' })}.${part(claims())}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

const whoami = (bearer: string) => service.withAuthorization(`Bearer ${bearer}`)('GET', '/whoami');

test('the subject of the token identifies the user', async () => {
  expect(await whoami(token())).toMatchObject({ status: 200, body: { identity_id: 'ada', account: null } });
});

test.each([
  ['an ID token of Cognito', 'Bearer', { token_use: 'id' }],
  ['an access token of Cognito', 'Bearer', { aud: undefined, token_use: 'access', client_id: audience }],
  ['a token for our audience in a list of one', 'Bearer', { aud: [audience] }],
  ['a token with the scheme in other letters', 'bEARER', {}],
])('%s is accepted', async (_, scheme, changes) => {
  expect((await service.withAuthorization(`${scheme} ${token(changes)}`)('GET', '/whoami')).status).toBe(200);
});

const attacks: Record<string, () => string> = {
  'no algorithm and no signature': () => `${part({ alg: 'none', kid: 'first' })}.${part(claims())}.`,
  'no algorithm in other letters': () => `${part({ alg: 'nOnE', kid: 'first' })}.${part(claims())}.`,
  'no algorithm but a signature': () => token({}, { alg: 'none' }),
  'no signature': () => token().replace(/[^.]+$/, ''),
  'HS256 with the public key as PEM': () => hmacToken(pairs.first.publicKey.export({ format: 'pem', type: 'spki' })),
  'HS256 with the public key as DER': () => hmacToken(pairs.first.publicKey.export({ format: 'der', type: 'spki' })),
  'HS256 with the modulus': () => hmacToken(String(pairs.first.publicKey.export({ format: 'jwk' }).n)),
  'another algorithm than its key has': () => token({}, { alg: 'RS512' }),
  'the signature of another key': () => token({}, {}, pairs.foreign.privateKey),
  'its own key embedded': () =>
    token({}, { jwk: published('first', pairs.foreign.publicKey) }, pairs.foreign.privateKey),
  'its own key embedded and no key ID': () =>
    token({}, { kid: undefined, jwk: published('x', pairs.foreign.publicKey) }, pairs.foreign.privateKey),
  'the URL of its own keys': () => token({}, { jku: 'http://127.0.0.1:9/jwks' }, pairs.foreign.privateKey),
  'an unknown key ID': () => token({}, { kid: 'unknown' }),
  'a key ID that is a path': () => token({}, { kid: '../../../../dev/null' }, pairs.foreign.privateKey),
  'no key ID': () => token({}, { kid: undefined }),
  'a key ID that is no text': () => token({}, { kid: { $ne: null } }),
  'another issuer': () => token({ iss: 'https://elsewhere.example' }),
  'an issuer that starts like ours': () => token({ iss: `${url}/` }),
  'no issuer': () => token({ iss: undefined }),
  'another audience': () => token({ aud: 'another-app' }),
  'an audience that holds ours': () => token({ aud: `${audience}-too` }),
  'several audiences, ours among them': () => token({ aud: ['another', audience] }),
  'an empty list of audiences': () => token({ aud: [] }),
  'no audience': () => token({ aud: undefined }),
  'its client in the place of an audience, not being an access token': () =>
    token({ aud: undefined, client_id: audience, token_use: 'id' }),
  'another use': () => token({ token_use: 'refresh' }),
  'an expiry that has passed': () => token({ exp: seconds() - 1 }),
  'no expiry': () => token({ exp: undefined }),
  'an expiry that is no number': () => token({ exp: '9999999999' }),
  'a start that lies ahead': () => token({ nbf: seconds() + 300 }),
  'no subject': () => token({ sub: undefined }),
  'an empty subject': () => token({ sub: '' }),
  'a subject that is no text': () => token({ sub: ['ada'] }),
  'claims changed after signing': () => {
    const [header, , signature] = token().split('.');
    return `${header}.${part(claims({ sub: 'admin' }))}.${signature}`;
  },
  'eight kilobytes of claims and a character too many': () => `${token({ filler: 'x'.repeat(6_000) })}x`,
  'two parts': () => token().split('.').slice(0, 2).join('.'),
  'four parts': () => `${token()}.${part({})}`,
  'a header that is no JSON': () => token().replace(/^[^.]+/, 'e30x'),
  'no JSON at all': () => 'a.b.c',
  'nothing in it': () => '',
  'a second word': () => `${token()} ${token()}`,
};

describe('a token with', () => {
  test.each(Object.entries(attacks))('%s is refused like every invalid token', async (_, make) => {
    const reference = await whoami('nonsense');
    const refused = await whoami(make());
    expect(refused.status).toBe(401);
    expect({ ...refused.body, request_id: '' }).toEqual({ ...reference.body, request_id: '' });
    expect(refused.headers.get('content-length')).toBe(reference.headers.get('content-length'));
    expect(refused.headers.get('www-authenticate')).toBe('Bearer');
  });
});

test('accepts an audience that was added later, but not together with a foreign one', async () => {
  let further = ['site'];
  const asked: number[] = [];
  const furtherAudiences = async () => {
    asked.push(1);
    return further;
  };
  const verifier = createUserTokenVerifier({ issuer: url, audience, furtherAudiences }, Date.now, fetcher);
  const isTaken = async (claim: Record<string, unknown>) => (await verifier.verify(token(claim))) !== undefined;
  expect(await isTaken({})).toBe(true);
  expect(asked).toEqual([]);
  expect(await isTaken({ aud: 'site' })).toBe(true);
  expect(await isTaken({ aud: undefined, client_id: 'site', token_use: 'access' })).toBe(true);
  expect(await isTaken({ aud: ['site', audience] })).toBe(true);
  for (const aud of ['data', ['site', 'data'], ['data', audience], [], undefined, 'site-too']) {
    expect(await isTaken({ aud }), JSON.stringify(aud)).toBe(false);
  }
  further = [];
  expect(await isTaken({ aud: 'site' })).toBe(false);
});

test('a token of more than 16 KiB is refused without a fetch', async () => {
  const unfetched = { fetch: () => Promise.reject() };
  const verifier = createUserTokenVerifier({ issuer: url, audience }, Date.now, unfetched);
  expect(await verifier.verify('x'.repeat(16_385))).toBeUndefined();
});

describe('the keys of the issuer', () => {
  const unavailable = {
    status: 503,
    body: { code: 'unavailable', detail: 'Sign-in cannot be checked at the moment; try again in a few seconds' },
  };
  const jwksReads = () => issuer.fetched.filter((path) => path === '/jwks').length;
  const rotated = () => token({}, { kid: 'second' }, pairs.second.privateKey);

  test('are fetched again for an unknown key', async () => {
    await whoami(token());
    issuer.keys.push(published('second', pairs.second.publicKey));
    clockOffsetMs = 10_001;
    expect((await whoami(rotated())).status).toBe(200);
    expect(jwksReads()).toBe(2);
  });

  test('are not fetched again for each invented key ID', async () => {
    await whoami(token());
    for (let index = 0; index < 20; index += 1, clockOffsetMs += 1000)
      await whoami(token({}, { kid: `made-up-${index}` }));
    expect(jwksReads()).toBe(2);
  });

  test('are fetched again after an hour, and a withdrawn key is refused then', async () => {
    expect((await whoami(token())).status).toBe(200);
    issuer.keys = [published('second', pairs.second.publicKey)];
    clockOffsetMs = 3_601_000;
    expect((await whoami(token())).status).toBe(401);
    expect((await whoami(rotated())).status).toBe(200);
  });

  test('stay valid for a day during an outage of the issuer', async () => {
    await whoami(token());
    issuer.isDown = true;
    clockOffsetMs = 23 * 3_600_000;
    expect((await whoami(token())).status).toBe(200);
    clockOffsetMs = 25 * 3_600_000;
    expect(await whoami(token())).toMatchObject(unavailable);
  });

  test('stay valid during an outage of only the key set', async () => {
    await whoami(token());
    issuer.hasKeys = false;
    clockOffsetMs = 2 * 3_600_000;
    expect((await whoami(token())).status).toBe(200);
  });

  test('cause a 503 without details when they cannot be read, and are fetched again every ten seconds', async () => {
    issuer.isDown = true;
    const refused = await whoami(token());
    expect(refused).toMatchObject(unavailable);
    expect(JSON.stringify(refused.body)).not.toContain('127.0.0.1');
    await whoami(token());
    await whoami('nonsense');
    expect(issuer.fetched).toHaveLength(1);
    issuer.isDown = false;
    expect(await whoami(token())).toMatchObject(unavailable);
    clockOffsetMs = 10_001;
    expect((await whoami(token())).status).toBe(200);
  });

  test('cause a 503 for an unknown key when they cannot be fetched again, and known keys still work', async () => {
    await whoami(token());
    issuer.isDown = true;
    clockOffsetMs = 10_001;
    expect(await whoami(rotated())).toMatchObject(unavailable);
    expect(await whoami(rotated())).toMatchObject(unavailable);
    expect(issuer.fetched).toHaveLength(3);
    expect((await whoami(token())).status).toBe(200);
  });

  test.each([
    ['of another issuer', { issuer: 'https://elsewhere.example' }],
    ['without the URL of the keys', { jwks_uri: undefined }],
    ['that is empty', { issuer: undefined, jwks_uri: undefined }],
  ])('are not read from a discovery document %s', async (_, changes) => {
    issuer.discovery = { ...issuer.discovery, ...changes };
    expect(await whoami(token())).toMatchObject(unavailable);
    expect(jwksReads()).toBe(0);
  });

  test('are not read for a request without a token', async () => {
    issuer.isDown = true;
    expect((await service.anyone('GET', '/whoami')).status).toBe(401);
    const byKey = service.withAuthorization(`SCAKAAAAAAAAAAAAAAAA ${'x'.repeat(64)}`);
    expect((await byKey('GET', '/whoami')).status).toBe(401);
    expect(issuer.fetched).toEqual([]);
  });
});
