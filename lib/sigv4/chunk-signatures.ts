import { createHash, createHmac, hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../domain/errors.ts';
import { malformedTrailer } from './aws-chunked.ts';
import type { PresentedSignature } from './presented-signature.ts';
import { formatScope } from './signing-key.ts';

const trailerSignatureName = 'x-amz-trailer-signature';

/**
 * Verifies the signatures of a body's chunks. Each signature covers its chunk's hash and the previous signature,
 * beginning with the request's signature (AWS Signature Version 4, payload modes STREAMING-AWS4-HMAC-SHA256-PAYLOAD and
 * -TRAILER). All methods throw ServiceError `signature_mismatch`, also for a chunk without a signature.
 */
export class ChunkSignatures {
  readonly #key: KeyObject;
  readonly #amzDate: string;
  readonly #scope: string;
  readonly #hasTrailers: boolean;
  #previous: string;
  #presented: string | undefined;
  #chunk = createHash('sha256');

  /** @param key the key that signed the request */
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

  /** Verifies the trailers and removes their signature from the map. */
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
      throw new ServiceError(
        'signature_mismatch',
        'The signature of a chunk does not match; check that nothing changes the body on its way.',
      );
    }
    this.#previous = expected.toString('hex');
  }
}
