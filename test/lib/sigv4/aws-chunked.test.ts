import { describe, expect, test } from 'vitest';
import { ChunkSignatures, decodeAwsChunked } from '../../../lib/sigv4/aws-chunked.ts';
import type { PresentedSignature } from '../../../lib/sigv4/presented-signature.ts';
import { signingKey } from '../../../lib/sigv4/sign.ts';

/**
 * The examples of the Amazon S3 API reference, "Signature calculations for the authorization header: transferring
 * payload in multiple chunks", with and without trailing headers.
 */
const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const scope = { date: '20130524', region: 'us-east-1', service: 's3' };
const seeds = {
  plain: '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9',
  trailing: '106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e',
};

const first = 'a'.repeat(65_536);
const second = 'a'.repeat(1024);
const body = (signatures: readonly string[], end = '\r\n') =>
  `10000;chunk-signature=${signatures[0]}\r\n${first}\r\n` +
  `400;chunk-signature=${signatures[1]}\r\n${second}\r\n` +
  `0;chunk-signature=${signatures[2]}\r\n${end}`;

const plain = body([
  'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648',
  '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497',
  'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9',
]);
const trailing = body(
  [
    'b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2',
    '1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7',
    '2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992',
  ],
  'x-amz-checksum-crc32c:sOO8/Q==\r\n' +
    'x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n',
);

/** @param pieceBytes size of each piece of the body that arrives */
async function decode(text: string, form: keyof typeof seeds, pieceBytes = text.length) {
  async function* source() {
    for (let at = 0; at < text.length; at += pieceBytes) yield Buffer.from(text.slice(at, at + pieceBytes));
  }
  const request = { ...scope, amz_date: '20130524T000000Z', signature: seeds[form] } as PresentedSignature;
  const signatures = new ChunkSignatures(
    request,
    signingKey({ secret_access_key: secret }, scope),
    form === 'trailing',
  );
  const trailers = new Map<string, string>();
  let decoded = '';
  for await (const piece of decodeAwsChunked(source(), trailers, signatures)) decoded += Buffer.from(piece);
  return { isWhole: decoded === first + second, trailers: Object.fromEntries(trailers) };
}

describe('the published examples of uploads in signed chunks', () => {
  test.each([66_824, 1000, 7])('are decoded and verified in pieces of %d bytes', async (pieceBytes) => {
    expect(await decode(plain, 'plain', pieceBytes)).toEqual({ isWhole: true, trailers: {} });
    expect(await decode(trailing, 'trailing', pieceBytes)).toEqual({
      isWhole: true,
      trailers: { 'x-amz-checksum-crc32c': 'sOO8/Q==' },
    });
  });

  test('are as long as published', () => {
    expect(plain).toHaveLength(66_824);
  });

  test.each([
    ['one byte of a chunk', plain.replace('aaa\r\n400', 'aab\r\n400'), 'plain'],
    ['one digit of a signature', plain.replace('ad80c7', 'ad80c8'), 'plain'],
    [
      'the order of chunks',
      plain.replace(/0055627c\w+/, 'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648'),
      'plain',
    ],
    ['the end', plain.replace('0;chunk-signature=b6c6', '0;chunk-signature=b6c7'), 'plain'],
    ['the extension of a chunk', plain.replace(/;chunk-signature=ad80\w+/, ''), 'plain'],
    ['a trailer', trailing.replace('sOO8/Q==', 'sOO8/A=='), 'trailing'],
  ] as const)('are refused when %s is another', async (_, text, form) => {
    await expect(decode(text, form)).rejects.toMatchObject({ code: 'signature_mismatch' });
  });

  test('are refused without the signature of the trailers', async () => {
    const unsigned = trailing.replace(/x-amz-trailer-signature:\w+\r\n/, '');
    await expect(decode(unsigned, 'trailing')).rejects.toMatchObject({ code: 'malformed_trailer' });
  });

  test('are refused when they end early', async () => {
    await expect(decode(plain.slice(0, -90), 'plain')).rejects.toMatchObject({ code: 'incomplete_body' });
  });
});
