import { crc32 } from 'node:zlib';
import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { send } from '../lib/local/http-client.ts';
import { signedChunks } from '../lib/sigv4/signed-chunks.ts';
import { signWithSmithy } from '../lib/sigv4/signed-request.ts';
import { s3Client, signIn } from '../service/data-clients.ts';
import { seededService } from '../service/seeded-service.ts';

const service = await seededService();
const credentials = await signIn(service, service.key);
const s3 = s3Client(service, credentials);

interface Upload {
  key: string;
  pieces: readonly string[];
  trailer?: readonly [name: string, value: string];
  decodedBytes?: number;
  change?: (body: string) => string;
  headers?: Record<string, string>;
}

async function upload({ key, pieces, trailer, decodedBytes, change = (body) => body, headers = {} }: Upload) {
  const { host, port } = new URL(service.dataUrl);
  const { accessKeyId, secretAccessKey, sessionToken = '' } = credentials;
  const signed = await signWithSmithy(
    {
      method: 'PUT',
      host,
      path: `/tide-institute/raw-drafts/${key}`,
      headers: {
        'x-amz-content-sha256': `STREAMING-AWS4-HMAC-SHA256-PAYLOAD${trailer === undefined ? '' : '-TRAILER'}`,
        'x-amz-decoded-content-length': String(decodedBytes ?? pieces.join('').length),
        'content-encoding': 'aws-chunked',
        ...(trailer === undefined ? {} : { 'x-amz-trailer': trailer[0] }),
        ...headers,
      },
    },
    { accessKeyId, secretAccessKey, sessionToken, signedAt: Date.now() },
  );
  const body = Buffer.from(change(signedChunks(signed.headers, secretAccessKey, pieces, trailer)), 'latin1');
  const answer = await send(Number(port), { method: 'PUT', path: signed.rawPath, headers: signed.headers, body });
  return { status: answer.status, code: /<Code>(\w+)/.exec(answer.body.toString())?.[1] };
}

const at = (key: string) => ({ Bucket: 'tide-institute', Key: `raw-drafts/${key}` });
const block = 'tide'.repeat(16_384);
// The body is larger than the edge's buffer, so the edge calls the function before it has the whole body.
const long = Array.from({ length: 40 }, () => block);

describe('an upload in signed chunks', () => {
  it.each([
    ['nothing', []],
    ['one chunk', ['tail']],
    ['two chunks', [block, 'tail']],
    ['more than a function sees', long],
  ])('of %s is stored without the chunk framing', async (name, pieces) => {
    const key = `plain/${name}`;
    expect(await upload({ key, pieces, headers: { 'content-encoding': 'gzip,aws-chunked' } })).toEqual({ status: 200 });
    const got = await s3.send(new GetObjectCommand(at(key)));
    expect(got.ContentEncoding).toBe('gzip');
    expect(await got.Body?.transformToString('latin1')).toBe(pieces.join(''));
  });

  it.each([
    ['short', ['tail']],
    ['long', [...long, 'tail']],
  ])('passes the checksum in its trailer to storage: %s', async (name, pieces) => {
    const value = crc32Base64(pieces.join(''));
    const trailer = ['x-amz-checksum-crc32', value] as const;
    expect(await upload({ key: `trailing/${name}`, pieces, trailer })).toEqual({ status: 200 });
    const head = await s3.send(new HeadObjectCommand({ ...at(`trailing/${name}`), ChecksumMode: 'ENABLED' }));
    expect(head).toMatchObject({ ChecksumCRC32: value, ContentLength: pieces.join('').length });
  });

  const wrongSignature = (body: string) => body.replace(/(.*);chunk-signature=.{8}/s, '$1;chunk-signature=00000000');
  const changed = (from: string | RegExp, to: string) => (body: string) => body.replace(from, to);
  const crc = (value: string) => ['x-amz-checksum-crc32', value] as const;
  const announced = { 'x-amz-trailer': 'x-amz-meta-a' };
  it.each<[string, Omit<Upload, 'key'>, number, string]>([
    ['a changed byte', { pieces: ['tail'], change: changed('tail', 'tale') }, 403, 'SignatureDoesNotMatch'],
    ['a wrong signature at the very end', { pieces: ['tail'], change: wrongSignature }, 403, 'SignatureDoesNotMatch'],
    ['a wrong signature after megabytes', { pieces: long, change: wrongSignature }, 403, 'SignatureDoesNotMatch'],
    ['a changed byte early', { pieces: long, change: changed('\r\ntide', '\r\nedit') }, 403, 'SignatureDoesNotMatch'],
    ['less than its length', { pieces: [block, 'tail'], decodedBytes: 65_541 }, 400, 'IncompleteBody'],
    ['more than its length', { pieces: [block, 'tail'], decodedBytes: 65_539 }, 400, 'IncompleteBody'],
    ['an end in the middle', { pieces: long, change: (body) => body.slice(0, 2_000_000) }, 400, 'IncompleteBody'],
    ['an end before the last chunk', { pieces: ['tail'], change: changed(/0;.*/s, '') }, 400, 'IncompleteBody'],
    ['a checksum of other bytes', { pieces: ['tail'], trailer: crc('AAAAAA==') }, 400, 'BadDigest'],
    [
      'a trailer that nobody announced',
      { pieces: ['tail'], trailer: crc(crc32Base64('tail')), headers: announced },
      400,
      'MalformedTrailerError',
    ],
  ])('with %s is refused and leaves no object', async (name, sent, status, code) => {
    const key = `refused/${name}`;
    expect(await upload({ key, ...sent })).toEqual({ status, code });
    await expect(s3.send(new HeadObjectCommand(at(key)))).rejects.toMatchObject({ name: 'NotFound' });
  });
});

function crc32Base64(text: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(Buffer.from(text, 'latin1')));
  return bytes.toString('base64');
}
