const sameFormats: ReadonlyMap<string, string> = new Map([
  ['htm', 'html'],
  ['jpeg', 'jpg'],
  ['tiff', 'tif'],
  ['yaml', 'yml'],
]);
const compressions: ReadonlySet<string> = new Set(['bz2', 'gz', 'xz', 'zst']);

/** The format of files without a usual extension. */
export const otherFormat = 'other';

/**
 * Returns the format of a file: the extension of its key in lower case, such as `csv`. An extension for compression is
 * ignored, so `a.csv.gz` has the format `csv`. Files in a Zarr array have the format `zarr`.
 */
export function formatOf(key: string): string {
  if (/\.zarr\//i.test(key)) return 'zarr';
  const name = key.slice(key.lastIndexOf('/') + 1);
  const [last = '', before = ''] = name.toLowerCase().split('.').slice(1).reverse();
  const isCompressed = compressions.has(last) && isExtension(before);
  const extension = isCompressed ? before : last;
  return isExtension(extension) ? (sameFormats.get(extension) ?? extension) : otherFormat;
}

/** Returns true if a text can be the extension of a file. A number is part of a name, as in `v1.2`. */
function isExtension(text: string): boolean {
  return /^(?!\d+$)[a-z0-9]{1,12}$/.test(text);
}
