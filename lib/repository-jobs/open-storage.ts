import type { ConnectionSecrets, DataConnectionRecord } from '../domain/data/data-connections.ts';
import type { RoleCredentialSource } from '../edge/assumed-roles.ts';
import type { RepositoryStorage } from '../s3/repository-storage.ts';

export interface StorageAccess {
  readConnection: (dataConnectionId: string) => Promise<DataConnectionRecord | undefined>;
  secrets: Pick<ConnectionSecrets, 'open'>;
  roles: RoleCredentialSource;
}

/** The storage of a repository or of a version, and the data connection with which it is accessed. */
interface OpenedStorage {
  storage: RepositoryStorage;
  connection: DataConnectionRecord;
}

/**
 * A storage location that was recorded earlier, in a version or in a deletion. `prefix` is the complete prefix of the
 * repository's keys in the bucket.
 */
interface RecordedLocation {
  data_connection_id: string;
  connection_uid: string;
  bucket: string;
  prefix: string;
}

/**
 * Returns the storage at a location that was recorded earlier. Returns undefined if its data connection no longer
 * exists.
 */
export async function openRecordedStorage(
  { data_connection_id, connection_uid, bucket, prefix }: RecordedLocation,
  access: StorageAccess,
): Promise<OpenedStorage | undefined> {
  const connection = await access.readConnection(data_connection_id);
  if (connection?.uid !== connection_uid) return undefined;
  return openStorage(connection, { bucket, prefix }, access);
}

/** Returns the current storage of a repository. Returns undefined if its data connection no longer exists. */
export async function openRepositoryStorage(
  { data_connection_id, prefix }: { data_connection_id: string; prefix: string },
  access: StorageAccess,
): Promise<OpenedStorage | undefined> {
  const connection = await access.readConnection(data_connection_id);
  if (connection === undefined) return undefined;
  const { bucket, base_prefix } = connection.details;
  return openStorage(connection, { bucket, prefix: base_prefix + prefix }, access);
}

/** Returns the storage at a prefix of a connection. Returns undefined if the connection is a draft with a role. */
export async function openStorage(
  connection: DataConnectionRecord,
  { bucket, prefix }: { bucket: string; prefix: string },
  { secrets, roles }: Omit<StorageAccess, 'readConnection'>,
): Promise<OpenedStorage | undefined> {
  // Refuse an empty prefix. With it, a job would read or delete all objects in the bucket.
  if (!/[^/]\/$/.test(prefix)) throw new Error('a repository has no prefix of its own');
  const { data_connection_id, sealed_authentication: sealed } = connection;
  const authentication = sealed === undefined ? undefined : await secrets.open(sealed, data_connection_id);
  // The role of a draft may accept tokens of any account until a test has passed, so jobs do not use it.
  if (authentication?.type === 's3_web_identity_role' && connection.state === 'draft') return undefined;
  const credentials =
    authentication === undefined || authentication.type === 's3_access_key'
      ? authentication
      : await roles(connection, authentication);
  const storage: RepositoryStorage = {
    account_id: '',
    repository_id: '',
    data_connection_id,
    details: { ...connection.details, bucket },
    isOfAccount: connection.owner_account_id !== undefined,
    prefix,
    credentials,
    authorization_read_at: 0,
  };
  return { storage, connection };
}
