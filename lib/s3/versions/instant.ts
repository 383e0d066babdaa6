/** An object version or a delete marker, as the storage lists it. */
export interface ListedVersion {
  key: string;
  version_id: string;
  /** The time that the storage reports for an object version, in milliseconds since the Unix epoch. */
  modified: number;
  /** The size and the ETag without quotes. Undefined for a delete marker. */
  object: { size: number; etag: string } | undefined;
}

/**
 * The instant of a freeze, by the clock of the storage. The freeze wrote a marker object at `a`, listed the unfinished
 * uploads, and wrote a second marker at `b`.
 */
export interface Instant {
  a: number;
  b: number;
  /** The names of the uploads that were unfinished between the two markers, as `uploadName` returns them. */
  uploads: ReadonlySet<string>;
}

/** Names an upload by its key and the time at which it began. S3 dates the finished object by this time. */
export function uploadName(key: string, initiated: number): string {
  return `${wholeSeconds(initiated)} ${key}`;
}

/**
 * Returns true if an object version existed at the instant of the freeze. A version from a single request counts if it
 * is older than the second marker.
 *
 * S3 dates a multipart object by the beginning of its upload, so the date does not show when the upload was completed.
 * A multipart object therefore counts only if its upload began before the first marker and was not in progress after
 * that marker.
 */
export function existedAt({ key, modified, object }: ListedVersion, { a, b, uploads }: Instant): boolean {
  const isMultipart = object !== undefined && /-\d+$/.test(object.etag);
  if (!isMultipart) return wholeSeconds(modified) < b;
  return wholeSeconds(modified) < a && !uploads.has(uploadName(key, modified));
}

/**
 * Rounds a time down to whole seconds. Some storage services list times with milliseconds, but send whole seconds with
 * an object.
 */
export function wholeSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000) * 1000;
}
