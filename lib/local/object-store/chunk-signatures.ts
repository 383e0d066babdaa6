import { createHash, createHmac, hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { PresentedSignature } from '../../sigv4/presented-signature.ts';
import { formatScope, signingKey } from '../../sigv4/signing-key.ts';
import { malformedTrailer } from './aws-chunked.ts';
import { ObjectStoreError } from './errors.ts';

const trailerSignatureName = 'x-amz-trailer-signature';

/**
 * The chain of signatures over the chunks of a body: each covers its chunk's hash and the signature before it, the first
 * one that of the request (AWS Signature Version 4, payload modes STREAMING-AWS4-HMAC-SHA256-PAYLOAD and -TRAILER).
 * All of it throws SignatureDoesNotMatch, for a chunk without a signature as well.
 */
export class ChunkSignatures {
  readonly #key: KeyObject;
  readonly #amzDate: string;
  readonly #scope: string;
  readonly #hasTrailers: boolean;
  #previous: string;
  #presented: string | undefined;
  #chunk = createHash('sha256');

  constructor(request: PresentedSignature, secretAccessKey: string, hasTrailers: boolean) {
    const { amz_date, signature } = request;
    this.#scope = formatScope(request);
    this.#key = signingKey(secretAccessKey, request);
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

  /** Takes the trailers' own signature out of them. */
  endTrailers(trailers: Map<string, string>): void {
    const signature = trailers.get(trailerSignatureName);
    if (!trailers.delete(trailerSignatureName)) {
      if (this.#hasTrailers || trailers.size > 0) throw malformedTrailer();
      return;
    }
    const lines = [...trailers].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => `${name}:${value}\n`);
    this.#verify('AWS4-HMAC-SHA256-TRAILER', hash('sha256', lines.join(''), 'hex'), signature);
  }

  #verify(algorithm: string, hashes: string, presented: string | undefined): void {
    const expected = createHmac('sha256', this.#key)
      .update([algorithm, this.#amzDate, this.#scope, this.#previous, hashes].join('\n'))
      .digest();
    const given = Buffer.from(presented ?? '', 'hex');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw new ObjectStoreError(
        'SignatureDoesNotMatch',
        'The signature of a chunk of the body does not match; check that nothing changes the body on its way.',
      );
    }
    this.#previous = expected.toString('hex');
  }
}
