import type { ConnectionSecrets, DataConnectionRecord } from '../domain/data/data-connections.ts';
import type { RepositoryVersionRecord } from '../domain/data/repository-versions.ts';
import type { RoleCredentialSource } from '../edge/assumed-roles.ts';
import type { RepositoryStorage } from '../s3/repository-storage.ts';

export interface StorageAccess {
  readConnection: (dataConnectionId: string) => Promise<DataConnectionRecord | undefined>;
  secrets: Pick<ConnectionSecrets, 'open'>;
  roles: RoleCredentialSource;
}

/** The storage of a version, and the data connection with which it is accessed. */
interface OpenedStorage {
  storage: RepositoryStorage;
  connection: DataConnectionRecord;
}

/** Returns the storage of a version. Returns undefined if its data connection no longer exists. */
export async function openVersionStorage(
  { storage: { data_connection_id, connection_uid, bucket, prefix } }: RepositoryVersionRecord,
  { readConnection, secrets, roles }: StorageAccess,
): Promise<OpenedStorage | undefined> {
  const connection = await readConnection(data_connection_id);
  if (connection?.uid !== connection_uid) return undefined;
  const sealed = connection.sealed_authentication;
  const authentication = sealed === undefined ? undefined : await secrets.open(sealed, data_connection_id);
  // The role may accept anybody's tokens until a test has passed.
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
