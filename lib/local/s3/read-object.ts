import { attributeHeaders } from './attributes.ts';
import type { ObjectRecord } from './bucket.ts';
import { checksumHeaders } from './checksums.ts';
import { isNotModified, parseHttpDate } from './conditions.ts';
import { invalidArgument, invalidRequest, ObjectStoreError } from './errors.ts';
import type { Call, StoreResponse } from './operation.ts';
import { integerParameter } from './request.ts';
import { loadObject, versionHeader } from './versions.ts';

const overrides = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
];

/**
 * Implements GetObject and HeadObject, which differ only in the response body. Checks first the key, then the
 * conditions, then the range.
 */
export function readObject(call: Call): StoreResponse {
  const { request, bucket } = call;
  const { headers } = request;
  const record = loadObject(call);
  const version = versionHeader(bucket, record);
  if (isNotModified(headers, record)) return { status: 304, headers: { ...validators(record), ...version } };
  const { status, first, sizeBytes, ...selection } = select(call, record);
  const isChecksumWanted = headers['x-amz-checksum-mode']?.toUpperCase() === 'ENABLED';
  const checksum = selection.checksum && record.checksum && { ...record.checksum, value: selection.checksum };
  return {
    status,
    headers: {
      ...validators(record),
      ...version,
      ...attributeHeaders(record),
      ...readOverrides(request.query),
      'accept-ranges': 'bytes',
      'content-length': String(sizeBytes),
      ...selection.headers,
      ...checksumHeaders(isChecksumWanted && checksum ? checksum : undefined),
    },
    ...(request.method === 'HEAD' ? {} : { body: bucket.read(record, first, sizeBytes) }),
  };
}

function select({ request: { headers, query } }: Call, record: ObjectRecord): Selection {
  if (query.has('partNumber')) {
    if (headers['range'] !== undefined) {
      throw invalidRequest('Cannot specify both Range header and partNumber query parameter');
    }
    return selectPart(record, integerParameter(query, 'partNumber', { fallback: 1, min: 1, max: 10_000 }));
  }
  return selectRange(record, isRangeWanted(headers['if-range'], record) ? headers['range'] : undefined);
}

/**
 * Returns true if the Range header applies. If the ETag or date in If-Range belongs to another version, the response is
 * the complete object (RFC 9110, section 13.1.5).
 */
function isRangeWanted(ifRange: string | undefined, record: ObjectRecord): boolean {
  return ifRange === undefined || ifRange === `"${record.etag}"` || parseHttpDate(ifRange) === record.last_modified;
}

function validators(record: ObjectRecord): Record<string, string> {
  return { etag: `"${record.etag}"`, 'last-modified': new Date(record.last_modified).toUTCString() };
}

function readOverrides(query: ReadonlyMap<string, string>): Record<string, string> {
  const chosen: Record<string, string> = {};
  for (const name of overrides) {
    const value = query.get(`response-${name}`);
    if (value === undefined) continue;
    // Reject control characters. With a line end in this parameter, the author of a link could add headers to the
    // response.
    if (/[\u0000-\u001f\u007f]/.test(value)) {
      throw invalidArgument('The response header value must not hold control characters.', `response-${name}`);
    }
    chosen[name] = Buffer.from(value, 'utf8').toString('latin1');
  }
  return chosen;
}

/** The selected bytes of an object, with the response headers for them. */
interface Selection {
  status: 200 | 206;
  first: number;
  sizeBytes: number;
  headers: Readonly<Record<string, string>>;
  /** The checksum of the selected bytes, if it is known. */
  checksum: string | undefined;
}

/**
 * Selects the bytes that the Range header requests. The header contains one range, with two ends, with one end, or as a
 * suffix.
 * Like S3, ignores an invalid range and a list of ranges. Throws InvalidRange when the object has no byte of the range.
 */
function selectRange(record: ObjectRecord, range: string | undefined): Selection {
  const size = record.size_bytes;
  const whole: Selection = { status: 200, first: 0, sizeBytes: size, headers: {}, checksum: record.checksum?.value };
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(range?.trim() ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return whole;
  if (from !== '' && to !== '' && Number(from) > Number(to)) return whole;
  const first = from === '' ? Math.max(size - Number(to), 0) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (first > last) {
    const details = { RangeRequested: range ?? '', ActualObjectSize: String(size) };
    const headers = { 'content-range': `bytes */${size}` };
    throw new ObjectStoreError('InvalidRange', 'The requested range is not satisfiable', details, headers);
  }
  // Return no checksum with a part of the object. Clients would compare the checksum of the whole object with the part.
  return { status: 206, ...selected(first, last - first + 1, size), checksum: undefined };
}

/** Selects the bytes of the part in the query parameter `partNumber`. An object from a single upload has one part. */
function selectPart(record: ObjectRecord, partNumber: number): Selection {
  const parts = record.parts ?? [{ size_bytes: record.size_bytes, checksum: record.checksum?.value }];
  const part = parts[partNumber - 1];
  if (part === undefined) {
    throw new ObjectStoreError('InvalidPartNumber', 'The requested partnumber is not satisfiable', {
      PartNumberRequested: String(partNumber),
      ActualPartCount: String(parts.length),
    });
  }
  const first = parts.slice(0, partNumber - 1).reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  const range = selected(first, part.size_bytes, record.size_bytes);
  const count: Record<string, string> = record.parts ? { 'x-amz-mp-parts-count': String(parts.length) } : {};
  return { status: 206, ...range, headers: { ...range.headers, ...count }, checksum: part.checksum };
}

function selected(first: number, sizeBytes: number, objectBytes: number) {
  // Omit Content-Range for an empty object, because the header cannot describe zero bytes.
  const headers: Record<string, string> =
    sizeBytes === 0 ? {} : { 'content-range': `bytes ${first}-${first + sizeBytes - 1}/${objectBytes}` };
  return { first, sizeBytes, headers };
}

/**
 * Selects the bytes in the header `x-amz-copy-source-range`. The range must have two ends, both inside the object.
 * Throws InvalidArgument.
 */
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
  return invalidArgument(message, 'x-amz-copy-source-range', range);
}
