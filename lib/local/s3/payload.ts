import { createHash } from 'node:crypto';
import type { HeaderFields } from '../../domain/data/decision.ts';
import { ChunkSignatures, decodeAwsChunked, malformedTrailer } from '../../sigv4/aws-chunked.ts';
import type { PresentedSignature } from '../../sigv4/presented-signature.ts';
import { type SecretHolder, signingKey } from '../../sigv4/sign.ts';
import { type ChecksumAlgorithm, checksumHeader, createChecksum, findChecksum } from './checksums.ts';
import { invalidArgument, invalidRequest, notImplemented, ObjectStoreError } from './errors.ts';

/** The maximum size of the body of one PutObject or UploadPart request. */
export const payloadBytesMax = 5 * 1024 ** 3;

/** A request body whose signature and checksums are not checked yet. */
export interface SignedBody {
  headers: HeaderFields;
  signature: PresentedSignature;
  credentials: SecretHolder;
  /** Starts reading the body. A client that waits for `100 Continue` sends the body only after this call. */
  chunks: () => AsyncIterable<Uint8Array>;
}

export interface ReceivedPayload {
  sizeBytes: number;
  md5: Buffer;
  /** The checksum that the client sent, in base64. It was compared with the body. */
  checksum: { algorithm: ChecksumAlgorithm; value: string } | undefined;
}

/**
 * Streams the decoded body to `sink`, and then compares the body with the request: its length, `x-amz-content-sha256`,
 * chunk signatures, `Content-MD5`, and `x-amz-checksum-*`. Throws at the first difference. `sink` has received the
 * bytes by then, and must delete them.
 */
export async function receivePayload(
  body: SignedBody,
  sink: (chunks: AsyncIterable<Uint8Array>) => Promise<void>,
  bytesMax = payloadBytesMax,
): Promise<ReceivedPayload> {
  const { headers } = body;
  const mode = readPayloadMode(body.signature.payload_hash ?? '');
  const sizeBytes = readSize(headers, mode.framing === 'aws-chunked');
  if (sizeBytes > bytesMax) throw tooLarge(sizeBytes, bytesMax);
  const contentMd5 = readContentMd5(headers['content-md5']);
  const declared = findChecksum(headers);
  const trailers = new Map<string, string>();
  const md5 = createHash('md5');
  const sha256 = mode.sha256 === undefined ? undefined : createHash('sha256');
  const checksum = declared === undefined ? undefined : createChecksum(declared.algorithm);
  let receivedBytes = 0;

  async function* observed(): AsyncGenerator<Uint8Array, void, void> {
    for await (const chunk of decode(body, mode, trailers)) {
      receivedBytes += chunk.length;
      if (receivedBytes > sizeBytes) throw wrongSize();
      md5.update(chunk);
      sha256?.update(chunk);
      checksum?.update(chunk);
      yield chunk;
    }
  }

  await sink(observed());
  if (receivedBytes !== sizeBytes) throw wrongSize();
  checkSha256(mode.sha256, sha256?.digest('hex'));
  const digest = md5.digest();
  if (contentMd5 !== undefined && !contentMd5.equals(digest)) throw badDigest('Content-MD5');
  return { sizeBytes, md5: digest, checksum: checkChecksum(declared, checksum?.digest(), trailers) };
}

/** Reads a small body into memory, such as an XML document, with the same checks as `receivePayload`. */
export async function receiveText(body: SignedBody, bytesMax: number): Promise<{ text: string } & ReceivedPayload> {
  const chunks: Uint8Array[] = [];
  const collect = async (source: AsyncIterable<Uint8Array>) => {
    for await (const chunk of source) chunks.push(chunk);
  };
  const received = await receivePayload(body, collect, bytesMax);
  return { ...received, text: Buffer.concat(chunks).toString('utf8') };
}

interface PayloadMode {
  framing: 'plain' | 'aws-chunked';
  /** The SHA-256 hash of the body in lower-case hexadecimal. */
  sha256?: string;
  chunkSigned?: 'with trailers' | 'without trailers';
}

function readPayloadMode(payloadHash: string): PayloadMode {
  if (/^[0-9a-f]{64}$/i.test(payloadHash)) return { framing: 'plain', sha256: payloadHash.toLowerCase() };
  switch (payloadHash) {
    case 'UNSIGNED-PAYLOAD':
      return { framing: 'plain' };
    case 'STREAMING-UNSIGNED-PAYLOAD-TRAILER':
      return { framing: 'aws-chunked' };
    case 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD':
      return { framing: 'aws-chunked', chunkSigned: 'without trailers' };
    case 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER':
      return { framing: 'aws-chunked', chunkSigned: 'with trailers' };
  }
  if (payloadHash.startsWith('STREAMING-')) throw notImplemented(`the payload mode ${payloadHash}`);
  throw invalidArgument(
    'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, a STREAMING- payload mode, or a valid sha256 value.',
    'x-amz-content-sha256',
    payloadHash,
  );
}

function readSize(headers: HeaderFields, isAwsChunked: boolean): number {
  const text = headers[isAwsChunked ? 'x-amz-decoded-content-length' : 'content-length'];
  if (text !== undefined && /^\d{1,15}$/.test(text)) return Number(text);
  if (!isAwsChunked && headers['transfer-encoding'] !== undefined) {
    throw new ObjectStoreError(
      'NotImplemented',
      'A header you provided implies functionality that is not implemented',
      { Header: 'Transfer-Encoding' },
    );
  }
  throw new ObjectStoreError('MissingContentLength', 'You must provide the Content-Length HTTP header.');
}

function readContentMd5(text: string | undefined): Buffer | undefined {
  if (text === undefined) return undefined;
  if (/^[A-Za-z0-9+/]{22}==$/.test(text)) return Buffer.from(text, 'base64');
  throw new ObjectStoreError('InvalidDigest', 'The Content-MD5 you specified was invalid.', { 'Content-MD5': text });
}

function decode(body: SignedBody, mode: PayloadMode, trailers: Map<string, string>): AsyncIterable<Uint8Array> {
  if (mode.framing === 'plain') return body.chunks();
  const signatures =
    mode.chunkSigned === undefined
      ? undefined
      : new ChunkSignatures(
          body.signature,
          signingKey(body.credentials, body.signature),
          mode.chunkSigned === 'with trailers',
        );
  return decodeAwsChunked(body.chunks(), trailers, signatures);
}

function checkSha256(claimed: string | undefined, computed: string | undefined): void {
  if (claimed === computed) return;
  throw new ObjectStoreError(
    'XAmzContentSHA256Mismatch',
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
    { ClientComputedContentSHA256: claimed ?? '', S3ComputedContentSHA256: computed ?? '' },
  );
}

function checkChecksum(
  declared: ReturnType<typeof findChecksum>,
  computed: Buffer | undefined,
  trailers: ReadonlyMap<string, string>,
): ReceivedPayload['checksum'] {
  if (declared === undefined || computed === undefined) return undefined;
  const { algorithm } = declared;
  const value = declared.value ?? trailers.get(checksumHeader(algorithm));
  if (value === undefined) throw malformedTrailer();
  if (value !== computed.toString('base64')) {
    if (Buffer.from(value, 'base64').length === computed.length) throw badDigest(algorithm.toUpperCase());
    throw invalidRequest(`Value for ${checksumHeader(algorithm)} header is invalid.`);
  }
  return { algorithm, value };
}

function wrongSize(): ObjectStoreError {
  return new ObjectStoreError(
    'IncompleteBody',
    'You did not provide the number of bytes specified by the Content-Length HTTP header',
  );
}

function badDigest(what: string): ObjectStoreError {
  return new ObjectStoreError('BadDigest', `The ${what} you specified did not match the calculated checksum.`);
}

function tooLarge(sizeBytes: number, bytesMax: number): ObjectStoreError {
  if (bytesMax < payloadBytesMax) {
    return new ObjectStoreError('MaxMessageLengthExceeded', 'Your request was too big.', {
      MaxMessageLengthBytes: String(bytesMax),
    });
  }
  return new ObjectStoreError('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed object size.', {
    ProposedSize: String(sizeBytes),
    MaxSizeAllowed: String(bytesMax),
  });
}
