import {
  type DataAccessReader,
  type DataAction,
  isBelowLink,
  mayAccessData,
  type Principal,
  type StorageCredentials,
} from '../domain/data/data-access.ts';
import type { DataConnectionDetails } from '../domain/data/data-connections.ts';
import { isReservedKey } from '../domain/data/reserved-keys.ts';
import { ServiceError } from '../domain/errors.ts';
import { isIdentifier } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { accessDenied } from './errors.ts';

/** The storage location of a repository, and the credentials for it. */
export interface RepositoryStorage {
  account_id: string;
  repository_id: string;
  data_connection_id: string;
  details: DataConnectionDetails;
  /** True if the storage belongs to a data connection that an account created. */
  isOfAccount: boolean;
  /** The prefix of all keys of the repository. It is never empty, and it ends in a slash. */
  prefix: string;
  /** The folder or key to which a link to private data gives access. Undefined for a request without such a link. */
  limitedTo?: string | undefined;
  /** The credentials for the storage. Undefined for storage that allows unsigned reads. */
  credentials: StorageCredentials | undefined;
  /**
   * The time at which the oldest authorization data for this request was read, in milliseconds since the Unix epoch.
   */
  authorization_read_at: number;
}

type RepositoryPath = Pick<RepositoryStorage, 'account_id' | 'repository_id'>;

/**
 * Returns the data of a repository and its connection after checking that the principal may do the action in the
 * repository. Throws ServiceError `access_denied`, with the same message for a private repository and a missing one.
 */
export async function authorizeRepository(
  access: DataAccessReader,
  principal: Principal,
  action: DataAction,
  path: RepositoryPath,
  ageMaxSeconds: number,
) {
  if (!isIdentifier(path.account_id) || !isIdentifier(path.repository_id)) throw accessDenied();
  const data = await access.readAccess(principal, path, ageMaxSeconds);
  if (!mayAccessData(principal, action, data)) throw accessDenied();
  const { repository, connection, read_at } = data;
  if (repository === undefined || connection === undefined) throw accessDenied();
  return { repository, connection, read_at };
}

/** Returns the storage of a repository. Throws the errors of `authorizeRepository`. */
export async function openRepository(
  access: DataAccessReader,
  principal: Principal,
  action: DataAction,
  path: RepositoryPath,
  ageMaxSeconds: number,
): Promise<RepositoryStorage> {
  const { repository, connection, read_at } = await authorizeRepository(access, principal, action, path, ageMaxSeconds);
  const { mirrors, primary_mirror } = repository.data;
  const mirror = Object.hasOwn(mirrors, primary_mirror) ? mirrors[primary_mirror] : undefined;
  if (mirror?.data_connection_id !== connection.data_connection_id) {
    throw new Error('a repository and the connection read for it do not belong together');
  }
  const prefix = connection.details.base_prefix + mirror.prefix;
  // Reject an empty prefix. With it, an empty key would stand for the bucket, and a list would show everything in the
  // bucket.
  if (!/[^/]\/$/.test(prefix)) throw new Error('a repository has no prefix of its own');
  const signing = await access.readConnectionCredentials(connection);
  return {
    account_id: path.account_id,
    repository_id: path.repository_id,
    data_connection_id: connection.data_connection_id,
    details: connection.details,
    isOfAccount: connection.owner_account_id !== undefined,
    prefix,
    limitedTo: principal.kind === 'link' ? principal.prefix : undefined,
    credentials: signing.credentials,
    authorization_read_at: Math.min(read_at, signing.read_at),
  };
}

/**
 * Returns undefined if the error is a refusal, and throws any other error. Used by code that can continue after a
 * refusal.
 */
export function undefinedIfDenied(error: unknown): undefined {
  if (error instanceof ServiceError && error.code === 'access_denied') return undefined;
  throw error;
}

const beginningWithDots = /(?:^|\/)\.\.?\//;
const dotSegments = { key: /(?:^|\/)\.\.?(?:\/|$)/, beginning: beginningWithDots, list: beginningWithDots };

/**
 * Converts a key in the repository to the key in storage. Also converts the marker of a list (`beginning`) and the
 * prefix of a list (`list`). Every name in a request to storage comes from this function.
 *
 * Throws ServiceError `invalid_request` for a key with a segment `.` or `..`, unless the storage is Amazon S3 and the
 * request is signed. S3 treats `..` as text. Other storage may resolve it after verifying the signature, and servers on
 * the way may resolve it in unsigned requests. The key could then reach objects outside the repository.
 *
 * Throws `key_too_long` if the key with the repository ID or the storage prefix is longer than S3 allows. Throws
 * `access_denied` for a key that is reserved for the service, and for a key or a list that the link of the request does
 * not show.
 */
export function toStorageName(
  storage: RepositoryStorage,
  name: string,
  kind: 'key' | 'beginning' | 'list' = 'key',
): string {
  const { repository_id, prefix, details, credentials, limitedTo } = storage;
  if (limitedTo !== undefined && kind !== 'beginning' && !isShown(limitedTo, name, kind)) throw accessDenied();
  if (kind === 'key' && isReservedKey(name)) throw reservedKeyRefused();
  if (!isSafeName({ details, credentials }, name, kind)) {
    throw new ServiceError(
      'invalid_request',
      'The storage of this repository accepts no keys with the segments . or ..; use another key.',
    );
  }
  // Estimate the length of the key first, to avoid encoding it. A UTF-16 unit becomes at most three bytes in UTF-8.
  const bytesAtMost = 3 * (prefix.length + repository_id.length + name.length);
  if (kind === 'key' && bytesAtMost > limits.objectKeyBytesMax) checkKeyLength(storage, name);
  return prefix + name;
}

/** Returns true if a link shows a key, or every key that a list with this prefix can contain. */
function isShown(limitedTo: string, name: string, kind: 'key' | 'list'): boolean {
  // A link to a single file allows no list, because a list would show whether other keys begin with the file's key.
  const isFile = limitedTo !== '' && !limitedTo.endsWith('/');
  return kind === 'list' && isFile ? false : isBelowLink(limitedTo, name);
}

function isSafeName(
  { details, credentials }: Pick<RepositoryStorage, 'details' | 'credentials'>,
  name: string,
  kind: keyof typeof dotSegments,
): boolean {
  const isLiteral = details.endpoint === undefined && credentials !== undefined;
  return isLiteral || !dotSegments[kind].test(name);
}

/** Returns true unless the storage may mistake the key for a key outside the repository (see `toStorageName`). */
export function isSafeKey(storage: RepositoryStorage, key: string): boolean {
  return isSafeName(storage, key, 'key');
}

export function reservedKeyRefused(): ServiceError {
  return new ServiceError(
    'access_denied',
    'Keys below .sluice/ are reserved for the versions of the repository; use another key.',
  );
}

function checkKeyLength({ repository_id, prefix }: RepositoryStorage, name: string): void {
  const takenBytes = Math.max(Buffer.byteLength(prefix), repository_id.length + 1);
  const leftBytes = limits.objectKeyBytesMax - takenBytes;
  if (Buffer.byteLength(name) <= leftBytes) return;
  throw new ServiceError(
    'key_too_long',
    `The key is too long: after ${repository_id}/ it can have ${leftBytes} bytes of UTF-8, because ${takenBytes} of the ` +
      `${limits.objectKeyBytesMax} that S3 allows are needed for the storage prefix. Use a shorter key.`,
  );
}

/**
 * Converts a storage key to the key that the client sees in the bucket. Returns undefined for a key outside the
 * repository.
 */
export function toBucketKey(storage: RepositoryStorage, storageKey: string): string | undefined {
  const { prefix, repository_id, limitedTo } = storage;
  if (!storageKey.startsWith(prefix)) return undefined;
  const key = storageKey.slice(prefix.length);
  return limitedTo === undefined || isBelowLink(limitedTo, key) ? `${repository_id}/${key}` : undefined;
}
