import type { RandomSource } from '../random.ts';
import { toTimestamp } from '../time.ts';
import type {
  ConnectionSecrets,
  DataConnection,
  DataConnectionAuthentication,
  DataConnectionRecord,
  ShownConnection,
} from './data-connections.ts';
import { rolePolicies, type StorageIssuer } from './web-identity.ts';

/**
 * Returns true if a connection can be used only after a successful test. The test shows that the owner controls the
 * storage, or that the role trusts nobody else.
 */
export function needsProof({
  owner_account_id,
  authentication,
}: Pick<ShownConnection, 'owner_account_id' | 'authentication'>): boolean {
  return owner_account_id !== undefined || authentication?.type === 's3_web_identity_role';
}

/** Returns the fields of a draft: a connection whose owner has not yet proved control of the storage. */
export function draft(random: RandomSource): Pick<DataConnectionRecord, 'state' | 'marker_nonce'> {
  return { state: 'draft', marker_nonce: random.uuid() };
}

/**
 * Returns the name of the marker object, with which an owner proves control of the storage. It is directly below the
 * base prefix. Repositories are in deeper folders, so none can contain the marker.
 */
export function markerName(nonce: string): string {
  return `_sluice-proof-${nonce}`;
}

/**
 * Returns the key of the marker object. The owner of a read-only draft uploads it to prove control of the storage. If
 * the connection can write, the service writes an object as the proof.
 */
function markerKey({
  state,
  marker_nonce,
  read_only,
  details,
}: Omit<DataConnectionRecord, 'version'>): string | undefined {
  if (state !== 'draft' || marker_nonce === undefined || !read_only) return undefined;
  return details.base_prefix + markerName(marker_nonce);
}

/**
 * Returns a connection as its owners and maintainers see it.
 *
 * @param authentication the stored credentials
 * @param withSecret true if the caller may read a secret key, or has just sent it
 */
export function shownToOwners(
  record: Omit<DataConnectionRecord, 'version'>,
  authentication: DataConnectionAuthentication | undefined,
  services: { storageIssuer?: StorageIssuer },
  { withSecret }: { withSecret: boolean },
): ShownConnection {
  const isShown = authentication !== undefined && (withSecret || authentication.type !== 's3_access_key');
  return { ...record, ...(isShown ? { authentication } : {}), ...ownersTasks(record, authentication, services) };
}

/**
 * Returns the steps that the owner of a connection must do outside of the service: upload a marker object, or paste
 * policies into AWS.
 */
function ownersTasks(
  record: Omit<DataConnectionRecord, 'version'>,
  authentication: DataConnectionAuthentication | undefined,
  { storageIssuer }: { storageIssuer?: StorageIssuer },
): Pick<ShownConnection, 'marker_key' | 'identity'> {
  const isByToken = authentication?.type === 's3_web_identity_role' && storageIssuer !== undefined;
  return {
    marker_key: markerKey(record),
    ...(isByToken ? { identity: rolePolicies(authentication.role_arn, record, storageIssuer) } : {}),
  };
}

/** Returns the type of a connection's credentials, for responses that do not show the credentials themselves. */
export function authenticationType({
  owner_account_id,
  authentication,
}: Pick<ShownConnection, 'owner_account_id' | 'authentication'>): Pick<DataConnectionRecord, 'authentication_type'> {
  return owner_account_id === undefined ? {} : { authentication_type: authentication?.type };
}

/** Returns a connection to store. Its credentials are encrypted for this connection only. */
export async function newConnection(
  { authentication, ...connection }: DataConnection,
  owner_account_id: string | undefined,
  { connectionSecrets, random }: { connectionSecrets: Pick<ConnectionSecrets, 'seal'>; random: RandomSource },
  now: number,
): Promise<Omit<DataConnectionRecord, 'version'>> {
  return {
    ...connection,
    uid: random.uuid(),
    created_at: toTimestamp(now),
    in_use: false,
    ...(owner_account_id === undefined ? {} : { owner_account_id }),
    ...authenticationType({ owner_account_id, authentication }),
    ...(needsProof({ owner_account_id, authentication }) ? draft(random) : {}),
    ...(authentication === undefined
      ? {}
      : { sealed_authentication: await connectionSecrets.seal(authentication, connection.data_connection_id) }),
  };
}
