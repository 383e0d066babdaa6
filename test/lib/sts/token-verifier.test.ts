import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { isSignedBy, parseCompactToken } from '../../../lib/sts/compact-token.ts';
import { parseKeySet } from '../../../lib/sts/issuer-keys.ts';
import { loadAgain } from '../../mutation/load-again.ts';
import { dataProxyUrl, ExchangeSetup } from './exchange-setup.ts';
import { part, signature, TestIssuer } from './test-issuer.ts';

let setup: ExchangeSetup;
beforeEach(() => {
  setup = new ExchangeSetup();
});

const outcome = (token: string) =>
  setup.dependencies.identityTokens.verify(token, dataProxyUrl).then(
    () => 'accepted',
    (error) => error.code,
  );
const issue = (changes: Record<string, unknown> = {}, header: Record<string, unknown> = {}) =>
  setup.issuer.token(setup.claims(changes), header);

test('a token of the issuer is accepted with each algorithm', async () => {
  expect(await outcome(issue())).toBe('accepted');
  expect(await outcome(issue({}, { alg: 'ES256', kid: 'ec-1' }))).toBe('accepted');
});

describe('the token verifier', () => {
  test('refuses a token with any part changed', async () => {
    const token = issue();
    for (let position = 0; position < token.length; position += 7) {
      const other = token[position] === 'A' ? 'B' : 'A';
      const changed = token.slice(0, position) + other + token.slice(position + 1);
      expect(await outcome(changed), `character ${position}`).toBe('invalid_identity_token');
    }
  });

  test.each<[string, (token: string) => string]>([
    ['no signature', (token) => token.slice(0, token.lastIndexOf('.') + 1)],
    ['no signature and no dot', (token) => token.slice(0, token.lastIndexOf('.'))],
    ['a fourth part', (token) => `${token}.x`],
    ['an empty fourth part', (token) => `${token}.`],
    ['a space in a part', (token) => token.replace('.', ' .')],
    ['padding', (token) => `${token}==`],
    ['plain base64 in the signature', (token) => `${token.slice(0, -4)}+/+/`],
    ['JSON serialization', (token) => JSON.stringify({ payload: token.split('.')[1] })],
    ['nothing', () => ''],
    ['dots', () => '..'],
  ])('refuses %s', async (_, change) => {
    expect(await outcome(change(issue()))).toBe('invalid_identity_token');
  });

  test('refuses a token of more than 16 KiB, however valid', async () => {
    expect(await outcome(issue({ extra: 'x'.repeat(11_000) }))).toBe('accepted');
    expect(await outcome(issue({ extra: 'x'.repeat(12_000) }))).toBe('invalid_identity_token');
  });

  test('refuses another spelling of the same bytes', async () => {
    const token = issue();
    // A signature of 256 bytes leaves four unused bits in the last character. The test sets one of them.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet[alphabet.indexOf(token.slice(-1)) + 1];
    const respelled = token.slice(0, -1) + last;
    expect(Buffer.from(respelled.split('.')[2] ?? '', 'base64url')).toEqual(
      Buffer.from(token.split('.')[2] ?? '', 'base64url'),
    );
    expect(await outcome(respelled)).toBe('invalid_identity_token');
  });

  test.each(['none', 'None', 'NONE', ''])('refuses the algorithm %j', async (alg) => {
    const [, payload] = issue().split('.');
    for (const end of ['', issue().split('.')[2]]) {
      expect(await outcome(`${part({ alg, kid: 'rsa-1' })}.${payload}.${end}`)).toBe('invalid_identity_token');
    }
  });

  test('refuses HS256 with the public key as its secret in each encoding', async () => {
    const published = setup.issuer.keys[0];
    const pem = setup.issuer.privateKeys.get('rsa-1');
    const secrets = [
      JSON.stringify(published),
      published?.n ?? '',
      Buffer.from(published?.n ?? '', 'base64url'),
      pem?.export({ type: 'pkcs8', format: 'pem' }) ?? '',
    ];
    for (const secret of secrets) {
      const input = `${part({ alg: 'HS256', kid: 'rsa-1' })}.${part(setup.claims())}`;
      const mac = createHmac('sha256', secret).update(input).digest('base64url');
      expect(await outcome(`${input}.${mac}`)).toBe('invalid_identity_token');
    }
  });

  test('ignores a key inside the token', async () => {
    const eve = new TestIssuer();
    eve.addKey('rsa-1', 'RS256');
    const evesKey = eve.privateKeys.get('rsa-1');
    if (evesKey === undefined) throw new Error('no key');
    for (const header of [
      { jwk: eve.keys[0] },
      { jku: 'https://eve.example.org/jwks' },
      { x5u: 'https://eve.example.org/cert' },
      { x5c: ['MIIB'] },
    ]) {
      const input = `${part({ alg: 'RS256', kid: 'rsa-1', ...header })}.${part(setup.claims())}`;
      expect(await outcome(`${input}.${signature(input, evesKey)}`)).toBe('invalid_identity_token');
    }
    expect(setup.issuer.fetched.every((url) => url.startsWith(setup.issuer.url))).toBe(true);
  });

  test.each<[string, Record<string, unknown>]>([
    ['a critical extension', { crit: ['exp'], exp: 1 }],
    ['an empty list of critical extensions', { crit: [] }],
    ['an unencoded payload', { b64: false }],
    ['an encoded payload said so', { b64: true }],
    ['the kid of another key', { kid: 'ec-1', alg: 'RS256' }],
    ['an algorithm that the issuer may not use', { alg: 'RS384' }],
    ['a key for another algorithm', { kid: 'rsa-1', alg: 'ES256' }],
  ])('refuses a well-signed token with %s', async (_, header) => {
    expect(await outcome(issue({}, header))).toBe('invalid_identity_token');
  });

  test('refuses a token without kid or with a kid that is not a string', async () => {
    for (const header of [{ alg: 'RS256' }, { alg: 'RS256', kid: 1 }, { alg: 'RS256', kid: null }]) {
      const key = setup.issuer.privateKeys.get('rsa-1');
      const input = `${part(header)}.${part(setup.claims())}`;
      if (key === undefined) throw new Error('no key');
      expect(await outcome(`${input}.${signature(input, key)}`)).toBe('invalid_identity_token');
    }
  });

  test('accepts an algorithm only for an issuer that lists it', async () => {
    setup = new ExchangeSetup({ algorithms: ['ES256'] });
    expect(await outcome(issue())).toBe('invalid_identity_token');
    expect(await outcome(issue({}, { alg: 'ES256', kid: 'ec-1' }))).toBe('accepted');
    expect(setup.issuer.fetched).toHaveLength(2);
  });
});

describe('in the claims of a token,', () => {
  const seconds = Date.parse('2026-11-21T10:00:00Z') / 1000;
  test.each<[string, Record<string, unknown>, string]>([
    ['the audience in a list of one', { aud: [dataProxyUrl] }, 'accepted'],
    ['the audience in a list with another', { aud: [dataProxyUrl, 'x'] }, 'invalid_identity_token'],
    ['the audience twice in a list', { aud: [dataProxyUrl, dataProxyUrl] }, 'invalid_identity_token'],
    ['an empty list of audiences', { aud: [] }, 'invalid_identity_token'],
    ['no audience', { aud: undefined }, 'invalid_identity_token'],
    ['another audience', { aud: 'sts.amazonaws.com' }, 'invalid_identity_token'],
    ['the audience with a slash', { aud: `${dataProxyUrl}/` }, 'invalid_identity_token'],
    ['the audience in capitals', { aud: dataProxyUrl.toUpperCase() }, 'invalid_identity_token'],
    ['an audience of which ours is a prefix', { aud: `${dataProxyUrl}.evil.org` }, 'invalid_identity_token'],
    ['an audience that is a prefix of ours', { aud: dataProxyUrl.slice(0, -1) }, 'invalid_identity_token'],
    ['an empty audience', { aud: '' }, 'invalid_identity_token'],
    ['an audience that is an object', { aud: { 0: dataProxyUrl } }, 'invalid_identity_token'],
    ['the issuer with a slash', { iss: 'https://ci.example.org/' }, 'invalid_identity_token'],
    ['the issuer in capitals', { iss: 'https://CI.example.org' }, 'invalid_identity_token'],
    ['a list of issuers', { iss: ['https://ci.example.org'] }, 'invalid_identity_token'],
    ['no issuer', { iss: undefined }, 'invalid_identity_token'],
    ['no subject', { sub: undefined }, 'invalid_identity_token'],
    ['an empty subject', { sub: '' }, 'invalid_identity_token'],
    ['a subject that is a number', { sub: 7 }, 'invalid_identity_token'],
    ['a subject too long to be trusted', { sub: 'x'.repeat(701) }, 'invalid_identity_token'],
    ['no expiry', { exp: undefined }, 'invalid_identity_token'],
    ['an expiry in a text', { exp: String(seconds + 300) }, 'invalid_identity_token'],
    ['an expiry of null', { exp: null }, 'invalid_identity_token'],
    ['no time of issue', { iat: undefined }, 'invalid_identity_token'],
    ['a time of issue in a text', { iat: String(seconds) }, 'invalid_identity_token'],
    ['no time before which it does not count', { nbf: undefined }, 'accepted'],
    ['such a time in a text', { nbf: 'now' }, 'invalid_identity_token'],
    ['expired 59 seconds ago', { exp: seconds - 59 }, 'accepted'],
    ['expired 60 seconds ago', { exp: seconds - 60 }, 'expired_identity_token'],
    ['valid in 60 seconds', { nbf: seconds + 60 }, 'accepted'],
    ['valid in 61 seconds', { nbf: seconds + 61 }, 'invalid_identity_token'],
    ['issued in 60 seconds', { iat: seconds + 60, nbf: undefined }, 'accepted'],
    ['issued in 61 seconds', { iat: seconds + 61, nbf: undefined }, 'invalid_identity_token'],
    ['a repository that is no text', { repository: ['a/b'] }, 'invalid_identity_token'],
    ['ids that are numbers', { repository_id: 5, repository_owner_id: 6 }, 'accepted'],
    ['claims nobody knows', { jti: 'x', run_id: '1', extra: { deep: [] } }, 'accepted'],
  ])('%s: %j is %s', async (_, changes, expected) => {
    expect(await outcome(issue(changes))).toBe(expected);
  });

  test.each<[string, unknown]>([
    ['a list', []],
    ['null', 'null'],
    ['a text', '"x"'],
    ['no JSON', 'x'],
    ['two objects', '{}{}'],
    ['an endless number', '{"exp":1e999}'],
  ])('a payload that is %s is refused', async (_, payload) => {
    expect(await outcome(setup.issuer.token(payload))).toBe('invalid_identity_token');
  });

  test('a claim that only the prototype has is treated as missing', async () => {
    const { sub: _, ...rest } = setup.claims();
    const payload = JSON.stringify(rest).replace(
      '{',
      '{"__proto__":{"sub":"repo:tide-institute/pipelines:ref:refs/heads/main"},',
    );
    expect(await outcome(setup.issuer.token(payload))).toBe('invalid_identity_token');
  });
});

describe('the limits of a token', () => {
  async function kindOrCode(token: string) {
    const url = new URL('../../../lib/sts/token-verifier.ts', import.meta.url);
    const module = await loadAgain<typeof import('../../../lib/sts/token-verifier.ts')>(url);
    const verifier = module.createIdentityTokenVerifier({
      issuers: [{ issuer: setup.issuer.url, kind: 'github', algorithms: ['RS256'] }],
      userClients: async () => setup.userClients ?? expect.fail('the list of clients was read'),
      findKeys: async () => parseKeySet({ keys: setup.issuer.keys }) ?? [],
      clock: () => setup.now,
    });
    return verifier.verify(token, dataProxyUrl).then(
      ({ kind }) => kind,
      ({ code, message }) => `${code}: ${message}`,
    );
  }
  const refused = (reason: string) => expect.stringContaining(`invalid_identity_token: The identity token ${reason}`);

  test.each<[string, Record<string, unknown>, unknown]>([
    ['a subject of one character', { sub: 'x' }, 'workload'],
    ['no character in the subject', { sub: '' }, refused('must carry sub')],
    ['a subject of 700 bytes', { sub: 'x'.repeat(700) }, 'workload'],
    ['a subject of 701 bytes', { sub: `${'x'.repeat(699)}\u00e9` }, refused('must have a subject')],
    ['the audience as text', { aud: dataProxyUrl }, 'workload'],
    ['the audience in a list', { aud: [dataProxyUrl] }, 'workload'],
    ['a list of no audience', { aud: [] }, refused('must carry sub')],
    ['an issuer on this machine', { iss: 'http://localhost:8080' }, 'unverified'],
  ])('hold for %s', async (_, claims, expected) => {
    expect(await kindOrCode(issue(claims))).toEqual(expected);
  });

  test.each([
    [16_384, 'is not signed by a key of its issuer'],
    [16_385, 'is not an identity token'],
  ])('hold for %d characters', async (length, reason) => {
    const start = `${part({ alg: 'RS256', kid: 'rsa-1' })}.${part(setup.claims())}.`;
    expect(await kindOrCode(start.padEnd(length, 'A'))).toEqual(refused(reason));
  });

  test('do not read the list of clients for a token without an issuer', async () => {
    setup.userClients = undefined;
    expect(await kindOrCode(issue({ iss: undefined }))).toEqual(refused('comes from an issuer'));
  });
});

test('a token of an issuer that is not configured claims to be a workload', async () => {
  const issuer = 'https://oidc.example.net';
  const { identityTokens } = setup.dependencies;
  const identity = await identityTokens.verify(issue({ iss: issuer, sub: 'job' }), dataProxyUrl);
  if (identity.kind !== 'unverified') throw new Error(`the token is ${identity.kind}`);
  expect(identity.claimedAs('oidc')).toMatchObject({
    ...{ kind: 'workload', issuer: { issuer, kind: 'oidc' }, audience: dataProxyUrl },
    workload: { subject: 'job' },
  });
});

describe('a token in compact form', () => {
  const [header, payload] = [part({ alg: 'RS256', kid: 'k' }), part('x')];
  test.each<[string, boolean]>([
    [`${header}.${payload}.AA`, true],
    [`${header}..`, true],
    [`${header}.${payload}`, false],
    [`${header}.${payload}.AA.AA`, false],
    [`+.${payload}.AA`, false],
    [`${header}.+.AA`, false],
    [`${header}.${payload}.+`, false],
    [`${header}.${payload}.AB`, false],
  ])('is %s: %s', (token, isParsed) => {
    const parsed = parseCompactToken(token);
    if (!isParsed) expect(parsed).toBeUndefined();
    else
      expect(parsed).toEqual({
        token,
        alg: 'RS256',
        kid: 'k',
        payload: Buffer.from(token.split('.')[1] ?? '', 'base64url'),
      });
  });

  test('has JSON in valid UTF-8', async () => {
    const url = new URL('../../../lib/sts/compact-token.ts', import.meta.url);
    const { parseJson } = await loadAgain<typeof import('../../../lib/sts/compact-token.ts')>(url);
    expect(parseJson(Buffer.from('"\u00e9"'))).toBe('\u00e9');
    expect(parseJson(Buffer.from('"\u00e9"', 'latin1'))).toBeUndefined();
  });

  test('with a key of another type is a fault of the program, not a wrong signature', async () => {
    const [rsa, ec] = parseKeySet({ keys: setup.issuer.keys }) ?? [];
    if (rsa === undefined || ec === undefined) throw new Error('no keys');
    const parsed = parseCompactToken(issue());
    if (parsed === undefined) throw new Error('no token');
    await expect(isSignedBy(parsed, [{ ...rsa, key: ec.key }])).rejects.toThrow('Invalid key type');
  });
});
