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
 * Returns the format of a file by its key: the extension in lower case, such as `csv`. The extension before a
 * compression counts, so `a.csv.gz` is `csv`. Files in a Zarr array are `zarr`.
 */
export function formatOf(key: string): string {
  if (/\.zarr\//i.test(key)) return 'zarr';
  const name = key.slice(key.lastIndexOf('/') + 1);
  const [last = '', before = ''] = name.toLowerCase().split('.').slice(1).reverse();
  const isCompressed = compressions.has(last) && isExtension(before);
  const extension = isCompressed ? before : last;
  return isExtension(extension) ? (sameFormats.get(extension) ?? extension) : otherFormat;
}

/** Returns true for a text that can be an extension. A number is part of a name, as in `v1.2`. */
function isExtension(text: string): boolean {
  return /^(?!\d+$)[a-z0-9]{1,12}$/.test(text);
}
