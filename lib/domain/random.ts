/** A source of randomness: cryptographic in the service, fixed in tests that need a known result. */
export interface RandomSource {
  /** Returns a random (version 4) UUID in lower case. */
  uuid(): string;
  bytes(length: number): Uint8Array;
}
