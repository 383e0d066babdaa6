const mebibyte = 1024 * 1024;

/** Smaller ones go in one request. Storage takes no smaller part but the last. */
export const partBytesMin = 8 * mebibyte;

/** S3 takes 10,000; the document that completes an upload may hold 1 MB, which is some 7,000 of them with their checksums. */
const partsMax = 5000;

/** S3's largest object. */
export const fileBytesMax = 5 * 1024 * 1024 * mebibyte;

/** How large the parts of a file are: as small as can be, since a part that a cut line took is sent again. 250 GB: 48 MiB. */
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
