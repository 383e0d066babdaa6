import type { Decision } from '../../domain/data/decision.ts';
import { ServiceError } from '../../domain/errors.ts';
import { type XmlElement, xmlChildren, xmlDocument, xmlElement, xmlText } from '../../domain/xml.ts';
import { headersForRelay } from '../headers.ts';
import type { RepositoryStorage } from '../repository-storage.ts';
import { plainEtag } from '../response.ts';
import { LoggedStorageError } from '../storage-errors/shown-errors.ts';
import { findInVersion, refuseMissing, type VersionedObject } from '../versions/open-version.ts';
import { readVersion } from './forward.ts';
import { checksumElements, copied } from './multipart.ts';
import { type ObjectRequest, openObject, relay } from './object-request.ts';

const known = ['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize'];
const listElements = ['IsTruncated', 'MaxParts', 'NextPartNumberMarker', 'PartNumberMarker', 'PartsCount'];
/**
 * The names that storage services use for the root element of a GetObjectAttributes response. Clients do not read the
 * name.
 */
const rootNames = ['GetObjectAttributesResponse', 'GetObjectAttributesOutput'];
const partElements = ['PartNumber', 'Size', ...checksumElements];

/**
 * Implements GetObjectAttributes. Requests the attributes from storage, and renders the response document again for the
 * client.
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
      rootName: rootNames,
      rewrite: (root) => xmlDocument(root.name, attributesOf(root)),
    });
  const { version } = request;
  if (version !== undefined) return attributesInVersion(request, await findInVersion(request, { ...request, version }));
  if (request.operation.needs.includes('versionId')) return readVersion(request, get);
  const { storage, key } = await openObject(request);
  return get(storage, key);
}

/**
 * Requests the attributes of an object in a repository version. Always requests the ETag in addition to the client's
 * attributes, because the ETag shows whether the object is unchanged.
 */
function attributesInVersion(request: ObjectRequest, { storage, key, entry }: VersionedObject): Decision {
  const name = 'x-amz-object-attributes';
  const asked = request.headers[name] ?? '';
  const hidden = asked.split(',').some((one) => one.trim() === 'ETag') ? [] : ['ETag'];
  return relay(request, {
    storage,
    method: 'GET',
    key,
    query: [
      ['attributes', ''],
      ['versionId', entry.version_id],
    ],
    headers: { ...headersForRelay(request.headers), [name]: [asked, ...hidden].join(',') },
    rootName: rootNames,
    rewrite: (root) =>
      xmlDocument(
        root.name,
        attributesOf({ ...root, children: root.children.filter((one) => !hidden.includes(one.name)) }),
      ),
    follow: (root) => {
      if (plainEtag(xmlText(root, 'ETag') ?? '') !== entry.etag) throw new LoggedStorageError('versionObjectChanged');
      return undefined;
    },
    onError: refuseMissing,
  });
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
