import { createHash, createHmac, hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../domain/errors.ts';
import type { PresentedSignature } from './presented-signature.ts';
import { formatScope } from './sign.ts';

/** The maximum length of a line between chunks: a size, a signature of 64 digits, or a trailer. */
const lineBytesMax = 1024;
const trailersMax = 10;
/** Minimum size of a body chunk. As in S3, only the last chunk may be smaller. */
const chunkBytesMin = 8192;

/**
 * Decodes `aws-chunked` framing (AWS Signature Version 4, "Signature calculations: transferring payload in multiple
 * chunks"). Yields the payload as it arrives, even parts of a chunk. A chunk's signature is checked only at the end of
 * the chunk. If this function throws, the caller must therefore discard the bytes that it received. After the last
 * byte, the function fills `trailers`, by lower-case name.
 *
 * Throws ServiceError `incomplete_body`, `invalid_request`, `invalid_chunk_size`, `malformed_trailer`, and the errors
 * of `signatures`.
 */
export async function* decodeAwsChunked(
  source: AsyncIterable<Uint8Array>,
  trailers: Map<string, string>,
  signatures: ChunkSignatures | undefined,
): AsyncGenerator<Uint8Array, void, void> {
  const reader = new LineReader(source);
  let chunkNumber = 0;
  let previousBytes = chunkBytesMin;
  for (;;) {
    const { sizeBytes, signature } = readChunkHead(await reader.line());
    if (sizeBytes > 0 && previousBytes < chunkBytesMin) throw chunkTooSmall(chunkNumber, previousBytes);
    signatures?.begin(signature);
    for await (const piece of reader.take(sizeBytes)) {
      signatures?.update(piece);
      yield piece;
    }
    signatures?.end();
    if (sizeBytes === 0) break;
    if ((await reader.line()) !== '') throw malformed();
    previousBytes = sizeBytes;
    chunkNumber += 1;
  }
  await readTrailers(reader, trailers);
  signatures?.endTrailers(trailers);
}

function readChunkHead(line: string | undefined): { sizeBytes: number; signature: string | undefined } {
  if (line === undefined) throw incompleteBody();
  const [, size, signature] = /^([0-9A-Fa-f]{1,10})(?:;chunk-signature=([0-9a-f]{64}))?$/.exec(line) ?? [];
  if (size === undefined) throw malformed();
  return { sizeBytes: Number.parseInt(size, 16), signature };
}

async function readTrailers(reader: LineReader, trailers: Map<string, string>): Promise<void> {
  // Accept the end of the body here, because some clients omit the empty line after the last trailer.
  for (let line = await reader.line(); line !== undefined && line !== ''; line = await reader.line()) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    if (name === '' || trailers.has(name) || trailers.size === trailersMax) throw malformedTrailer();
    trailers.set(name, line.slice(colon + 1).trim());
  }
  if ((await reader.line()) !== undefined) throw malformed();
}

export function malformedTrailer(): ServiceError {
  return new ServiceError('malformed_trailer', 'The trailer after the last chunk does not match x-amz-trailer.');
}

function malformed(): ServiceError {
  return new ServiceError('invalid_request', 'The aws-chunked request body is not well formed.');
}

export function incompleteBody(): ServiceError {
  return new ServiceError(
    'incomplete_body',
    'The request body is not as long as the request says; send it again whole.',
  );
}

function chunkTooSmall(number: number, sizeBytes: number): ServiceError {
  return new ServiceError(
    'invalid_chunk_size',
    `Chunk ${number} has ${sizeBytes} bytes; only the last chunk may have fewer than ${chunkBytesMin}.`,
  );
}

class LineReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #held: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Returns the next line of the body without its line break. Returns undefined at the end of the body. */
  async line(): Promise<string | undefined> {
    for (;;) {
      const end = this.#held.indexOf(0x0a);
      if (end > lineBytesMax || (end < 0 && this.#held.length > lineBytesMax)) throw malformed();
      if (end >= 0) {
        const line = this.#held.toString('latin1', 0, end);
        this.#held = this.#held.subarray(end + 1);
        return line.endsWith('\r') ? line.slice(0, -1) : line;
      }
      const more = await this.#next();
      if (more === undefined) {
        if (this.#held.length === 0) return undefined;
        throw incompleteBody();
      }
      this.#held = Buffer.concat([this.#held, more]);
    }
  }

  async *take(sizeBytes: number): AsyncGenerator<Buffer, void, void> {
    let missing = sizeBytes;
    while (missing > 0) {
      if (this.#held.length === 0) {
        const more = await this.#next();
        if (more === undefined) throw incompleteBody();
        this.#held = more;
      }
      const piece = this.#held.subarray(0, missing);
      this.#held = this.#held.subarray(piece.length);
      missing -= piece.length;
      yield piece;
    }
  }

  async #next(): Promise<Buffer | undefined> {
    const { done, value } = await this.#source.next();
    return done === true ? undefined : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
}

const trailerSignatureName = 'x-amz-trailer-signature';

/**
 * Verifies the signatures of a body's chunks. Each signature covers the hash of its chunk and the previous signature.
 * The signature of the first chunk covers the signature of the request instead (AWS Signature Version 4, payload modes
 * STREAMING-AWS4-HMAC-SHA256-PAYLOAD and -TRAILER). All methods throw ServiceError `signature_mismatch`, also for a
 * chunk without a signature.
 */
export class ChunkSignatures {
  readonly #key: KeyObject;
  readonly #amzDate: string;
  readonly #scope: string;
  readonly #hasTrailers: boolean;
  #previous: string;
  #presented: string | undefined;
  #chunk = createHash('sha256');

  /** @param key the signing key of the request */
  constructor(request: PresentedSignature, key: KeyObject, hasTrailers: boolean) {
    const { amz_date, signature } = request;
    this.#scope = formatScope(request);
    this.#key = key;
    this.#amzDate = amz_date;
    this.#previous = signature;
    this.#hasTrailers = hasTrailers;
  }

  begin(signature: string | undefined): void {
    this.#presented = signature;
    this.#chunk = createHash('sha256');
  }

  update(bytes: Uint8Array): void {
    this.#chunk.update(bytes);
  }

  end(): void {
    this.#verify(
      'AWS4-HMAC-SHA256-PAYLOAD',
      [hash('sha256', '', 'hex'), this.#chunk.digest('hex')].join('\n'),
      this.#presented,
    );
  }

  /** Verifies the trailers of a body, and removes their signature from the map. */
  endTrailers(trailers: Map<string, string>): void {
    const signature = trailers.get(trailerSignatureName);
    if (!trailers.delete(trailerSignatureName)) {
      if (this.#hasTrailers || trailers.size > 0) throw malformedTrailer();
      return;
    }
    const lines = [...trailers.keys()].sort().map((name) => `${name}:${trailers.get(name)}\n`);
    this.#verify('AWS4-HMAC-SHA256-TRAILER', hash('sha256', lines.join(''), 'hex'), signature);
  }

  #verify(algorithm: string, hashes: string, presented: string | undefined): void {
    const expected = createHmac('sha256', this.#key)
      .update([algorithm, this.#amzDate, this.#scope, this.#previous, hashes].join('\n'))
      .digest();
    const given = Buffer.from(presented ?? '', 'hex');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw new ServiceError(
        'signature_mismatch',
        'The signature of a chunk does not match; check that nothing changes the body on its way.',
      );
    }
    this.#previous = expected.toString('hex');
  }
}
