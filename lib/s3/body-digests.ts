import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { HeaderFields } from '../domain/data/decision.ts';

/** Those that Node can make; of a body that is sent with another, the signature is all that holds it. */
const digests: Readonly<Record<string, (body: Uint8Array) => string>> = {
  'content-md5': (body) => hash('md5', body, 'base64'),
  'x-amz-checksum-sha1': (body) => hash('sha1', body, 'base64'),
  'x-amz-checksum-sha256': (body) => hash('sha256', body, 'base64'),
  'x-amz-checksum-crc32': (body) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(crc32(body));
    return bytes.toString('base64');
  },
};

/** The code of S3's refusal of a body that does not have the digests in its headers; undefined for one that has. */
export function findDigestError(headers: HeaderFields, body: Uint8Array): string | undefined {
  for (const [name, digest] of Object.entries(digests)) {
    const sent = headers[name];
    if (sent === undefined) continue;
    const right = digest(body);
    if (sent === right) continue;
    if (sent.length === right.length) return 'BadDigest';
    return name === 'content-md5' ? 'InvalidDigest' : 'InvalidRequest';
  }
  return undefined;
}
