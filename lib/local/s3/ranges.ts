import { ObjectStoreError } from './errors.ts';
import type { ObjectRecord } from './files/records.ts';

/** Some bytes of an object, with their response headers. */
export interface Selection {
  status: 200 | 206;
  first: number;
  sizeBytes: number;
  headers: Readonly<Record<string, string>>;
  /** Checksum of the selected bytes, if known. */
  checksum: string | undefined;
}

/**
 * Selects by the header Range: one range with two ends, one end, or a suffix. Like S3, it ignores invalid ranges and
 * lists of ranges. Throws InvalidRange when the object has no byte of the range.
 */
export function selectRange(record: ObjectRecord, range: string | undefined): Selection {
  const size = record.size_bytes;
  const whole: Selection = { status: 200, first: 0, sizeBytes: size, headers: {}, checksum: record.checksum?.value };
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(range?.trim() ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return whole;
  if (from !== '' && to !== '' && Number(from) > Number(to)) return whole;
  const first = from === '' ? Math.max(size - Number(to), 0) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (first > last) {
    throw new ObjectStoreError('InvalidRange', 'The requested range is not satisfiable', {
      details: { RangeRequested: range ?? '', ActualObjectSize: String(size) },
      headers: { 'content-range': `bytes */${size}` },
    });
  }
  // Clients would compare the checksum of the whole object with the part.
  return { status: 206, ...selected(first, last - first + 1, size), checksum: undefined };
}

/** Selects by the query parameter partNumber. An object that was uploaded whole has one part. */
export function selectPart(record: ObjectRecord, partNumber: number): Selection {
  const part = record.segments[partNumber - 1];
  if (part === undefined) {
    throw new ObjectStoreError('InvalidPartNumber', 'The requested partnumber is not satisfiable', {
      details: { PartNumberRequested: String(partNumber), ActualPartCount: String(record.segments.length) },
    });
  }
  const first = record.segments.slice(0, partNumber - 1).reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  const range = selected(first, part.size_bytes, record.size_bytes);
  const count = record.is_multipart ? { 'x-amz-mp-parts-count': String(record.segments.length) } : {};
  return { status: 206, ...range, headers: { ...range.headers, ...count }, checksum: part.checksum };
}

function selected(first: number, sizeBytes: number, objectBytes: number) {
  // An empty object has no content range.
  const headers: Record<string, string> =
    sizeBytes === 0 ? {} : { 'content-range': `bytes ${first}-${first + sizeBytes - 1}/${objectBytes}` };
  return { first, sizeBytes, headers };
}

/** Selects by the header x-amz-copy-source-range, which has two ends inside the object. Throws InvalidArgument. */
export function selectCopyRange(record: ObjectRecord, range: string | undefined): { first: number; sizeBytes: number } {
  if (range === undefined) return { first: 0, sizeBytes: record.size_bytes };
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
  if (from === undefined || Number(from) > Number(to)) {
    throw invalidCopyRange(
      'The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy',
      range,
    );
  }
  if (Number(to) >= record.size_bytes) {
    throw invalidCopyRange(`Range specified is not valid for source object of size: ${record.size_bytes}`, range);
  }
  return { first: Number(from), sizeBytes: Number(to) - Number(from) + 1 };
}

function invalidCopyRange(message: string, range: string): ObjectStoreError {
  return new ObjectStoreError('InvalidArgument', message, {
    details: { ArgumentName: 'x-amz-copy-source-range', ArgumentValue: range },
  });
}
