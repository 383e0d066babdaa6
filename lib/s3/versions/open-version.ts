import { versionNameSchema, versionsUidOf } from '../../domain/data/repository-versions.ts';
import { isReservedKey } from '../../domain/data/reserved-keys.ts';
import { ServiceError } from '../../domain/errors.ts';
import { accessDenied } from '../errors.ts';
import type { ObjectRequest } from '../objects/object-request.ts';
import { authorizeRepository, type RepositoryStorage, reservedKeyRefused } from '../repository-storage.ts';
import type { NamedVersion } from '../resource.ts';
import { LoggedStorageError } from '../storage-errors/shown-errors.ts';
import { findEntry, findPage, type ManifestEntry } from './manifest.ts';
import type { Manifest } from './manifest-cache.ts';

/** A version of a repository that the caller may read. */
export interface OpenVersion {
  /** The storage of the version. Its repository ID is `<repository ID>@<name>`, as in the keys that clients see. */
  storage: RepositoryStorage;
  manifest: Manifest;
}

/** An object of a repository version, with its storage. */
export interface VersionedObject {
  storage: RepositoryStorage;
  key: string;
  entry: ManifestEntry;
}

/**
 * Opens a repository version after checking that the caller may read the repository. The check uses the current
 * permissions, not those at the time when the version was created. Throws ServiceError `access_denied` for a caller who
 * may not read. Throws `not_found` if the repository has no such version.
 */
export async function openVersion(
  { access, caller, ageMaxSeconds, openManifest }: ObjectRequest,
  account_id: string,
  { repository_id, name }: NamedVersion,
): Promise<OpenVersion> {
  // Links to private data give no access to versions. A version may contain files that were deleted before the link was
  // created.
  if (caller.principal.kind === 'link') throw accessDenied();
  const path = { account_id, repository_id };
  const data = await authorizeRepository(access, caller.principal, 'read', path, ageMaxSeconds);
  if (!versionNameSchema.safeParse(name).success) throw noVersion(repository_id);
  const { version, read_at } = await access.readVersion(versionsUidOf(data.repository), name, ageMaxSeconds);
  if (version?.state === 'withdrawn') {
    const message = `The version ${name} was withdrawn; its page on the site says why.`;
    throw new ServiceError('not_found', message);
  }
  const { version_uid, index_sha256 } = version ?? {};
  if (version?.state !== 'ready' || !version_uid || !index_sha256) throw noVersion(repository_id);
  const { data_connection_id, connection_uid, bucket, prefix } = version.storage;
  const { connection, read_at: connection_read_at } = await access.readConnection(data_connection_id, ageMaxSeconds);
  if (connection?.uid !== connection_uid) throw new Error('the data connection of a version does not exist');
  const signing = await access.readConnectionCredentials(connection);
  const storage: RepositoryStorage = {
    account_id,
    repository_id: `${repository_id}@${name}`,
    data_connection_id,
    details: { ...connection.details, bucket },
    isOfAccount: connection.owner_account_id !== undefined,
    prefix,
    credentials: signing.credentials,
    authorization_read_at: Math.min(data.read_at, read_at, connection_read_at, signing.read_at),
  };
  return { storage, manifest: openManifest(storage, { version_uid, index_sha256 }) };
}

function noVersion(repository_id: string): ServiceError {
  const message = `The repository has no such version; read ${repository_id} without @, or use a version that its page lists.`;
  return new ServiceError('not_found', message);
}

/**
 * Finds the version's object that a request reads, or that is the source of a copy. Throws the errors of `openVersion`,
 * and `not_found` if the version has no such key.
 */
export async function findInVersion(
  request: ObjectRequest,
  { account_id, version, key }: { account_id: string; version: NamedVersion; key: string | undefined },
): Promise<VersionedObject> {
  const { storage, manifest } = await openVersion(request, account_id, version);
  if (key !== undefined && isReservedKey(key)) throw reservedKeyRefused();
  const page = key === undefined ? undefined : findPage(await manifest.pages(), key);
  const entry = page && key !== undefined ? findEntry(await manifest.entries(page), key) : undefined;
  if (entry === undefined) throw new ServiceError('not_found', 'The version has no object with this key.');
  return { storage, key: entry.key, entry };
}

/** Returns the error for a request that would change a version. */
export function versionsAreReadOnly({ repository_id }: NamedVersion): ServiceError {
  return new ServiceError(
    'method_not_allowed',
    `A version never changes; write to ${repository_id} without @, and then create a new version.`,
  );
}

/**
 * Throws LoggedStorageError if the storage's error code means that the object of a version is missing. Returns
 * undefined for other codes.
 */
export function refuseMissing(code: string | undefined): undefined {
  if (code === 'NoSuchVersion' || code === 'NoSuchKey' || code === 'MethodNotAllowed') {
    throw new LoggedStorageError('versionObjectMissing');
  }
}
