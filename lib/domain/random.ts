/** Randomness as a dependency: cryptographic in the service, fixed where a test needs to know the outcome. */
export interface RandomSource {
  /** A random (version 4) UUID in lower case. */
  uuid(): string;
  bytes(length: number): Uint8Array;
}
