import { generateKeyPairSync } from 'node:crypto';
import type { JWK } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { createIssuerKeyCache, type FindIssuerKeys, parseKeySet } from '../../../lib/sts/issuer-keys.ts';
import { TestIssuer } from './test-issuer.ts';

let issuer: TestIssuer;
let now: number;
let findKeys: FindIssuerKeys;
beforeEach(() => {
  issuer = TestIssuer.create();
  now = Date.parse('2026-11-21T10:00:00Z');
  findKeys = createIssuerKeyCache({ fetchJson: issuer.fetchJson, clock: () => now });
});

const find = (kid: string) =>
  findKeys(issuer.url, kid).then(
    (keys) => keys.length,
    (error) => error.code,
  );
const rounds = () => issuer.fetched.length / 2;
const down = new Error('down');

describe('the cache of issuer keys', () => {
  test('fetches once and uses the cached keys for an hour', async () => {
    for (let minute = 0; minute < 60; minute += 1, now += 60_000) expect(await find('rsa-1')).toBe(1);
    expect(rounds()).toBe(1);
    expect(await find('rsa-1')).toBe(1);
    expect(rounds()).toBe(2);
  });

  test('coalesces concurrent requests into one fetch', async () => {
    expect(await Promise.all([find('rsa-1'), find('ec-1'), find('none')])).toEqual([1, 1, 0]);
    expect(rounds()).toBe(1);
  });

  test('drops a withdrawn key within an hour', async () => {
    await find('rsa-1');
    issuer.keys = issuer.keys.filter(({ kid }) => kid !== 'rsa-1');
    now += 3_599_000;
    expect(await find('rsa-1')).toBe(1);
    now += 1000;
    expect(await find('rsa-1')).toBe(0);
  });

  test('starts the TTL before the fetch', async () => {
    const slow = createIssuerKeyCache({
      fetchJson: async (url, bounds) => {
        const answer = await issuer.fetchJson(url, bounds);
        now += 2000;
        return answer;
      },
      clock: () => now,
    });
    const begun = now;
    expect(await slow(issuer.url, 'rsa-1')).toHaveLength(1);
    issuer.keys = issuer.keys.filter(({ kid }) => kid !== 'rsa-1');
    now = begun + 3_600_000;
    expect(await slow(issuer.url, 'rsa-1')).toHaveLength(0);
  });

  test('fetches for an unknown kid, at most once a minute', async () => {
    await find('rsa-1');
    issuer.addKey('rsa-2', 'RS256');
    now += 59_000;
    expect(await find('rsa-2')).toBe(0);
    now += 1000;
    expect(await find('rsa-2')).toBe(1);
    expect(rounds()).toBe(2);
    for (let second = 0; second < 59; second += 1, now += 1000) expect(await find(`made-up-${second}`)).toBe(0);
    expect(rounds()).toBe(2);
  });

  test('accepts valid tokens during a flood of unknown key IDs', async () => {
    await find('rsa-1');
    for (let index = 0; index < 20_000; index += 1, now += 30) {
      expect(await find(`made-up-${index}`)).toBe(0);
      if (index % 100 === 0) expect(await find('rsa-1')).toBe(1);
    }
    // The cache sends at most 11 key requests in ten minutes.
    expect(rounds()).toBeLessThanOrEqual(11);
  });

  test('blocks requests during a fetch for their kid, and no other requests', async () => {
    await find('rsa-1');
    issuer.addKey('rsa-2', 'RS256');
    now += 60_000;
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const plain = issuer.fetchJson;
    const slow = createIssuerKeyCache({
      fetchJson: async (url, bounds) => {
        if (issuer.fetched.length >= 4) await held;
        return plain(url, bounds);
      },
      clock: () => now,
    });
    await slow(issuer.url, 'rsa-1');
    issuer.addKey('rsa-3', 'RS256');
    now += 60_000;
    const waiting = [slow(issuer.url, 'rsa-3'), slow(issuer.url, 'rsa-3')];
    expect(await slow(issuer.url, 'rsa-1')).toHaveLength(1);
    release();
    expect((await Promise.all(waiting)).map((keys) => keys.length)).toEqual([1, 1]);
  });

  test('uses its keys for 24 hours during an outage', async () => {
    await find('rsa-1');
    issuer.failure = down;
    now += 24 * 3_600_000 - 1000;
    expect(await find('rsa-1')).toBe(1);
    expect(await find('made-up')).toBe(0);
    now += 1000;
    expect(await find('rsa-1')).toBe('identity_provider_unreachable');
    issuer.failure = undefined;
    now += 10_000;
    expect(await find('rsa-1')).toBe(1);
  });

  test('caches a failure for 10 seconds', async () => {
    issuer.failure = down;
    expect(await find('rsa-1')).toBe('identity_provider_unreachable');
    issuer.failure = undefined;
    now += 9_999;
    expect(await find('rsa-1')).toBe('identity_provider_unreachable');
    expect(issuer.fetched).toHaveLength(1);
    now += 1;
    expect(await find('rsa-1')).toBe(1);
  });

  test('waits at most 2 seconds and reads at most 256 KiB', async () => {
    const asked: unknown[] = [];
    const bounded = createIssuerKeyCache({
      fetchJson: (url, bounds) => {
        asked.push(bounds);
        return issuer.fetchJson(url, bounds);
      },
      clock: () => now,
    });
    await bounded(issuer.url, 'rsa-1');
    expect(asked).toEqual(Array(2).fill({ timeoutMs: 2000, bytesMax: 262_144 }));
  });

  const keySet = { jwks_uri: 'https://ci.example.org/jwks' };
  const named = { issuer: 'https://ci.example.org' };
  test.each<[string, Record<string, unknown>]>([
    ['names another issuer', { ...keySet, issuer: 'https://eve.example.org' }],
    ['names the issuer with a slash', { ...keySet, issuer: 'https://ci.example.org/' }],
    ['names no issuer', keySet],
    ['has no URL of keys', named],
    ['has its keys behind plain http', { ...named, jwks_uri: 'http://ci.example.org/jwks' }],
    ['has its keys in a file', { ...named, jwks_uri: 'file:///etc/keys' }],
  ])('treats a discovery document that %s as a failure', async (_, discovery) => {
    issuer.discovery = discovery;
    expect(await find('rsa-1')).toBe('identity_provider_unreachable');
  });

  test.each([
    ['https://localhost/jwks', 1],
    ['http://localhost:8080/jwks', 1],
    ['file:///etc/keys', 'identity_provider_unreachable'],
  ])('accepts keys at %s from an issuer behind plain http: %s', async (jwks_uri, expected) => {
    issuer = TestIssuer.create('http://localhost:8080');
    issuer.discovery = { issuer: issuer.url, jwks_uri };
    findKeys = createIssuerKeyCache({ fetchJson: issuer.fetchJson, clock: () => now });
    expect(await find('rsa-1')).toBe(expected);
  });

  test('holds the keys of 100 issuers', async () => {
    const fetched: string[] = [];
    const findOf = createIssuerKeyCache({
      fetchJson: async (url) => {
        const { origin, pathname } = new URL(url);
        fetched.push(origin);
        return pathname === '/jwks' ? { keys: issuer.keys } : { issuer: origin, jwks_uri: `${origin}/jwks` };
      },
      clock: () => now,
    });
    const url = (index: number) => `https://ci-${index}.example.org`;
    for (let index = 0; index < 100; index += 1) await findOf(url(index), 'rsa-1');
    fetched.length = 0;
    for (const index of [0, 100, 0, 1]) await findOf(url(index), 'rsa-1');
    expect(fetched).toEqual([url(100), url(100), url(1), url(1)]);
  });

  test('treats a set without a usable key as a failure', async () => {
    issuer.keys = issuer.keys.map((key) => ({ ...key, use: 'enc' }));
    expect(await find('rsa-1')).toBe('identity_provider_unreachable');
    now += 10_000;
    issuer.keys = [];
    expect(await find('rsa-1')).toBe('identity_provider_unreachable');
  });
});

describe('a key set', () => {
  const rsa = (modulusLength: number, publicExponent = 65_537) =>
    generateKeyPairSync('rsa', { modulusLength, publicExponent }).publicKey.export({ format: 'jwk' }) as JWK;
  const ec = (namedCurve: string) =>
    generateKeyPairSync('ec', { namedCurve }).publicKey.export({ format: 'jwk' }) as JWK;
  const strong = rsa(2048);

  test.each<[string, unknown, number]>([
    ['RSA of 2,048 bits', { ...strong, kid: 'k' }, 1],
    ['RSA with its use and algorithm', { ...strong, kid: 'k', use: 'sig', alg: 'RS256' }, 1],
    ['RSA with expired certificates beside it', { ...strong, kid: 'k', x5c: ['MIIB'], x5t: 'x' }, 1],
    ['RSA to verify with', { ...strong, kid: 'k', key_ops: ['verify'] }, 1],
    ['a P-256 key', { ...ec('P-256'), kid: 'k' }, 1],
    ['RSA without kid', strong, 0],
    ['RSA with an empty kid', { ...strong, kid: '' }, 0],
    ['RSA to encrypt with', { ...strong, kid: 'k', use: 'enc' }, 0],
    ['RSA to wrap keys with', { ...strong, kid: 'k', key_ops: ['wrapKey'] }, 0],
    ['RSA for another algorithm', { ...strong, kid: 'k', alg: 'RS512' }, 0],
    ['RSA said to be for ES256', { ...strong, kid: 'k', alg: 'ES256' }, 0],
    ['RSA of 1,024 bits', { ...rsa(1024), kid: 'k' }, 0],
    ['RSA with exponent 3', { ...rsa(2048, 3), kid: 'k' }, 0],
    ['RSA with exponent 1', { ...strong, e: 'AQ', kid: 'k' }, 0],
    ['RSA without modulus', { ...strong, n: '', kid: 'k' }, 0],
    ['a P-384 key', { ...ec('P-384'), kid: 'k' }, 1],
    ['a P-521 key', { ...ec('P-521'), kid: 'k' }, 0],
    ['a point beside the curve', { ...ec('P-256'), x: ec('P-256').x, kid: 'k' }, 0],
    ['a symmetric key', { kty: 'oct', k: 'AAAA', kid: 'k', alg: 'HS256' }, 0],
    ['no object', 'k', 0],
    ['null', null, 0],
  ])('%s: %#', (_, jwk, usable) => {
    expect(parseKeySet({ keys: [jwk] })).toHaveLength(usable);
  });

  test('keeps valid keys beside an unusable one', () => {
    expect(parseKeySet({ keys: [{ kty: 'OKP' }, null, { ...strong, kid: 'k' }] })).toHaveLength(1);
  });

  test('ignores a leaked private part', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const [key] = parseKeySet({ keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'k' }] }) ?? [];
    expect(key?.key.type).toBe('public');
  });

  test.each([[[]], [null], [{}], [{ keys: {} }], ['keys']])('is rejected when it is %j', (document) => {
    expect(parseKeySet(document)).toBeUndefined();
  });
});
