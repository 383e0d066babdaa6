import type { Decision } from '../../domain/data/decision.ts';
import { ServiceError } from '../../domain/errors.ts';
import { type XmlElement, xmlChildren, xmlDocument, xmlElement } from '../../domain/xml.ts';
import { headersForRelay } from '../headers.ts';
import type { RepositoryStorage } from '../repository-storage.ts';
import { readVersion } from './forward.ts';
import { checksumElements, copied } from './multipart.ts';
import { type ObjectRequest, openObject, relay } from './object-request.ts';

const known = ['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize'];
const listElements = ['IsTruncated', 'MaxParts', 'NextPartNumberMarker', 'PartNumberMarker', 'PartsCount'];
const partElements = ['PartNumber', 'Size', ...checksumElements];

/**
 * Implements GetObjectAttributes. Requests the attributes from storage, and renders the document again for the client.
 */
export async function getObjectAttributes(request: ObjectRequest): Promise<Decision> {
  const asked = (request.headers['x-amz-object-attributes'] ?? '').split(',').map((name) => name.trim());
  if (!asked.every((name) => known.includes(name))) {
    throw new ServiceError(
      asked.join('') === '' ? 'invalid_request' : 'invalid_argument',
      `x-amz-object-attributes must name one or more of ${known.join(', ')}.`,
    );
  }
  const get = (storage: RepositoryStorage, key: string) =>
    relay(request, {
      storage,
      method: 'GET',
      key,
      query: request.query,
      headers: headersForRelay(request.headers),
      // Storages use different names for this element, and clients do not read the name.
      rootName: ['GetObjectAttributesResponse', 'GetObjectAttributesOutput'],
      rewrite: (root) => xmlDocument(root.name, attributesOf(root)),
    });
  if (request.operation.needs.includes('versionId')) return readVersion(request, get);
  const { storage, key } = await openObject(request);
  return get(storage, key);
}

function attributesOf(root: XmlElement): string {
  const checksums = xmlChildren(root, 'Checksum').map((element) =>
    xmlElement('Checksum', copied(element, checksumElements)),
  );
  const parts = xmlChildren(root, 'ObjectParts').map((element) => {
    const listed = xmlChildren(element, 'Part').map((part) => xmlElement('Part', copied(part, partElements)));
    return xmlElement('ObjectParts', copied(element, listElements) + listed.join(''));
  });
  return copied(root, ['ETag']) + checksums.join('') + parts.join('') + copied(root, ['StorageClass', 'ObjectSize']);
}
