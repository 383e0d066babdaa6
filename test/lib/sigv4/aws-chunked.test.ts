import { createHash, createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../../lib/domain/errors.ts';
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

/** @param pieceBytes size of each piece in which the body arrives */
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

  test('have the published lengths', () => {
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
  ] as const)('are refused when %s is changed', async (_, text, form) => {
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

const kilobytes = (count: number) => 'a'.repeat(count * 1024);
const chunk = (content: string) => `${content.length.toString(16)}\r\n${content}\r\n`;

/** Decodes a body without signatures. Returns its content and trailers, or the code and the text of the refusal. */
async function decodeUnsigned(text: string, pieceBytes = text.length): Promise<unknown> {
  async function* source() {
    for (let at = 0; at < text.length; at += pieceBytes) yield Buffer.from(text.slice(at, at + pieceBytes), 'latin1');
  }
  const trailers = new Map<string, string>();
  let decoded = '';
  try {
    for await (const piece of decodeAwsChunked(source(), trailers, undefined)) decoded += Buffer.from(piece);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return `${error.code}: ${error.message}`;
  }
  return [decoded.length, Object.fromEntries(trailers)];
}

const manyTrailers = (count: number) => Array.from({ length: count }, (_, index) => `t${index}:a\r\n`).join('');
const longest = 'a'.repeat(1020);

describe('a body in chunks without signatures', () => {
  test.each<[string, string, unknown]>([
    ['without content', '0\r\n\r\n', [0, {}]],
    ['without its last line', '0\r\n', [0, {}]],
    ['with bare line feeds', '3\nabc\n0\n\n', [3, {}]],
    ['with bare line feeds after long chunks', `2000\n${kilobytes(8)}\n`.repeat(2).concat('0\n\n'), [16_384, {}]],
    ['with sizes in capitals', `A\r\n${'a'.repeat(10)}\r\n0\r\n\r\n`, [10, {}]],
    ['with sizes of ten digits', '0000000003\r\nabc\r\n0000000000\r\n\r\n', [3, {}]],
    ['with a signature that nobody checks', `3;chunk-signature=${'0a'.repeat(32)}\r\nabc\r\n0\r\n\r\n`, [3, {}]],
    ['of the minimum size', `${chunk(kilobytes(8))}${chunk('a')}0\r\n\r\n`, [8193, {}]],
    ['with trailers', '0\r\nA: b c \r\n x-d :e:f\r\n\r\n', [0, { a: 'b c', 'x-d': 'e:f' }]],
    ['with an empty trailer', '0\r\na:\r\n\r\n', [0, { a: '' }]],
    ['with ten trailers', `0\r\n${manyTrailers(10)}\r\n`, [0, expect.objectContaining({ t9: 'a' })]],
    ['with a trailer of the maximum length', `0\r\na: ${longest}\r\n\r\n`, [0, { a: longest }]],
  ])('%s is decoded in pieces of any size', async (_, text, decoded) => {
    for (const pieceBytes of [text.length, 1, 1000]) expect(await decodeUnsigned(text, pieceBytes)).toEqual(decoded);
  });

  const notWellFormed = 'invalid_request: The aws-chunked request body is not well formed.';
  const early = 'incomplete_body: The request body is not as long as the request says; send it again whole.';
  const trailer = 'malformed_trailer: The trailer after the last chunk does not match x-amz-trailer.';
  const small = (number: number, size: number) =>
    `invalid_chunk_size: Chunk ${number} has ${size} bytes; only the last chunk may have fewer than 8192.`;
  test.each<[string, string, string]>([
    ['is empty', '', early],
    ['ends after a chunk', '3\r\nabc\r\n', early],
    ['ends in a chunk', '3\r\nab', early],
    ['ends in a size', '3', early],
    ['ends in a trailer', '0\r\na:b', early],
    ['has no size', '\r\n', notWellFormed],
    ['has a size that is no number', 'x\r\n', notWellFormed],
    ['has a size of eleven digits', '00000000000\r\n\r\n', notWellFormed],
    ['has a space before a size', ' 0\r\n\r\n', notWellFormed],
    ['has another extension', '0;a=b\r\n\r\n', notWellFormed],
    ['has a short signature', `0;chunk-signature=${'0'.repeat(63)}\r\n\r\n`, notWellFormed],
    ['has a longer chunk', '3\r\nabcd\r\n0\r\n\r\n', notWellFormed],
    ['continues after its end', '0\r\n\r\na\r\n', notWellFormed],
    ['continues with an empty line', '0\r\n\r\n\r\n', notWellFormed],
    ['has a longer line', `0\r\na: ${longest}a\r\n\r\n`, notWellFormed],
    ['has an endless line', `0\r\na: ${longest}aa`, notWellFormed],
    ['has a trailer without a name', '0\r\n:b\r\n\r\n', trailer],
    ['has a trailer without a colon', '0\r\nb\r\n\r\n', trailer],
    ['has a trailer twice', '0\r\na:b\r\nA:c\r\n\r\n', trailer],
    ['has eleven trailers', `0\r\n${manyTrailers(11)}\r\n`, trailer],
    ['has a small first chunk', `${chunk('a')}${chunk('b')}0\r\n\r\n`, small(1, 1)],
    ['has a chunk of one byte less', `${chunk(kilobytes(8).slice(1))}${chunk('b')}0\r\n\r\n`, small(1, 8191)],
    ['has a small second chunk', `${chunk(kilobytes(8))}${chunk('a')}${chunk('b')}0\r\n\r\n`, small(2, 1)],
  ])('is refused if it %s', async (_, text, refusal) => {
    for (const pieceBytes of [text.length || 1, 1, 1000]) expect(await decodeUnsigned(text, pieceBytes)).toBe(refusal);
  });

  test('is refused at the first line above the maximum, before more of it arrives', async () => {
    async function* endless() {
      yield Buffer.from(`0\r\n${'a'.repeat(1025)}`);
      throw new Error('read more');
    }
    const read = async () => {
      for await (const _ of decodeAwsChunked(endless(), new Map(), undefined));
    };
    await expect(read()).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('the trailers of a signed body', () => {
  const request = { ...scope, amz_date: '20130524T000000Z', signature: seeds.plain } as PresentedSignature;
  const key = signingKey({ secret_access_key: secret }, scope);
  /** Signs the trailers as the documentation describes: the lines in the order of their names. */
  const signed = (lines: string) => {
    const digest = createHash('sha256').update(lines).digest('hex');
    const parts = [
      'AWS4-HMAC-SHA256-TRAILER',
      request.amz_date,
      '20130524/us-east-1/s3/aws4_request',
      seeds.plain,
      digest,
    ];
    return createHmac('sha256', key).update(parts.join('\n')).digest('hex');
  };
  const outcome = (trailers: Record<string, string>, hasTrailers: boolean) => {
    const left = new Map(Object.entries(trailers));
    try {
      new ChunkSignatures(request, key, hasTrailers).endTrailers(left);
      return [...left.keys()].join();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return error.code;
    }
  };
  const name = 'x-amz-trailer-signature';
  test.each<[string, Record<string, string>, boolean, string]>([
    ['that were not announced are absent', {}, false, ''],
    ['that were announced are required', {}, true, 'malformed_trailer'],
    ['that were not announced are refused', { a: 'b' }, false, 'malformed_trailer'],
    ['without a signature are refused', { a: 'b' }, true, 'malformed_trailer'],
    [
      'are verified in the order of their names',
      { b: '2', a: '1', c: '3', [name]: signed('a:1\nb:2\nc:3\n') },
      true,
      'b,a,c',
    ],
    ['are verified if they are in order', { a: '1', b: '2', [name]: signed('a:1\nb:2\n') }, true, 'a,b'],
    ['are refused with another signature', { a: '1', [name]: signed('a:2\n') }, true, 'signature_mismatch'],
    ['are refused with a short signature', { a: '1', [name]: signed('a:1\n').slice(2) }, true, 'signature_mismatch'],
    ['are refused with a longer signature', { a: '1', [name]: `${signed('a:1\n')}00` }, true, 'signature_mismatch'],
    ['are refused with an empty signature', { a: '1', [name]: '' }, true, 'signature_mismatch'],
  ])('%s', (_, trailers, hasTrailers, expected) => {
    expect(outcome(trailers, hasTrailers)).toBe(expected);
  });
});
