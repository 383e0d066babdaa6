import { hash } from 'node:crypto';
import type { Decision } from '../../domain/data/decision.ts';
import {
  parseXml,
  type XmlElement,
  xmlChildren,
  xmlDocument,
  xmlElement,
  xmlText,
  xmlTextElement,
} from '../../domain/xml.ts';
import { canonicalPath, headerValue } from '../../sigv4/canonical.ts';
import { errorContext } from '../errors.ts';
import { headersForRelay } from '../headers.ts';
import { readCount } from '../lists/list-input.ts';
import { relayedBody } from '../payload.ts';
import type { RepositoryStorage } from '../repository-storage.ts';
import { principalElement, renderShownError } from '../response.ts';
import { storageRequest } from '../storage-request.ts';
import { type ObjectRequest, openObject, relay, xmlAnswer } from './object-request.ts';

export const checksumElements = 'CRC32 CRC32C CRC64NVME MD5 SHA1 SHA256 SHA512 XXHASH128 XXHASH3 XXHASH64 Type'
  .split(' ')
  .map((name) => `Checksum${name}`);
const listElements =
  'StorageClass PartNumberMarker NextPartNumberMarker MaxParts IsTruncated ChecksumAlgorithm ChecksumType';

export async function createMultipartUpload(request: ObjectRequest): Promise<Decision> {
  const { storage, key } = await openObject(request);
  return relay(request, {
    storage,
    method: 'POST',
    key,
    query: [['uploads', '']],
    headers: headersForRelay(request.headers),
    body: relayedBody(request.edgeRequest, request.caller.signature),
    confirmsEncryption: true,
    rootName: 'InitiateMultipartUploadResult',
    rewrite: (root) => xmlDocument('InitiateMultipartUploadResult', names(request) + copied(root, ['UploadId'])),
  });
}

/** Implements CompleteMultipartUpload. The list of parts is sent to storage unchanged, because it contains no names. */
export async function completeMultipartUpload(request: ObjectRequest): Promise<Decision> {
  const { storage, key } = await openObject(request);
  const body = relayedBody(request.edgeRequest, request.caller.signature);
  return relay(request, {
    storage,
    method: 'POST',
    key,
    query: [['uploadId', request.query.get('uploadId') ?? '']],
    headers: headersForRelay(request.headers),
    body,
    rootName: 'CompleteMultipartUploadResult',
    rewrite: (answer) => completedDocument(request, copied(answer, ['ETag', ...checksumElements])),
    onError: (code) => (code === 'NoSuchUpload' ? findCompleted(request, storage, key, body) : undefined),
  });
}

/**
 * Returns a decision that checks whether the object already exists and consists of the listed parts. If it does, the
 * client gets a success.
 *
 * A client retries CompleteMultipartUpload when the first attempt took longer than a timeout of the client or the edge.
 * The upload no longer exists then, because it was completed. S3 remembers completed uploads and answers the retry with
 * success. Other storage does not, so the client would report a failed upload.
 */
function findCompleted(
  request: ObjectRequest,
  storage: RepositoryStorage,
  key: string,
  body: Uint8Array,
): Decision | undefined {
  const etag = multipartETag(body);
  if (etag === undefined) return undefined;
  const headers = { 'x-amz-checksum-mode': 'ENABLED' };
  const head = { method: 'HEAD', key, query: [], headers, payloadHash: hash('sha256', '', 'hex') };
  return {
    kind: 'relay',
    request: storageRequest(storage, head, request.now),
    body: new Uint8Array(),
    rewrite: (found) => {
      if (found.status !== 200 || found.headers['etag'] !== etag) {
        return renderShownError('NoSuchUpload', found.headers, errorContext(request.edgeRequest));
      }
      const checksums = checksumElements.map((name) =>
        xmlTextElement(name, found.headers[`x-amz-checksum-${name.slice('Checksum'.length).toLowerCase()}`]),
      );
      const version = Object.entries(found.headers).filter(([name]) => name === 'x-amz-version-id');
      const document = completedDocument(request, xmlTextElement('ETag', etag) + checksums.join(''));
      return xmlAnswer(request.edgeRequest, document, Object.fromEntries(version));
    },
  };
}

/**
 * Returns the ETag of an object that consists of the listed parts: the MD5 of the parts' MD5s. Returns undefined if the
 * ETag of a part is no MD5.
 */
function multipartETag(list: Uint8Array): string | undefined {
  const sums = readETags(list).map((etag) => /^"?([0-9a-f]{32})"?$/i.exec(etag.trim())?.[1]);
  if (sums.length === 0 || sums.includes(undefined)) return undefined;
  return `"${hash('md5', Buffer.from(sums.join(''), 'hex'), 'hex')}-${sums.length}"`;
}

function readETags(list: Uint8Array): string[] {
  try {
    const parts = xmlChildren(parseXml(Buffer.from(list).toString('utf8'), 'CompleteMultipartUpload'), 'Part');
    return parts.map((part) => xmlText(part, 'ETag') ?? '');
  } catch {
    // Return no ETags for an invalid document. Storage has already refused the document.
    return [];
  }
}

function completedDocument(request: ObjectRequest, result: string): string {
  const { protocol, edgeRequest } = request;
  // Build the location from the host and path of the client's request, in path or virtual-host style. The client's
  // signature covers the host and the path, so nobody can put another host into the response.
  const location = `${protocol}://${headerValue(edgeRequest.headers, 'host')}${canonicalPath(edgeRequest.rawPath, false)}`;
  return xmlDocument('CompleteMultipartUploadResult', xmlTextElement('Location', location) + names(request) + result);
}

export async function listParts(request: ObjectRequest): Promise<Decision> {
  const { storage, key } = await openObject(request);
  const parameters = ['uploadId', 'max-parts', 'part-number-marker'];
  for (const name of parameters.slice(1)) readCount(request.query, name);
  return relay(request, {
    storage,
    method: 'GET',
    key,
    query: Array.from(request.query).filter(([name]) => parameters.includes(name)),
    headers: headersForRelay(request.headers),
    rootName: 'ListPartsResult',
    rewrite: (answer) => {
      const partElements = ['PartNumber', 'LastModified', 'ETag', 'Size', ...checksumElements];
      return xmlDocument(
        'ListPartsResult',
        [
          names(request),
          copied(answer, ['UploadId']),
          ownerElements(request.account_id),
          copied(answer, listElements.split(' ')),
          ...xmlChildren(answer, 'Part').map((part) => xmlElement('Part', copied(part, partElements))),
        ].join(''),
      );
    },
  });
}

/**
 * Returns the elements `Owner` and `Initiator`, with the account in both. Storage knows only the connection's
 * credentials, so the elements in its response would be wrong.
 */
export function ownerElements(accountId: string): string {
  return principalElement('Initiator', accountId) + principalElement('Owner', accountId);
}

/** Copies the elements with these names from the document of the storage. */
export function copied(element: XmlElement, elementNames: readonly string[]): string {
  return elementNames.map((name) => xmlTextElement(name, xmlText(element, name))).join('');
}

export const copyResultElements: readonly string[] = ['LastModified', 'ETag', ...checksumElements];

function names({ account_id, bucketKey }: ObjectRequest): string {
  return xmlTextElement('Bucket', account_id) + xmlTextElement('Key', bucketKey);
}
