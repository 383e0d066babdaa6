const mebibyte = 1024 * 1024;

/**
 * The smallest part size. Smaller files are uploaded in one request. S3 requires parts of at least 5 MiB, except for
 * the last part.
 */
export const partBytesMin = 8 * mebibyte;

/**
 * The maximum number of parts of an upload. S3 accepts 10,000, but the completion request is limited to 1 MB, which is
 * enough for about 7,000 parts with checksums.
 */
const partsMax = 5000;

/** The size of the largest object that S3 accepts. */
export const fileBytesMax = 5 * 1024 * 1024 * mebibyte;

/**
 * Returns the part size for a file, for example 48 MiB for 250 GB. Parts are as small as possible, because a lost
 * connection loses the progress of a whole part.
 */
export function partBytesOf(fileBytes: number): number {
  return Math.max(partBytesMin, Math.ceil(fileBytes / partsMax / mebibyte) * mebibyte);
}

export interface PartRange {
  number: number;
  start: number;
  end: number;
}

export function partsOf(fileBytes: number, partBytes: number): PartRange[] {
  const count = Math.max(1, Math.ceil(fileBytes / partBytes));
  return Array.from({ length: count }, (_, index) => ({
    number: index + 1,
    start: index * partBytes,
    end: Math.min(fileBytes, (index + 1) * partBytes),
  }));
}
