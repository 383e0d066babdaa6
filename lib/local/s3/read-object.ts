import type { HeaderFields } from '../../domain/data/decision.ts';
import type { LocalResponse } from '../in-process-http.ts';
import { attributeHeaders } from './attributes.ts';
import { checksumHeader } from './checksums.ts';
import { isNotModified, parseHttpDate } from './conditions.ts';
import { ObjectStoreError } from './errors.ts';
import type { ObjectRecord } from './files/records.ts';
import { noSuchKey } from './keys.ts';
import type { Call } from './operation.ts';
import { type Selection, selectPart, selectRange } from './ranges.ts';
import { integerParameter } from './request.ts';

const overrides = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
];

/** Objects up to this size are read at once instead of streamed. */
const shortBytesMax = 256 * 1024;

/** GetObject and HeadObject, which differ only by the body. Checks the key, then conditions, then the range. */
export function readObject(call: Call): LocalResponse {
  const { request, bucket } = call;
  const { headers } = request;
  const record = bucket.objects.get(request.key);
  if (record === undefined) throw noSuchKey(request.key);
  if (isNotModified(headers, record)) return { status: 304, headers: validators(record) };
  const selection = select(call, record);
  const answer: LocalResponse = {
    status: selection.status,
    headers: {
      ...validators(record),
      ...attributeHeaders(record),
      ...readOverrides(request.query),
      'accept-ranges': 'bytes',
      'content-length': String(selection.sizeBytes),
      ...selection.headers,
      ...checksumHeaders(headers, record, selection),
    },
  };
  if (request.method === 'HEAD') return answer;
  const { first, sizeBytes } = selection;
  const isShort = sizeBytes <= shortBytesMax;
  return { ...answer, body: bucket.blobs[isShort ? 'readNow' : 'read'](record.segments, first, sizeBytes) };
}

function select({ request: { headers, query } }: Call, record: ObjectRecord): Selection {
  if (query.has('partNumber')) {
    if (headers['range'] !== undefined) {
      throw new ObjectStoreError('InvalidRequest', 'Cannot specify both Range header and partNumber query parameter');
    }
    return selectPart(record, integerParameter(query, 'partNumber', { fallback: 1, min: 1, max: 10_000 }));
  }
  return selectRange(record, isRangeWanted(headers['if-range'], record) ? headers['range'] : undefined);
}

/**
 * Reports whether the range applies. If-Range with another version's validator requests the whole object (RFC 9110,
 * section 13.1.5).
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
    // A line end in such a value would let the author of a link add headers.
    if (/[\u0000-\u001f\u007f]/.test(value)) {
      throw new ObjectStoreError('InvalidArgument', 'The response header value must not hold control characters.', {
        details: { ArgumentName: `response-${name}` },
      });
    }
    chosen[name] = Buffer.from(value, 'utf8').toString('latin1');
  }
  return chosen;
}

function checksumHeaders(headers: HeaderFields, record: ObjectRecord, selection: Selection): Record<string, string> {
  const { checksum } = record;
  if (headers['x-amz-checksum-mode']?.toUpperCase() !== 'ENABLED') return {};
  if (checksum === undefined || selection.checksum === undefined) return {};
  return { [checksumHeader(checksum.algorithm)]: selection.checksum, 'x-amz-checksum-type': checksum.type };
}
