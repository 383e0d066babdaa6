import {
  type DataAccessReader,
  type DataAction,
  mayAccessData,
  type Principal,
  type StorageCredentials,
} from '../domain/data/data-access.ts';
import type { DataConnectionDetails } from '../domain/data/data-connections.ts';
import { ServiceError } from '../domain/errors.ts';
import { isIdentifier } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { accessDenied } from './denied.ts';

/** Where the objects of a repository are, and what signs for them there. */
export interface RepositoryStorage {
  account_id: string;
  repository_id: string;
  data_connection_id: string;
  details: DataConnectionDetails;
  /** What every key of the repository starts with; not empty, ends in a slash. */
  prefix: string;
  /** Undefined for storage that is read unsigned. */
  credentials: StorageCredentials | undefined;
  /** Of the oldest fact that led here, in milliseconds since the Unix epoch. */
  facts_read_at: number;
}

/**
 * The storage of a repository that the principal may use for the action. Throws ServiceError `access_denied`, in the
 * same words for a private repository and for one that does not exist.
 */
export async function openRepository(
  access: DataAccessReader,
  principal: Principal,
  action: DataAction,
  path: { account_id: string; repository_id: string },
  ageMaxSeconds: number,
): Promise<RepositoryStorage> {
  if (!isIdentifier(path.account_id) || !isIdentifier(path.repository_id)) throw accessDenied();
  const facts = await access.readAccess(principal, path, ageMaxSeconds);
  if (!mayAccessData(principal, action, facts)) throw accessDenied();
  const { repository, connection } = facts;
  if (repository === undefined || connection === undefined) throw accessDenied();
  const { mirrors, primary_mirror } = repository.data;
  const mirror = Object.hasOwn(mirrors, primary_mirror) ? mirrors[primary_mirror] : undefined;
  if (mirror?.data_connection_id !== connection.data_connection_id) {
    throw new Error('a repository and the connection read for it do not belong together');
  }
  const prefix = connection.details.base_prefix + mirror.prefix;
  // Without it an empty key would name the bucket, and a list would show everything in it.
  if (!/[^/]\/$/.test(prefix)) throw new Error('a repository has no prefix of its own');
  const signing = await access.readConnectionCredentials(connection.data_connection_id);
  return {
    ...path,
    data_connection_id: connection.data_connection_id,
    details: connection.details,
    prefix,
    credentials: signing.credentials,
    facts_read_at: Math.min(facts.read_at, signing.read_at),
  };
}

/** For what may be done otherwise: a refusal as a value, any other error thrown on. */
export function undefinedIfDenied(error: unknown): undefined {
  if (error instanceof ServiceError && error.code === 'access_denied') return undefined;
  throw error;
}

const dotSegments = { key: /(?:^|\/)\.\.?(?:\/|$)/, beginning: /(?:^|\/)\.\.?\// };

/**
 * A name in the repository as its storage knows it: a key, or the beginning of keys (a prefix, a marker).
 *
 * S3 takes `.` and `..` for parts of a key like any others, and a signature holds everything on the way to that. Of other
 * stores some verify first and resolve afterwards, which would lead out of the repository, and without a signature
 * nothing would notice: there such a name is refused with ServiceError `invalid_request`. Throws `key_too_long` for a key
 * that S3 would not take, with the repository's name before it or with what the storage keeps before it.
 */
export function toStorageName(storage: RepositoryStorage, name: string, kind: 'key' | 'beginning' = 'key'): string {
  const { repository_id, prefix, details, credentials } = storage;
  const isLiteral = details.endpoint === undefined && credentials !== undefined;
  if (!isLiteral && dotSegments[kind].test(name)) {
    throw new ServiceError(
      'invalid_request',
      'The storage of this repository takes no keys with the segments . or ..; use another key.',
    );
  }
  // No character takes more than three bytes for each of its UTF-16 units.
  const bytesAtMost = 3 * (prefix.length + repository_id.length + name.length);
  if (kind === 'key' && bytesAtMost > limits.objectKeyBytesMax) checkKeyLength(storage, name);
  return prefix + name;
}

function checkKeyLength({ repository_id, prefix }: RepositoryStorage, name: string): void {
  const takenBytes = Math.max(Buffer.byteLength(prefix), repository_id.length + 1);
  const leftBytes = limits.objectKeyBytesMax - takenBytes;
  if (Buffer.byteLength(name) <= leftBytes) return;
  throw new ServiceError(
    'key_too_long',
    `The key is too long: after ${repository_id}/ it can have ${leftBytes} bytes of UTF-8, as ${takenBytes} of the ` +
      `${limits.objectKeyBytesMax} that S3 allows are taken here by what stands before it. Use a shorter key.`,
  );
}

/** A storage key as the client knows it below its bucket; undefined for one that is not the repository's. */
export function toBucketKey({ prefix, repository_id }: RepositoryStorage, storageKey: string): string | undefined {
  return storageKey.startsWith(prefix) ? `${repository_id}/${storageKey.slice(prefix.length)}` : undefined;
}
