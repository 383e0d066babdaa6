import type { LocalResponse } from '../../in-process-http.ts';
import type { UploadRecord } from '../files/records.ts';
import { compareKeys } from '../files/sorted-records.ts';
import { type Call, ownerElement, xmlResponse } from '../operation.ts';
import type { XmlChild } from '../xml/write-xml.ts';
import { readListQuery } from './list-objects.ts';
import { commonPrefixOf } from './list-page.ts';

/** ListMultipartUploads: sorted by key, and by age within one key. */
export function listMultipartUploads({ request: { query }, bucket }: Call): LocalResponse {
  const { prefix, delimiter, max, encode, encoding } = readListQuery(query, 'max-uploads');
  const keyMarker = query.get('key-marker') ?? '';
  // S3 ignores the second marker without the first.
  const idMarker = keyMarker === '' ? '' : (query.get('upload-id-marker') ?? '');
  const shown: UploadRecord[] = [];
  const groups = new Set<string>();
  let isTruncated = false;
  let next: { key: string; id: string } | undefined;
  for (const upload of bucket.uploads.list()) {
    if (!upload.key.startsWith(prefix)) continue;
    const group = commonPrefixOf(upload.key, prefix, delimiter);
    if (group !== undefined && (group === keyMarker || groups.has(group))) continue;
    if (!isAfter(upload, keyMarker, idMarker)) continue;
    if (shown.length + groups.size >= max) {
      isTruncated = max > 0;
      break;
    }
    if (group === undefined) shown.push(upload);
    else groups.add(group);
    next = { key: group ?? upload.key, id: group === undefined ? upload.upload_id : '' };
  }
  return xmlResponse('ListMultipartUploadsResult', [
    ['Bucket', bucket.name],
    ['KeyMarker', encode(keyMarker)],
    ['UploadIdMarker', idMarker],
    isTruncated ? ['NextKeyMarker', encode(next?.key ?? '')] : undefined,
    isTruncated ? ['NextUploadIdMarker', next?.id ?? ''] : undefined,
    ['Prefix', encode(prefix)],
    delimiter === '' ? undefined : ['Delimiter', encode(delimiter)],
    encoding,
    ['MaxUploads', String(max)],
    ['IsTruncated', String(isTruncated)],
    ...shown.map((upload) => uploadElement(upload, encode)),
    ...[...groups].map((group): XmlChild => ['CommonPrefixes', [['Prefix', encode(group)]]]),
  ]);
}

function isAfter({ key, upload_id }: UploadRecord, keyMarker: string, idMarker: string): boolean {
  const order = compareKeys(key, keyMarker);
  return order > 0 || (order === 0 && idMarker !== '' && compareKeys(upload_id, idMarker) > 0);
}

function uploadElement(upload: UploadRecord, encode: (key: string) => string): XmlChild {
  return [
    'Upload',
    [
      ['Key', encode(upload.key)],
      ['UploadId', upload.upload_id],
      ownerElement('Initiator'),
      ownerElement('Owner'),
      ['StorageClass', upload.storage_class],
      ['Initiated', new Date(upload.initiated).toISOString()],
      upload.checksum === undefined ? undefined : ['ChecksumAlgorithm', upload.checksum.algorithm.toUpperCase()],
      upload.checksum === undefined ? undefined : ['ChecksumType', upload.checksum.type],
    ],
  ];
}
