import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  isSignedReport,
  leakUrl,
  leakVerdict,
  parsePartnerKeys,
} from '../../../../lib/domain/changes/leaked-key-reports.ts';

describe('the shown URL of a leaked key', () => {
  const key = 'sck_EXAMPLEexampleEXAMPLEexample001nLRYa';
  test.each<[string, string | null | undefined, string]>([
    ['the URL', 'https://github.com/o/r/blob/c/f.txt', 'https://github.com/o/r/blob/c/f.txt'],
    ['unknown when it is absent', undefined, 'unknown'],
    ['unknown when it is null', null, 'unknown'],
    ['unknown when it is empty', '', 'unknown'],
    ['a URL with the key in it', `https://example.org/?k=${key}`, 'a URL that holds the key itself'],
    [
      'a URL with the escaped key in it',
      `https://example.org/?k=${key.replace('_', '%5F')}`,
      'a URL that holds the key itself',
    ],
    ['with control characters', 'https://example.org/\n\u202e', 'https://example.org/\\u{a}\\u{202e}'],
  ])('is %s', (_, url, shown) => {
    expect(leakUrl(url)).toBe(shown);
  });
});

test('the verdict names a match by its hash, not by the key', () => {
  // The expected digest is the output of `printf some_token | openssl dgst -sha256 -binary | base64`.
  expect(leakVerdict({ token: 'some_token', type: 'some_type' }, false)).toEqual({
    token_hash: 'mkVSChIT8VAW0tdotfs9kESSpE7idLRNTeiAPgD7U2o=',
    token_type: 'some_type',
    label: 'false_positive',
  });
});

/** The sample request in GitHub's documentation of secret scanning, and the public key that GitHub published for it. */
const sample = {
  keys: {
    public_keys: [
      {
        key_identifier: 'bcb53661c06b4728e59d897fb6165d5c9cda0fd9cdf9d09ead458168deb7518c',
        key: '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYAGMWO8XgCamYKMJS6jc/qgvSlAd\nAjPuDPRcXU22YxgBrz+zoN19MzuRyW87qEt9/AmtoNP5GrobzUvQSyJFVw==\n-----END PUBLIC KEY-----\n',
        is_current: true,
      },
    ],
  },
  body: '[{"source":"commit","token":"some_token","type":"some_type","url":"https://example.com/base-repo-url/"}]',
  signature: 'MEQCIQDaMKqrGnE27S0kgMrEK0eYBmyG0LeZismAEz/BgZyt7AIfXt9fErtRS4XaeSt/AO1RtBY66YcAdjxji410VQV4xg==',
};

describe('the signature keys of a partner', () => {
  const pemOf = (namedCurve: string) =>
    generateKeyPairSync('ec', { namedCurve }).publicKey.export({ type: 'spki', format: 'pem' });
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'pem' });

  test('are all its P-256 keys, current or not', () => {
    const keys = parsePartnerKeys({
      public_keys: [
        { key_identifier: 'current', key: pemOf('P-256'), is_current: true },
        { key_identifier: 'earlier', key: pemOf('P-256'), is_current: false },
        { key_identifier: 'another curve', key: pemOf('P-384') },
        { key_identifier: 'RSA', key: rsa },
        { key_identifier: 'no key', key: 'hello' },
      ],
    });
    expect([...(keys?.keys() ?? [])]).toEqual(['current', 'earlier']);
  });

  test.each([undefined, null, [], {}, { public_keys: {} }, { public_keys: [{ key: 'x' }] }])(
    'are not read from %j',
    (document) => {
      expect(parsePartnerKeys(document)).toBeUndefined();
    },
  );

  test('verify the sample request of the documentation to the byte', () => {
    const key = parsePartnerKeys(sample.keys)?.get(sample.keys.public_keys[0]?.key_identifier ?? '');
    if (key === undefined) throw new Error('no key');
    expect(isSignedReport(Buffer.from(sample.body), sample.signature, key)).toBe(true);
    expect(isSignedReport(Buffer.from(`${sample.body} `), sample.signature, key)).toBe(false);
    for (const signature of ['', 'x', '====', Buffer.alloc(64).toString('base64'), `AAAA${sample.signature}`])
      expect(isSignedReport(Buffer.from(sample.body), signature, key)).toBe(false);
  });
});
