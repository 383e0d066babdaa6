import type { Decision } from '../domain/decision.ts';
import { ServiceError } from '../domain/errors.ts';
import { encodeKey } from './address.ts';
import { headersForRelay } from './headers.ts';
import { type ObjectRequest, openObject, relay } from './object-request.ts';
import { relayedBody } from './payload.ts';
import { type XmlElement, xmlChildren, xmlDocument, xmlElement, xmlText, xmlTextElement } from './xml.ts';

const checksumElements = [
  'ChecksumCRC32',
  'ChecksumCRC32C',
  'ChecksumCRC64NVME',
  'ChecksumSHA1',
  'ChecksumSHA256',
  'ChecksumType',
];

export async function createMultipartUpload(asked: ObjectRequest): Promise<Decision> {
  const { storage, key } = await openObject(asked);
  return relay(asked, {
    storage,
    method: 'POST',
    key,
    query: [['uploads', '']],
    headers: headersForRelay(asked.headers),
    body: relayedBody(asked.request, asked.caller.signature),
    rootName: 'InitiateMultipartUploadResult',
    rewrite: (root) => xmlDocument('InitiateMultipartUploadResult', names(asked) + copied(root, ['UploadId'])),
  });
}

/** The list of parts names nothing of storage, so it goes there as it came. */
export async function completeMultipartUpload(asked: ObjectRequest): Promise<Decision> {
  const { storage, key } = await openObject(asked);
  return relay(asked, {
    storage,
    method: 'POST',
    key,
    query: [['uploadId', asked.query.get('uploadId') ?? '']],
    headers: headersForRelay(asked.headers),
    body: relayedBody(asked.request, asked.caller.signature),
    rootName: 'CompleteMultipartUploadResult',
    rewrite: (answer) => {
      const { distributionHost } = asked.request;
      const location = `https://${distributionHost}/${asked.account_id}/${encodeKey(asked.bucketKey ?? '')}`;
      return xmlDocument(
        'CompleteMultipartUploadResult',
        xmlTextElement('Location', location) + names(asked) + copied(answer, ['ETag', ...checksumElements]),
      );
    },
  });
}

export async function listParts(asked: ObjectRequest): Promise<Decision> {
  const { storage, key } = await openObject(asked);
  const parameters = ['uploadId', 'max-parts', 'part-number-marker'];
  for (const name of parameters.slice(1)) {
    if (!/^\d{0,9}$/.test(asked.query.get(name) ?? '')) {
      throw new ServiceError('invalid_request', `${name} must be a whole number from 0 on.`);
    }
  }
  return relay(asked, {
    storage,
    method: 'GET',
    key,
    query: Array.from(asked.query).filter(([name]) => parameters.includes(name)),
    headers: headersForRelay(asked.headers),
    rootName: 'ListPartsResult',
    rewrite: (answer) => {
      const partElements = ['PartNumber', 'LastModified', 'ETag', 'Size', ...checksumElements];
      return xmlDocument(
        'ListPartsResult',
        [
          names(asked),
          copied(answer, ['UploadId']),
          ownerElements(asked.account_id),
          copied(answer, [
            'StorageClass',
            'PartNumberMarker',
            'NextPartNumberMarker',
            'MaxParts',
            'IsTruncated',
            'ChecksumAlgorithm',
            'ChecksumType',
          ]),
          ...xmlChildren(answer, 'Part').map((part) => xmlElement('Part', copied(part, partElements))),
        ].join(''),
      );
    },
  });
}

/** Whoever started an upload: storage knows its own callers alone. */
export function ownerElements(accountId: string): string {
  const account = xmlTextElement('ID', accountId) + xmlTextElement('DisplayName', accountId);
  return xmlElement('Initiator', account) + xmlElement('Owner', account);
}

/** The elements of these names, as storage has them. */
export function copied(element: XmlElement, elementNames: readonly string[]): string {
  return elementNames.map((name) => xmlTextElement(name, xmlText(element, name))).join('');
}

export const copyResultElements: readonly string[] = ['LastModified', 'ETag', ...checksumElements];

function names({ account_id, bucketKey }: ObjectRequest): string {
  return xmlTextElement('Bucket', account_id) + xmlTextElement('Key', bucketKey);
}
