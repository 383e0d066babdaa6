/** What is stored with a record, so that whoever changes it can say which state of it they have read. */
export interface Versioned {
  /** Raised by every change through the API, and by nothing else. Absent where an older release wrote it. */
  version?: number | undefined;
}

/** Of what carries none; the migration writes the same down. */
export const versionOfOlder = 1;

export function versionOf({ version = versionOfOlder }: Versioned): number {
  return version;
}

export function nextVersion(read: Versioned): number {
  return versionOf(read) + 1;
}

/**
 * Of a thing that may be made again under the name of a deleted one: the millisecond of its creation, which no version of
 * that one can have come to, since a change takes longer than a millisecond. A whole number by any clock.
 */
export function firstVersionAt(now: number): number {
  return Math.floor(now);
}
