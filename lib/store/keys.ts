import { createHash } from 'node:crypto';
import type { MembershipRole } from '../domain/accounts/memberships.ts';
import { isDay } from '../domain/usage/periods.ts';
import type { UsageScope } from '../domain/usage/usage.ts';

/**
 * The keys of all items in the single table. `#` separates the parts of a key. Untrusted text that could contain `#` is
 * hashed.
 *
 * Some items are also in other indexes: in `sublists` (see this file), in `catalogue` (public-index.ts), or in `names`.
 * The index `names` contains each enabled repository, with the partition key PUBLIC_NAMES#account or
 * HIDDEN_NAMES#account, and the sort key `<repository ID>/`.
 *
 * A scope is an account ID, or `account/repository` for a repository.
 */
export interface Key {
  pk: string;
  sk: string;
}

/** An item with its attributes, as in the table. */
export type Item = Record<string, unknown>;

export function keyOf({ pk, sk }: Readonly<Record<string, unknown>>): Key {
  return { pk: String(pk), sk: String(sk) };
}

export function scopeOf(scope: { account_id: string; repository_id?: string | undefined }): string {
  return scope.repository_id === undefined ? scope.account_id : `${scope.account_id}/${scope.repository_id}`;
}

const at = (pk: string, sk: string): Key => ({ pk, sk });

export const keys = {
  /** The usage of a day (`2026-11-28`) or a month (`2026-11`). */
  usage: (scope: UsageScope, period: string) => at(usagePartition(scope), usagePosition(period)),
  /** The repositories that the front page shows first. */
  featured: () => at('SITE#FEATURED', 'FEATURED'),
  account: (accountId: string) => at(`ACCOUNT#${accountId}`, 'ACCOUNT'),
  /** The permanent marker of a deleted account. No other account can get its ID. */
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
  /**
   * Prevents a second open invitation from one scope to one account. The key contains the internal ID of the
   * repository, because a later repository can have the same name.
   */
  openInvitation: (scope: string, kind: string, invitedId: string, repositoryUid?: string) =>
    at(`INVITED#${scope}`, `OPEN#${kind}#${invitedId}${repositoryUid === undefined ? '' : `#${repositoryUid}`}`),
  /** Counts changes of a scope's invitations, so that a write detects a simultaneous invitation from the scope. */
  invitedRevision: (scope: string) => at(`INVITED#${scope}`, 'REVISION'),
  invitationsToOne: (accountId: string, invitedId: string) => at(`INVITING#${accountId}`, `ACCOUNT#${invitedId}`),
  invitationsOfDay: (accountId: string) => at(`INVITING#${accountId}`, 'DAY'),
  invitationLink: (linkId: string) => at(`INVITATION_LINK#${linkId}`, 'LINK'),
  /** Counts the open invitation links of a scope. */
  openInvitationLinks: (scope: string, repositoryUid?: string) =>
    at(`INVITATION_LINKS#${scope}`, repositoryUid === undefined ? 'OPEN' : `OPEN#${repositoryUid}`),
  invitationLinkUses: (accountId: string, minute: string) =>
    at(`INVITATION_LINK_USES#${accountId}`, `MINUTE#${minute}`),
  /** A link to private data. */
  link: (linkId: string) => at(`LINK#${linkId}`, 'LINK'),
  /** Counts the open links to the data of a repository. */
  openLinks: (repositoryUid: string) => at(`LINKS#${repositoryUid}`, 'OPEN'),
  linkUses: (linkId: string, minute: string) => at(`LINK_USES#${linkId}`, `MINUTE#${minute}`),
  blockedAccount: (byId: string, blockedId: string) => at(`BLOCKED#${byId}`, `ACCOUNT#${blockedId}`),
  blockedCount: (byId: string) => at(`BLOCKED#${byId}`, 'COUNT'),
  /** The role of a member, which exists only while the membership is accepted. */
  role: (memberId: string, scope: string) => at(`ACCOUNT#${memberId}`, `ROLE#${scope}`),
  apiKey: (accessKeyId: string) => at(`API_KEY#${accessKeyId}`, 'API_KEY'),
  /** The newest API keys of a scope. The index of keys may not contain them yet. */
  newestApiKeys: (scope: string) => at(`API_KEYS#${scope}`, 'NEWEST'),
  repository: (accountId: string, repositoryId: string) => at(`REPOSITORY#${accountId}/${repositoryId}`, 'REPOSITORY'),
  deletedRepository: (accountId: string, repositoryId: string, uid: string) =>
    at(`REPOSITORY#${accountId}/${repositoryId}`, `DELETED#${uid}`),
  /**
   * The scheduled deletion of a repository. DynamoDB's time to live deletes this item when the repository must be
   * deleted.
   */
  repositoryDeletion: (accountId: string, repositoryId: string, uid: string) =>
    at(`REPOSITORY#${accountId}/${repositoryId}`, `DELETION#${uid}`),
  /** Marks a path that held a citable version of a repository, so that no other repository gets the path. */
  citedPath: (accountId: string, repositoryId: string) => at(`REPOSITORY#${accountId}/${repositoryId}`, 'CITED'),
  /** Reserves the path of a deleted repository while its files are being deleted. */
  deletingPath: (accountId: string, repositoryId: string) => at(`REPOSITORY#${accountId}/${repositoryId}`, 'DELETING'),
  /** The new path of a transferred repository. */
  forwarding: (accountId: string, repositoryId: string) => at(`REPOSITORY#${accountId}/${repositoryId}`, 'FORWARDING'),
  /** Marks a path whose data was public and is private now. */
  closedPath: (accountId: string, repositoryId: string) => at(`REPOSITORY#${accountId}/${repositoryId}`, 'CLOSED'),
  /**
   * A version of a repository. No other item is in its partition, so a change of it invalidates only this version in
   * caches.
   */
  repositoryVersion: (versionsUid: string, name: string) => at(`VERSION#${versionsUid}#${name}`, 'VERSION'),
  /** The last verification of a version. */
  versionVerification: (versionUid: string) => at(`VERSION_VERIFICATION#${versionUid}`, 'VERIFICATION'),
  /** A background job of a repository. */
  repositoryJob: (jobId: string) => at(`REPOSITORY_JOB#${jobId}`, 'JOB'),
  /** The result of the last inventory of a repository's files. The item is in addition to the inventory's job. */
  inventory: (repositoryUid: string) => at(`REPOSITORY_JOB#${repositoryUid}`, 'INVENTORY'),
  inventoryRequests: (accountId: string, hour: string) => at(`INVENTORY_REQUESTS#${accountId}`, `HOUR#${hour}`),
  /** The number of a repository's versions. */
  repositoryVersionCount: (versionsUid: string) => at(`VERSIONS#${versionsUid}`, 'COUNT'),
  reopenings: (accountId: string, hour: string) => at(`REOPENINGS#${accountId}`, `HOUR#${hour}`),
  repositoryCount: (accountId: string) => at(`ACCOUNT#${accountId}`, 'REPOSITORIES'),
  transfer: (transferId: string) => at(`TRANSFER#${transferId}`, 'TRANSFER'),
  /** The copy of a transfer offer for the list of the receiving account. */
  incomingTransfer: (transferId: string) => at(`TRANSFER#${transferId}`, 'INCOMING'),
  prefix: (dataConnectionId: string, prefix: string) => at(`PREFIX#${dataConnectionId}#${prefix}`, 'PREFIX'),
  dataConnection: (id: string) => at(`DATA_CONNECTION#${id}`, 'DATA_CONNECTION'),
  /** Counts the repositories on a data connection of an account. */
  dataConnectionUse: (id: string) => at(`DATA_CONNECTION_USE#${id}`, 'USE'),
  /** The last failure of a data connection's storage. The data proxy writes it. */
  storageHealth: (id: string) => at(`STORAGE_HEALTH#${id}`, 'HEALTH'),
  /** Reserves the ID of a deleted data connection on which repositories were created. */
  deletedDataConnection: (id: string) => at(`DATA_CONNECTION_USE#${id}`, 'DELETED'),
  /** The data connections of a bucket (see `bucketOf`). */
  storageBucket: (bucket: string) => at(`STORAGE_BUCKET#${digest(bucket)}`, 'BUCKET'),
  dataConnectionCount: (accountId: string) => at(`ACCOUNT#${accountId}`, 'DATA_CONNECTIONS'),
  serviceKey: (keyHash: string) => at(`SERVICE_KEY#${keyHash}`, 'SERVICE_KEY'),
  serviceKeyPointer: (uid: string, keyId: string) => at(`SERVICE_ACCOUNT#${uid}`, `KEY#${keyId}`),
  serviceKeyUse: (keyHash: string) => at(`KEY_USE#${keyHash}`, 'KEY_USE'),
  grant: (uid: string, repositoryId: string) => at(`SERVICE_ACCOUNT#${uid}`, `GRANT#${repositoryId}`),
  workflow: (uid: string, workflowId: string) => at(`WORKFLOW#${uid}`, `WORKFLOW#${workflowId}`),
  /** The trusted workflows with the match key `matchKey` (see `matchKeyOf`). */
  workflowMatch: (serviceAccountId: string, matchKey: string) =>
    at(`WORKFLOW#${serviceAccountId}#${matchKey}`, 'MATCH'),
  /**
   * A registered issuer. The key contains the exact `iss`, so an exchange can read it in the same round trip as the
   * trusted workflows.
   */
  registeredIssuer: (accountId: string, issuer: string) => at(`ISSUERS#${accountId}`, `ISSUER#${digest(issuer)}`),
  registeredIssuerCount: (accountId: string) => at(`ISSUERS#${accountId}`, 'COUNT'),
  issuerRegistrations: (accountId: string, hour: string) => at(`ISSUER_REGISTRATIONS#${accountId}`, `HOUR#${hour}`),
  /** Records that a token named an unknown signing key of this issuer. */
  issuerKidMiss: (accountId: string, issuer: string) => at(`ISSUER_KID_MISS#${accountId}#${digest(issuer)}`, 'NOTE'),
  refusedSignIn: (serviceAccountId: string) => at(`SIGN_IN_REFUSALS#${serviceAccountId}`, 'LAST'),
  refusedSignInCause: (serviceAccountId: string, cause: string) =>
    at(`SIGN_IN_REFUSALS#${serviceAccountId}`, `CAUSE#${cause}`),
  /** Counts the refused sign-ins of one service account in an hour. */
  refusedSignInTally: (serviceAccountId: string, hour: string) =>
    at(`SIGN_IN_REFUSALS#${serviceAccountId}`, `HOUR#${hour}`),
  /** Counts the refused sign-ins of one repository owner at a CI system in a minute. */
  refusedSignInsFrom: (issuer: string, repositoryOwnerId: string | null, minute: string) =>
    at(`SIGN_IN_REFUSALS#${digest(issuer, repositoryOwnerId)}`, `MINUTE#${minute}`),
  signIn: (accountId: string, time: string, name: string) => at(`SIGN_INS#${accountId}`, `${time}#${name}`),
  dataCredentialsIssued: (accountId: string, minute: string) => at(`DATA_CREDENTIALS#${accountId}`, `MINUTE#${minute}`),
  newVersions: (accountId: string, day: string) => at(`NEW_VERSIONS#${accountId}`, `DAY#${day}`),
  doiSubmissions: (accountId: string, day: string) => at(`DOI_SUBMISSIONS#${accountId}`, `DAY#${day}`),
  connectionTests: (accountId: string, minute: string) => at(`CONNECTION_TESTS#${accountId}`, `MINUTE#${minute}`),
  accountSearches: (accountId: string, minute: string) => at(`ACCOUNT_SEARCHES#${accountId}`, `MINUTE#${minute}`),
  idempotency: (scope: string) => at(`IDEMPOTENCY#${hash(scope)}`, 'IDEMPOTENCY'),
  migration: (name: string) => at(`MIGRATION#${name}`, 'MIGRATION'),
  searchIndex: () => at('SEARCH#index', 'INDEX'),
  searchIndexPart: (indexId: string, part: number) => at(`SEARCH#part#${indexId}#${part}`, 'PART'),
  searchChange: (time: string, batchId: string) => at('SEARCH#changes', `${time}#${batchId}`),
  auditEvent: (accountId: string, time: string, eventId: string) => at(`AUDIT#${accountId}`, `${time}#${eventId}`),
};

/** Partition keys of the index `lists`. Most items have the sort key `<created_at>#<id>`. */
export const lists = {
  serviceAccounts: (ownerId: string) => `SERVICE_ACCOUNTS#${ownerId}`,
  blockedAccounts: (byId: string) => `BLOCKED_ACCOUNTS#${byId}`,
  members: (scope: string) => `MEMBERS#${scope}`,
  links: (repositoryUid: string) => `LINKS#${repositoryUid}`,
  invitationLinks: (scope: string, repositoryUid?: string) =>
    `INVITATION_LINKS#${scope}${repositoryUid === undefined ? '' : `#${repositoryUid}`}`,
  apiKeys: (scope: string) => `API_KEYS#${scope}`,
  repositories: (accountId: string) => `REPOSITORIES#${accountId}`,
  transfers: (accountId: string) => `TRANSFERS#${accountId}`,
  /** The data connections of the platform, or of an account. */
  dataConnections: (ownerId: string | undefined) =>
    ownerId === undefined ? 'DATA_CONNECTIONS' : `DATA_CONNECTIONS#${ownerId}`,
  grants: (uid: string) => `GRANTS#${uid}`,
  versions: (versionsUid: string) => `VERSIONS#${versionsUid}`,
  fileDeletions: (accountId: string) => `FILE_DELETIONS#${accountId}`,
  workflows: (uid: string) => `WORKFLOWS#${uid}`,
  registeredIssuers: (accountId: string) => `REGISTERED_ISSUERS#${accountId}`,
  /** Accounts by ID. Service accounts that an account owns are not in this list. */
  accounts: (kind: AccountKind) => `ACCOUNTS#${kind}`,
  /** The changes that administrators made only by their flag `admin`. */
  administrativeActions: () => 'ADMINISTRATIVE_ACTIONS',
};

/** Partition keys of the index `sublists`. */
export const sublists = {
  visibleRepositories: (accountId: string) => `VISIBLE#${accountId}`,
  /** Registered issuers by the time of their next fetch. */
  dueIssuers: (shard: string) => `DUE_ISSUERS#${shard}`,
  /** Background jobs of repositories, by the time of their next run. */
  dueRepositoryJobs: (queue: string) => `DUE_REPOSITORY_JOBS#${queue}`,
  /** The trusted workflows of one issuer in one account. */
  trustsOfIssuer: (accountId: string, issuer: string) => `TRUSTS_OF_ISSUER#${accountId}#${digest(issuer)}`,
  createdKeyCount: (accountId: string, creatorId: string) => `KEYS_MADE#${accountId}#${creatorId}`,
  /**
   * Accounts by the start of the display name, in lower case and without accents. Display names and names of data
   * connections are the only user text in table keys.
   */
  accountsByName: (kind: AccountKind) => `ACCOUNTS_NAMED#${kind}`,
  /** Disabled repositories by account and ID. */
  disabledRepositories: () => 'DISABLED_REPOSITORIES',
  /** The administrative actions of one administrator. */
  actionsOfAdministrator: (accountId: string) => `ADMINISTRATIVE_ACTIONS#${accountId}`,
  /** The data connections of the platform and of all accounts, by ID. */
  allDataConnections: () => 'ALL_DATA_CONNECTIONS',
};

/** The partition of the index `catalogue` with all data connections, by the start of the name (see `accountsByName`). */
export const dataConnectionsByName = 'DATA_CONNECTIONS';

/**
 * The kinds of accounts in administrators' lists: enabled users, other enabled accounts, and disabled accounts. A user
 * who invites searches only the first kind.
 */
export const accountKinds = ['users', 'others', 'disabled'] as const;
export type AccountKind = (typeof accountKinds)[number];

/**
 * Partition keys of the index `names`: one for an account's public repositories, and one for its hidden repositories.
 */
export const names = {
  public: (accountId: string) => `PUBLIC_NAMES#${accountId}`,
  hidden: (accountId: string) => `HIDDEN_NAMES#${accountId}`,
};

export function usagePartition(scope: UsageScope): string {
  if (scope === 'service') return 'USAGE#SERVICE';
  return 'account_id' in scope ? `USAGE#ACCOUNT#${scope.account_id}` : `USAGE#REPOSITORY#${scope.repository_uid}`;
}

export function usagePosition(period: string): string {
  return isDay(period) ? `DAY#${period}` : `MONTH#${period}`;
}

/**
 * Returns the sort key of a list entry. Older entries come first. The ID distinguishes items of the same millisecond.
 */
export function listPosition(createdAt: string, id: string): string {
  return `${createdAt}#${id}`;
}

/** Returns the range of the sort keys that begin with the text, which must not be empty. */
export function rangeOfPrefix(text: string): { from: string; to: string } {
  return { from: text, to: `${text}\u{10ffff}` };
}

/** Returns the index keys of an item in a list. */
export function inList(partition: string, createdAt: string, id: string) {
  return { partition, position: listPosition(createdAt, id) };
}

/** Returns 1 if an organization's count of owners includes this membership, and 0 otherwise. */
export function ownerCountOf(membership: {
  role: MembershipRole;
  state: string;
  repository_id?: string | undefined;
}): number {
  return membership.role === 'owners' && membership.state === 'member' && membership.repository_id === undefined
    ? 1
    : 0;
}

/**
 * Returns a hash of the issuer and of the texts of `matchKeysOf`. The key of an item with trusted workflows contains
 * this hash.
 */
export function matchKeyOf(issuer: string, parts: readonly string[]): string {
  return digest(issuer, ...parts);
}

function hash(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

function digest(...parts: readonly (string | null)[]): string {
  return hash(JSON.stringify(parts));
}
