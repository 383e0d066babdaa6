import { createHash } from 'node:crypto';
import type { MembershipRole } from '../domain/accounts/memberships.ts';

/**
 * The keys of all items in the single table. `#` separates the parts of a key. External text that could contain `#` is
 * hashed.
 *
 * Some items are in further indexes: `sublists` (below) and `catalogue` (in public-index.ts). An enabled repository is in
 * `names`, with PUBLIC_NAMES#account or HIDDEN_NAMES#account, and id/.
 *
 * A scope is an account ID, or `account/repository` for a repository.
 */
export interface Key {
  pk: string;
  sk: string;
}

/** An item with its attributes, as in the table. */
export type Item = Record<string, unknown>;

/** Returns the key of an item. */
export function keyOf({ pk, sk }: Readonly<Record<string, unknown>>): Key {
  return { pk: String(pk), sk: String(sk) };
}

export function scopeOf(scope: { account_id: string; repository_id?: string | undefined }): string {
  return scope.repository_id === undefined ? scope.account_id : `${scope.account_id}/${scope.repository_id}`;
}

const at = (pk: string, sk: string): Key => ({ pk, sk });

export const keys = {
  account: (accountId: string) => at(`ACCOUNT#${accountId}`, 'ACCOUNT'),
  /** Reserves the ID of a deleted account forever. */
  deletedAccount: (accountId: string) => at(`ACCOUNT#${accountId}`, 'DELETED'),
  serviceAccountCount: (accountId: string) => at(`ACCOUNT#${accountId}`, 'SERVICE_ACCOUNTS'),
  user: (issuer: string, identityId: string) => at(`IDENTITY#${digest(issuer, identityId)}`, 'USER'),
  accountsCreated: (issuer: string, identityId: string, day: string) =>
    at(`ACCOUNTS_CREATED#${digest(issuer, identityId)}`, `DAY#${day}`),
  membership: (membershipId: string) => at(`MEMBERSHIP#${membershipId}`, 'MEMBERSHIP'),
  acceptedMembership: (memberId: string, createdAt: string, membershipId: string) =>
    at(`ACCOUNT#${memberId}`, `MEMBERSHIP#${createdAt}#${membershipId}`),
  openMembership: (memberId: string, createdAt: string, membershipId: string) =>
    at(`INVITATIONS#${memberId}`, `${createdAt}#${membershipId}`),
  revokedMembership: (memberId: string, stateChanged: string, membershipId: string) =>
    at(`REVOKED#${memberId}`, `${stateChanged}#${membershipId}`),
  acceptedCount: (memberId: string) => at(`ACCOUNT#${memberId}`, 'MEMBERSHIPS'),
  /** Prevents a second open invitation of one account to one scope. */
  openInvitation: (scope: string, kind: string, invitedId: string) =>
    at(`INVITED#${scope}`, `OPEN#${kind}#${invitedId}`),
  /** Detects concurrent invitations of a scope. */
  invitedRevision: (scope: string) => at(`INVITED#${scope}`, 'REVISION'),
  invitationsToOne: (accountId: string, invitedId: string) => at(`INVITING#${accountId}`, `ACCOUNT#${invitedId}`),
  invitationsOfDay: (accountId: string) => at(`INVITING#${accountId}`, 'DAY'),
  blockedAccount: (byId: string, blockedId: string) => at(`BLOCKED#${byId}`, `ACCOUNT#${blockedId}`),
  blockedCount: (byId: string) => at(`BLOCKED#${byId}`, 'COUNT'),
  /** The role of an accepted membership. */
  role: (memberId: string, scope: string) => at(`ACCOUNT#${memberId}`, `ROLE#${scope}`),
  apiKey: (accessKeyId: string) => at(`API_KEY#${accessKeyId}`, 'API_KEY'),
  /** The keys that the index may not list yet. */
  newestApiKeys: (scope: string) => at(`API_KEYS#${scope}`, 'NEWEST'),
  repository: (accountId: string, repositoryId: string) => at(`REPOSITORY#${accountId}/${repositoryId}`, 'REPOSITORY'),
  deletedRepository: (accountId: string, repositoryId: string, uid: string) =>
    at(`REPOSITORY#${accountId}/${repositoryId}`, `DELETED#${uid}`),
  /** The new path of a transferred repository. */
  forwarding: (accountId: string, repositoryId: string) => at(`REPOSITORY#${accountId}/${repositoryId}`, 'FORWARDING'),
  /** A path whose data is no longer public. */
  closedPath: (accountId: string, repositoryId: string) => at(`REPOSITORY#${accountId}/${repositoryId}`, 'CLOSED'),
  reopenings: (accountId: string, hour: string) => at(`REOPENINGS#${accountId}`, `HOUR#${hour}`),
  repositoryCount: (accountId: string) => at(`ACCOUNT#${accountId}`, 'REPOSITORIES'),
  transfer: (transferId: string) => at(`TRANSFER#${transferId}`, 'TRANSFER'),
  /** The copy in the receiver's list. */
  incomingTransfer: (transferId: string) => at(`TRANSFER#${transferId}`, 'INCOMING'),
  prefix: (dataConnectionId: string, prefix: string) => at(`PREFIX#${dataConnectionId}#${prefix}`, 'PREFIX'),
  dataConnection: (id: string) => at(`DATA_CONNECTION#${id}`, 'DATA_CONNECTION'),
  /** The number of repositories on an account's connection. */
  dataConnectionUse: (id: string) => at(`DATA_CONNECTION_USE#${id}`, 'USE'),
  /** Reserves the ID of a deleted connection on which repositories were created. */
  deletedDataConnection: (id: string) => at(`DATA_CONNECTION_USE#${id}`, 'DELETED'),
  /** The connections of a bucket (see `bucketOf`). */
  storageBucket: (bucket: string) => at(`STORAGE_BUCKET#${digest(bucket)}`, 'BUCKET'),
  dataConnectionCount: (accountId: string) => at(`ACCOUNT#${accountId}`, 'DATA_CONNECTIONS'),
  serviceKey: (keyHash: string) => at(`SERVICE_KEY#${keyHash}`, 'SERVICE_KEY'),
  serviceKeyPointer: (uid: string, keyId: string) => at(`SERVICE_ACCOUNT#${uid}`, `KEY#${keyId}`),
  serviceKeyUse: (keyHash: string) => at(`KEY_USE#${keyHash}`, 'KEY_USE'),
  grant: (uid: string, repositoryId: string) => at(`SERVICE_ACCOUNT#${uid}`, `GRANT#${repositoryId}`),
  workflow: (uid: string, workflowId: string) => at(`WORKFLOW#${uid}`, `WORKFLOW#${workflowId}`),
  /** The trusted workflows of one match key (see `matchKeyOf`). */
  workflowMatch: (serviceAccountId: string, matchKey: string) =>
    at(`WORKFLOW#${serviceAccountId}#${matchKey}`, 'MATCH'),
  /** The exact issuer decides, so an exchange can read the item with those of the trust. */
  registeredIssuer: (accountId: string, issuer: string) => at(`ISSUERS#${accountId}`, `ISSUER#${digest(issuer)}`),
  registeredIssuerCount: (accountId: string) => at(`ISSUERS#${accountId}`, 'COUNT'),
  issuerRegistrations: (accountId: string, hour: string) => at(`ISSUER_REGISTRATIONS#${accountId}`, `HOUR#${hour}`),
  /** Says that an exchange met an unknown key ID of the issuer. */
  issuerKidMiss: (accountId: string, issuer: string) => at(`ISSUER_KID_MISS#${accountId}#${digest(issuer)}`, 'NOTE'),
  refusedSignIn: (serviceAccountId: string) => at(`SIGN_IN_REFUSALS#${serviceAccountId}`, 'LAST'),
  refusedSignInCause: (serviceAccountId: string, cause: string) =>
    at(`SIGN_IN_REFUSALS#${serviceAccountId}`, `CAUSE#${cause}`),
  /** The refused sign-ins of an hour. */
  refusedSignInTally: (serviceAccountId: string, hour: string) =>
    at(`SIGN_IN_REFUSALS#${serviceAccountId}`, `HOUR#${hour}`),
  /** The refused sign-ins of one repository owner in a minute. */
  refusedSignInsFrom: (issuer: string, repositoryOwnerId: string | null, minute: string) =>
    at(`SIGN_IN_REFUSALS#${digest(issuer, repositoryOwnerId)}`, `MINUTE#${minute}`),
  signIn: (accountId: string, time: string, name: string) => at(`SIGN_INS#${accountId}`, `${time}#${name}`),
  dataCredentialsIssued: (accountId: string, minute: string) => at(`DATA_CREDENTIALS#${accountId}`, `MINUTE#${minute}`),
  connectionTests: (accountId: string, minute: string) => at(`CONNECTION_TESTS#${accountId}`, `MINUTE#${minute}`),
  accountSearches: (accountId: string, minute: string) => at(`ACCOUNT_SEARCHES#${accountId}`, `MINUTE#${minute}`),
  idempotency: (scope: string) => at(`IDEMPOTENCY#${hash(scope)}`, 'IDEMPOTENCY'),
  migration: (name: string) => at(`MIGRATION#${name}`, 'MIGRATION'),
  searchIndex: () => at('SEARCH#index', 'INDEX'),
  searchIndexPart: (indexId: string, part: number) => at(`SEARCH#part#${indexId}#${part}`, 'PART'),
  searchChange: (time: string, batchId: string) => at('SEARCH#changes', `${time}#${batchId}`),
  auditEvent: (accountId: string, time: string, eventId: string) => at(`AUDIT#${accountId}`, `${time}#${eventId}`),
};

/** Partition keys of the index `lists`, in which most items have the position `created_at#id`. */
export const lists = {
  serviceAccounts: (ownerId: string) => `SERVICE_ACCOUNTS#${ownerId}`,
  blockedAccounts: (byId: string) => `BLOCKED_ACCOUNTS#${byId}`,
  members: (scope: string) => `MEMBERS#${scope}`,
  apiKeys: (scope: string) => `API_KEYS#${scope}`,
  repositories: (accountId: string) => `REPOSITORIES#${accountId}`,
  transfers: (accountId: string) => `TRANSFERS#${accountId}`,
  /** The connections of the platform, or of an account. */
  dataConnections: (ownerId: string | undefined) =>
    ownerId === undefined ? 'DATA_CONNECTIONS' : `DATA_CONNECTIONS#${ownerId}`,
  grants: (uid: string) => `GRANTS#${uid}`,
  workflows: (uid: string) => `WORKFLOWS#${uid}`,
  registeredIssuers: (accountId: string) => `REGISTERED_ISSUERS#${accountId}`,
  users: (beginning: string) => `USERS#${beginning}`,
};

/** Partition keys of the index `sublists`. */
export const sublists = {
  visibleRepositories: (accountId: string) => `VISIBLE#${accountId}`,
  /** Registered issuers by the time of their next fetch. */
  dueIssuers: (shard: string) => `DUE_ISSUERS#${shard}`,
  /** The trusted workflows of one issuer in one account. */
  trustsOfIssuer: (accountId: string, issuer: string) => `TRUSTS_OF_ISSUER#${accountId}#${digest(issuer)}`,
  createdKeyCount: (accountId: string, creatorId: string) => `KEYS_MADE#${accountId}#${creatorId}`,
  /** Contains the beginning of the folded display name. It is the only text of a user in a key. */
  usersByName: (beginning: string) => `USERS_NAMED#${beginning}`,
};

/** Partition keys of the index `names`: public repositories, and the others. */
export const names = {
  public: (accountId: string) => `PUBLIC_NAMES#${accountId}`,
  hidden: (accountId: string) => `HIDDEN_NAMES#${accountId}`,
};

/** Returns the position in a list: oldest first. The ID distinguishes items of the same millisecond. */
export function listPosition(createdAt: string, id: string): string {
  return `${createdAt}#${id}`;
}

/** Returns the keys of an item in a list. */
export function inList(partition: string, createdAt: string, id: string) {
  return { partition, position: listPosition(createdAt, id) };
}

/** Returns 1 for a membership that counts as an owner of an organization, and 0 for others. */
export function ownerCountOf(membership: {
  role: MembershipRole;
  state: string;
  repository_id?: string | undefined;
}): number {
  return membership.role === 'owners' && membership.state === 'member' && membership.repository_id === undefined
    ? 1
    : 0;
}

/** Returns the text that addresses an item with trusted workflows, from the texts of `matchKeysOf`. */
export function matchKeyOf(issuer: string, parts: readonly string[]): string {
  return digest(issuer, ...parts);
}

function hash(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

function digest(...parts: readonly (string | null)[]): string {
  return hash(JSON.stringify(parts));
}
