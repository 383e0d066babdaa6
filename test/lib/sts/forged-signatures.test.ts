import { constants, createHash, createHmac, type KeyObject, privateEncrypt, sign } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { CiProviderKind } from '../../../lib/domain/ci/providers.ts';
import { ciClaims } from './ci-claim-table.ts';
import { dataProxyUrl, ExchangeSetup } from './exchange-setup.ts';
import { part } from './test-issuer.ts';

/**
 * The cases of the published vectors for RS256 and ES256, with keys that are generated here: signatures that a careless
 * verifier accepts. All are made with the issuer's own key, so only their encoding is wrong.
 */

describe.each(Object.keys(ciClaims) as CiProviderKind[])('a token of %s', (kind) => {
  let setup: ExchangeSetup;
  beforeEach(() => {
    setup = new ExchangeSetup({ kind });
  });

  function privateKey(kid: string): KeyObject {
    const key = setup.issuer.privateKeys.get(kid);
    if (key === undefined) throw new Error(`no key ${kid}`);
    return key;
  }
  function claims() {
    const { iat, nbf, exp } = setup.claims();
    return { ...ciClaims[kind].run, iat, nbf, exp };
  }
  const inputOf = (alg: string, kid: string) => `${part({ typ: 'JWT', alg, kid })}.${part(claims())}`;
  const outcome = (input: string, signature: Buffer) =>
    setup.dependencies.identityTokens.verify(`${input}.${signature.toString('base64url')}`, dataProxyUrl).then(
      () => 'accepted',
      (error) => error.code,
    );

  describe('RS256', () => {
    const modulusBytes = 256;
    const algorithm = '300d06096086480165030402010500';
    const digestInfo = (hash: string) => `3031${algorithm}0420${hash}`;
    const padded = (hex: string) => `0001${'ff'.repeat(modulusBytes - 3 - hex.length / 2)}00${hex}`;
    /** Returns an RSA block that ends early and has padding behind its end. */
    const filled = (hex: string) => hex.padEnd(modulusBytes * 2, '5a');

    async function outcomeOf(block: (hash: string) => string): Promise<string> {
      const input = inputOf('RS256', 'rsa-1');
      const hex = block(createHash('sha256').update(input).digest('hex'));
      expect(hex).toHaveLength(modulusBytes * 2);
      const key = { key: privateKey('rsa-1'), padding: constants.RSA_NO_PADDING };
      return outcome(input, privateEncrypt(key, Buffer.from(hex, 'hex')));
    }

    test('with the block that PKCS #1 describes is accepted', async () => {
      expect(await outcomeOf((hash) => padded(digestInfo(hash)))).toBe('accepted');
    });

    test.each<[string, (hash: string) => string]>([
      ['garbage behind the hash', (hash) => filled(`0001${'ff'.repeat(8)}00${digestInfo(hash)}`)],
      ['garbage behind it and no padding', (hash) => filled(`000100${digestInfo(hash)}`)],
      ['garbage inside the algorithm', (hash) => padded(`3035${algorithm.replace('300d', '3011')}5a5a5a5a0420${hash}`)],
      ['garbage behind the sequence', (hash) => padded(`${digestInfo(hash)}5a5a`)],
      ['garbage inside the sequence', (hash) => padded(`3033${algorithm}0420${hash}0500`)],
      ['padding that is no ff', (hash) => padded(digestInfo(hash)).replace('ffff', 'fffe')],
      ['a zero within its padding', (hash) => padded(digestInfo(hash)).replace('ffffff', 'ff00ff')],
      ['no zero behind its padding', (hash) => padded(digestInfo(hash)).replace('ff0030', 'ffff30')],
      ['the block type of encryption', (hash) => padded(digestInfo(hash)).replace(/^0001/, '0002')],
      ['block type 0', (hash) => padded(digestInfo(hash)).replace(/^0001/, '0000')],
      ['the bare hash', (hash) => padded(hash)],
      ['the bare hash as an octet string', (hash) => padded(`0420${hash}`)],
      ['no parameters', (hash) => padded(`302f300b06096086480165030402010420${hash}`)],
      ['the name of SHA-1', (hash) => padded(`3029300906052b0e03021a05000420${hash}`)],
      ['the name of SHA-512', (hash) => padded(digestInfo(hash).replace('0304020105', '0304020305'))],
      ['a length in its long form', (hash) => padded(`308131${algorithm}0420${hash}`)],
      ['a length that begins with zero', (hash) => padded(`30820031${algorithm}0420${hash}`)],
      ['an indefinite length', (hash) => padded(`3080${algorithm}0420${hash}0000`)],
      ['a length that is one too long', (hash) => padded(digestInfo(hash).replace(/^3031/, '3032'))],
      ['a hash that says it is shorter', (hash) => padded(digestInfo(hash).replace('0420', '041f'))],
      ['a hash cut short', (hash) => padded(`3030${algorithm}041f${hash.slice(0, -2)}`)],
      [
        'the hash of something else',
        (hash) => padded(digestInfo(hash.replace(/^../, (first) => (first === '00' ? '01' : '00')))),
      ],
      ['a block of zeros', () => '00'.repeat(modulusBytes)],
      ['the block 1', () => '01'.padStart(modulusBytes * 2, '0')],
    ])('with %s is refused', async (_, block) => {
      expect(await outcomeOf(block)).toBe('invalid_identity_token');
    });

    test.each<[string, (good: Buffer) => Buffer]>([
      ['a zero before it', (good) => Buffer.concat([Buffer.alloc(1), good])],
      ['a zero behind it', (good) => Buffer.concat([good, Buffer.alloc(1)])],
      ['its first byte missing', (good) => good.subarray(1)],
      ['its last byte missing', (good) => good.subarray(0, -1)],
      ['nothing but zeros', (good) => Buffer.alloc(good.length)],
      ['nothing but ones', (good) => Buffer.alloc(good.length, 0xff)],
    ])('with %s is refused', async (_, change) => {
      const input = inputOf('RS256', 'rsa-1');
      const good = sign('sha256', Buffer.from(input), privateKey('rsa-1'));
      expect(await outcome(input, good)).toBe('accepted');
      expect(await outcome(input, change(good))).toBe('invalid_identity_token');
    });

    test('in the padding of PS256 is refused, under either name', async () => {
      const key = { key: privateKey('rsa-1'), padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
      for (const alg of ['RS256', 'PS256']) {
        const input = inputOf(alg, 'rsa-1');
        expect(await outcome(input, sign('sha256', Buffer.from(input), key))).toBe('invalid_identity_token');
      }
    });
  });

  describe('ES256', () => {
    /** Order of the curve P-256. */
    const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
    const number = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
    const special = { 0: 0n, 1: 1n, 'the order less 1': order - 1n, 'the order': order, 'all ones': 2n ** 256n - 1n };
    const names = Object.keys(special) as (keyof typeof special)[];
    const goodOf = (input: string, dsaEncoding: 'ieee-p1363' | 'der' = 'ieee-p1363') =>
      sign('sha256', Buffer.from(input), { key: privateKey('ec-1'), dsaEncoding });

    test.each(names.flatMap((r) => names.map((s) => [r, s] as const)))(
      'with r %s and s %s is refused',
      async (r, s) => {
        const input = inputOf('ES256', 'ec-1');
        const forged = Buffer.concat([number(special[r]), number(special[s])]);
        expect(await outcome(input, forged)).toBe('invalid_identity_token');
      },
    );

    test.each<[string, (good: Buffer, input: string) => Buffer]>([
      ['the encoding of certificates', (_, input) => goodOf(input, 'der')],
      ['zeros behind it', (good) => Buffer.concat([good, Buffer.alloc(2)])],
      [
        'a zero before each number',
        (good) => Buffer.concat([Buffer.alloc(1), good.subarray(0, 32), Buffer.alloc(1), good.subarray(32)]),
      ],
      ['zeros before it', (good) => Buffer.concat([Buffer.alloc(2), good])],
      ['itself behind it', (good) => Buffer.concat([good, good])],
      ['its last byte missing', (good) => good.subarray(0, -1)],
      ['its first number alone', (good) => good.subarray(0, 32)],
      ['its numbers exchanged', (good) => Buffer.concat([good.subarray(32), good.subarray(0, 32)])],
      ['nothing', () => Buffer.alloc(0)],
    ])('with %s is refused', async (_, change) => {
      const input = inputOf('ES256', 'ec-1');
      const good = goodOf(input);
      expect(await outcome(input, good)).toBe('accepted');
      expect(await outcome(input, change(good, input))).toBe('invalid_identity_token');
    });

    test('signed with the public key as the HS256 secret is refused in each encoding', async () => {
      const { kid, x = '', y = '', ...rest } = setup.issuer.keys.find((key) => key.kid === 'ec-1') ?? {};
      const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
      for (const secret of [point, Buffer.from(x, 'base64url'), JSON.stringify({ ...rest, x, y, kid })]) {
        const input = inputOf('HS256', 'ec-1');
        expect(await outcome(input, createHmac('sha256', secret).update(input).digest())).toBe(
          'invalid_identity_token',
        );
      }
    });
  });
});
