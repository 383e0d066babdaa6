import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { parseUsableKeys } from '../../../../lib/domain/ci/key-sets.ts';

const rsa = (modulusLength: number, publicExponent = 65_537) =>
  generateKeyPairSync('rsa', { modulusLength, publicExponent });
const curve = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });
type Pair = ReturnType<typeof rsa>;
const jwkOf = ({ publicKey }: Pair, changes: object = {}) => ({
  kid: 'one',
  ...publicKey.export({ format: 'jwk' }),
  ...changes,
});

const [rsa2048, p256, p384] = [rsa(2048), curve('P-256'), curve('P-384')];

test.each([
  ['RSA', rsa2048, 'RS256'],
  ['P-256', p256, 'ES256'],
  ['P-384', p384, 'ES384'],
])('a key set contains the public parts of a %s key with its algorithm', (_, pair, alg) => {
  const jwk = jwkOf(pair);
  const extra = { x5c: ['expired'], use: 'sig', d: 'a private part', key_ops: ['verify'], alg };
  const kept = [{ ...jwk, alg }];
  expect(parseUsableKeys({ keys: [jwk] })).toEqual(kept);
  expect(parseUsableKeys({ keys: [{ ...jwk, ...extra }] })).toEqual(kept);
});

test.each<[string, unknown]>([
  ['of 1,024 bits', jwkOf(rsa(1024))],
  ['of more than 4,096 bits', jwkOf(rsa2048, { n: Buffer.alloc(520, 0xff).toString('base64url') })],
  ['with many leading zeros', jwkOf(rsa2048, { n: 'A'.repeat(400) + jwkOf(rsa2048).n })],
  ['with the exponent 3', jwkOf(rsa(2048, 3))],
  ['with the exponent 1', jwkOf(rsa2048, { e: 'AQ' })],
  ['on another curve', jwkOf(curve('secp256k1'))],
  ['outside its curve', jwkOf(p256, { x: Buffer.alloc(32, 1).toString('base64url') })],
  ['for another algorithm', jwkOf(rsa2048, { alg: 'PS256' })],
  ['for an algorithm of another curve', jwkOf(p256, { alg: 'ES384' })],
  ['for encryption', jwkOf(rsa2048, { use: 'enc' })],
  ['for signing only', jwkOf(rsa2048, { key_ops: ['sign'] })],
  ['with a symmetric secret', { kid: 'one', kty: 'oct', alg: 'HS256', k: 'c2VjcmV0' }],
  ['without an ID', jwkOf(rsa2048, { kid: undefined })],
  ['with a long ID', jwkOf(rsa2048, { kid: 'k'.repeat(257) })],
  ['with an ID that is no text', jwkOf(rsa2048, { kid: 7 })],
  ['that is no object', 'key'],
  ['that is null', null],
])('a key set skips a key %s', (_, jwk) => {
  expect(parseUsableKeys({ keys: [jwk, jwkOf(p384)] })).toHaveLength(1);
});

test.each([null, [], 'keys', {}, { keys: {} }, { keys: null }])('%j is not a key set', (document) => {
  expect(parseUsableKeys(document)).toBeUndefined();
});
