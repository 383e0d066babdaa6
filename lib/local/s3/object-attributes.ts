import type { ObjectRecord } from './bucket.ts';
import { checksumElement, checksumFields } from './checksums.ts';
import { invalidArgument, invalidRequest } from './errors.ts';
import type { Call, StoreResponse } from './operation.ts';
import { integerParameter } from './request.ts';
import { loadObject, versionHeader } from './versions.ts';
import { type XmlFields, xmlResponse } from './xml.ts';

const partsPageMax = 1000;
const maxPartsHeader = 'x-amz-max-parts';
const markerHeader = 'x-amz-part-number-marker';

type Headers = Call['request']['headers'];

const attributes: Readonly<Record<string, (record: ObjectRecord, headers: Headers) => XmlFields>> = {
  // Write the ETag without quotes, as S3 does in this response.
  ETag: ({ etag }) => ({ ETag: etag }),
  Checksum: ({ checksum }) => (checksum === undefined ? {} : { Checksum: checksumFields(checksum) }),
  ObjectParts: partsFields,
  StorageClass: ({ storage_class }) => ({ StorageClass: storage_class }),
  ObjectSize: ({ size_bytes }) => ({ ObjectSize: size_bytes }),
};

/** Implements GetObjectAttributes. */
export function getObjectAttributes(call: Call): StoreResponse {
  const { headers } = call.request;
  const named = (headers['x-amz-object-attributes'] ?? '').split(',').flatMap((name) => name.trim() || []);
  if (named.length === 0) throw invalidRequest('The x-amz-object-attributes header is either missing or empty');
  for (const name of named) {
    if (!Object.hasOwn(attributes, name)) throw invalidArgument('Invalid attribute name specified.', name);
  }
  const record = loadObject(call);
  const fields = named.map((name) => attributes[name]?.(record, headers));
  const time = { 'last-modified': new Date(record.last_modified).toUTCString() };
  const shown = { ...time, ...versionHeader(call.bucket, record) };
  return xmlResponse('GetObjectAttributesResponse', Object.assign({}, ...fields), shown);
}

/** Returns the elements for the parts of a multipart upload. S3 lists the parts only if they have checksums. */
function partsFields({ parts, checksum }: ObjectRecord, headers: Headers): XmlFields {
  if (parts === undefined) return {};
  if (checksum === undefined) return { ObjectParts: { PartsCount: parts.length } };
  const query = new Map(Object.entries(headers));
  const max = integerParameter(query, maxPartsHeader, { fallback: partsPageMax });
  const marker = integerParameter(query, markerHeader, { fallback: 0 });
  const listed = parts.map((part, index) => ({ part, number: index + 1 })).slice(marker, marker + max);
  const next = listed.at(-1)?.number ?? marker;
  return {
    ObjectParts: {
      IsTruncated: next < parts.length,
      MaxParts: max,
      NextPartNumberMarker: next,
      PartNumberMarker: marker,
      Part: listed.map(({ part, number }) => ({
        PartNumber: number,
        Size: part.size_bytes,
        [checksumElement(checksum.algorithm)]: part.checksum,
      })),
      PartsCount: parts.length,
    },
  };
}
