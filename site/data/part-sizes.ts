const mebibyte = 1024 * 1024;

/** Smaller files are uploaded in one request. S3 accepts smaller parts only at the end. */
export const partBytesMin = 8 * mebibyte;

/** S3 accepts 10,000 parts. The completion document may have 1 MB, which is about 7,000 parts with checksums. */
const partsMax = 5000;

/** The largest object of S3. */
export const fileBytesMax = 5 * 1024 * 1024 * mebibyte;

/** Returns the part size of a file. It is small, because a lost connection costs a whole part. 250 GB: 48 MiB. */
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
