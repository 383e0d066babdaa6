import { ObjectStoreError } from './errors.ts';
import type { ObjectRecord } from './files/records.ts';

/** Some bytes of an object, and what the answer says about them. */
export interface Selection {
  status: 200 | 206;
  first: number;
  sizeBytes: number;
  headers: Readonly<Record<string, string>>;
  /** Of the selected bytes, where one is known. */
  checksum: string | undefined;
}

/**
 * The header Range: one range, with both ends, open, or a suffix. What cannot be read as one is ignored, several ranges
 * too, as S3 does. Throws InvalidRange when no byte of the object is in it.
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
  // A checksum of the whole beside a part of it would make clients refuse what they got.
  return { status: 206, ...selected(first, last - first + 1, size), checksum: undefined };
}

/** The query parameter partNumber: the bytes that came in that part; an object that came whole has one. */
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
  // An empty object has no range to name.
  const headers: Record<string, string> =
    sizeBytes === 0 ? {} : { 'content-range': `bytes ${first}-${first + sizeBytes - 1}/${objectBytes}` };
  return { first, sizeBytes, headers };
}

/** The header x-amz-copy-source-range: both ends, inside the object. Throws InvalidArgument. */
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
