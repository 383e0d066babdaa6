import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { parseXml, type XmlElement, xmlChildren, xmlText } from '../../domain/xml.ts';
import {
  type JobRequestOptions,
  jobRequests,
  type SendJobRequest,
  StorageRefusal,
  storageTimeOf,
} from '../job-requests.ts';
import { presentParameters } from '../lists/list-input.ts';
import { nameReader } from '../lists/list-page.ts';
import type { RepositoryStorage } from '../repository-storage.ts';
import { plainEtag } from '../response.ts';
import type { ListedVersion } from './instant.ts';
import { manifestStorage, partName, type StoredPart } from './manifest.ts';

export interface ListedPage<Item, Position> {
  items: readonly Item[];
  /** The position at which the next page of a list begins. Undefined on the last page. */
  next: Position | undefined;
}

export interface VersionPosition {
  key: string;
  version_id: string;
}

export interface UploadPosition {
  key: string;
  upload_id: string;
}

/** A multipart upload in progress. */
export interface ListedUpload {
  key: string;
  initiated: number;
}

/**
 * The requests that a background job sends to the storage of one repository. Each throws StorageRefusal for a permanent
 * refusal.
 */
export interface JobStorage {
  /** Stores a part of a manifest. The name of the part is its digest, so no later write can change it. */
  putPart(part: StoredPart): Promise<void>;
  getPart(sha256: string): Promise<Buffer>;
  /** Writes the marker object. Returns its version ID, and the time that the storage reports for it. */
  putMarker(): Promise<{ version_id: string | undefined; modified: number }>;
  /**
   * Returns true if the storage lists the versions and delete markers of a key with the newest first. Some storages
   * list all versions of a page before all delete markers, which hides their order.
   */
  listsInOrder(): Promise<boolean>;
  listVersions(from: VersionPosition | undefined): Promise<ListedPage<ListedVersion, VersionPosition>>;
  listUploads(from: UploadPosition | undefined): Promise<ListedPage<ListedUpload, UploadPosition>>;
  /** Returns the size and the ETag of a stored version. Returns undefined if it does not exist. */
  findStoredVersion(version: { key: string; version_id: string }): Promise<{ size: number; etag: string } | undefined>;
}

/**
 * Opens the storage of a repository for the background jobs of one version. `listMax` is the maximum number of entries
 * in a list; the default is that of the storage.
 */
export function openJobStorage(
  storage: RepositoryStorage,
  versionUid: string,
  { clock, listMax, fetchStorage }: JobRequestOptions & { listMax?: number },
): JobStorage {
  const manifest = manifestStorage(storage, versionUid);
  const send = jobRequests({ clock, fetchStorage });
  return {
    ...manifestRequests(manifest, send),
    ...listRequests(storage, manifest, send, listMax),
    async findStoredVersion({ key, version_id }) {
      const query: [string, string][] = [['versionId', version_id]];
      try {
        const { headers } = await send('read an object', storage, { method: 'HEAD', key, query });
        return { size: Number(headers['content-length']), etag: plainEtag(headers['etag'] ?? '') };
      } catch (error) {
        if (isAbsence(error)) return undefined;
        throw error;
      }
    },
  };
}

function manifestRequests(
  manifest: RepositoryStorage,
  send: SendJobRequest,
): Pick<JobStorage, 'putPart' | 'getPart' | 'putMarker'> {
  const markerName = 'marker';
  return {
    async putPart({ bytes, sha256 }) {
      const headers = { 'content-type': 'application/gzip' };
      await send('store a manifest', manifest, { method: 'PUT', key: partName(sha256), body: bytes, headers });
    },
    async getPart(sha256) {
      return (await send('read a manifest', manifest, { method: 'GET', key: partName(sha256) })).body;
    },
    async putMarker() {
      const { headers } = await send('store a marker', manifest, { method: 'PUT', key: markerName });
      const version_id = headers['x-amz-version-id'];
      const query: [string, string][] = version_id === undefined ? [] : [['versionId', version_id]];
      const head = await send('read a marker', manifest, { method: 'HEAD', key: markerName, query });
      return { version_id, modified: storageTimeOf(head.headers['last-modified']) };
    },
  };
}

function listRequests(
  storage: RepositoryStorage,
  manifest: RepositoryStorage,
  send: SendJobRequest,
  listMax: number | undefined,
): Pick<JobStorage, 'listsInOrder' | 'listVersions' | 'listUploads'> {
  async function list(
    what: string,
    rootName: string,
    query: Record<string, string | undefined>,
    prefix: string = storage.prefix,
  ) {
    const parameters = presentParameters({ ...query, prefix, 'encoding-type': 'url' });
    const { body } = await send(what, storage, { method: 'GET', query: parameters });
    const root = parseXml(body.toString('utf8').trim(), rootName, limits.storageXmlElementsMax);
    const toKey = (key: string) => (key.startsWith(storage.prefix) ? key.slice(storage.prefix.length) : undefined);
    const readName = nameReader(root, toKey);
    // Decode the marker. The storage percent-encodes it in the response, but expects the decoded name in the next
    // request.
    const readMarker = nameReader(root, (key) => key);
    const isTruncated = xmlText(root, 'IsTruncated')?.trim() === 'true';
    const nextKey = isTruncated ? readMarker(xmlText(root, 'NextKeyMarker')) : undefined;
    if (isTruncated && nextKey === undefined) throw new Error(`the answer to ${what} continues without a marker`);
    return { root, readName, nextKey };
  }

  return {
    async listsInOrder() {
      const key = 'order';
      const written: (string | undefined)[] = [];
      for (const method of ['PUT', 'DELETE', 'PUT']) {
        const { headers } = await send('store a marker', manifest, { method, key });
        written.unshift(headers['x-amz-version-id']);
      }
      const name = manifest.prefix + key;
      const { root, readName } = await list('list versions', 'ListVersionsResult', { versions: '' }, name);
      const listed = root.children.flatMap((element) => readVersion(element, readName) ?? []);
      return written.every((id, at) => id !== undefined && listed[at]?.version_id === id);
    },
    async listVersions(from) {
      const { root, readName, nextKey } = await list('list versions', 'ListVersionsResult', {
        versions: '',
        'max-keys': listMax?.toString(),
        'key-marker': from?.key,
        'version-id-marker': from?.version_id || undefined,
      });
      // Read versions and delete markers in the order of the document. Only this order shows which one is newer.
      const items = root.children.flatMap((element) => readVersion(element, readName) ?? []);
      const version_id = xmlText(root, 'NextVersionIdMarker') ?? '';
      return { items, next: nextKey === undefined ? undefined : { key: nextKey, version_id } };
    },
    async listUploads(from) {
      const { root, readName, nextKey } = await list('list uploads', 'ListMultipartUploadsResult', {
        uploads: '',
        'max-uploads': listMax?.toString(),
        'key-marker': from?.key,
        'upload-id-marker': from?.upload_id,
      });
      const items = xmlChildren(root, 'Upload').flatMap((element) => {
        const key = readName(xmlText(element, 'Key'));
        return key === undefined ? [] : [{ key, initiated: storageTimeOf(xmlText(element, 'Initiated')) }];
      });
      const upload_id = xmlText(root, 'NextUploadIdMarker') ?? '';
      return { items, next: nextKey === undefined ? undefined : { key: nextKey, upload_id } };
    },
  };
}

/**
 * Returns true if the error means that an object does not exist: its stored version is missing, is a delete marker
 * (405), or has a key that no client can read.
 */
function isAbsence(error: unknown): boolean {
  if (error instanceof StorageRefusal) return error.status === 404 || error.status === 405;
  return error instanceof ServiceError && (error.code === 'invalid_request' || error.code === 'key_too_long');
}

function readVersion(
  element: XmlElement,
  readName: (text: string | undefined) => string | undefined,
): ListedVersion | undefined {
  if (element.name !== 'Version' && element.name !== 'DeleteMarker') return undefined;
  const key = readName(xmlText(element, 'Key'));
  if (key === undefined) return undefined;
  const version_id = xmlText(element, 'VersionId');
  const modified = storageTimeOf(xmlText(element, 'LastModified'));
  if (version_id === undefined || version_id === '') throw new Error('a listed version has no ID');
  if (element.name === 'DeleteMarker') return { key, version_id, modified, object: undefined };
  const size = Number(xmlText(element, 'Size'));
  const etag = plainEtag(xmlText(element, 'ETag') ?? '');
  if (!Number.isSafeInteger(size) || size < 0 || !etag) throw new Error('a listed version has no size or no ETag');
  return { key, version_id, modified, object: { size, etag } };
}
