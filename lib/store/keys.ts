import { createHash } from 'node:crypto';
import type { MembershipRole } from '../domain/accounts/memberships.ts';

/**
 * The keys of all items in the single table. `#` separates the parts of a key. External text that could contain `#` is
 * hashed.
 *
 * | item | pk | sk | list_pk | list_sk |
 * |---|---|---|---|---|
 * | account (list: enabled user accounts) | ACCOUNT#id | ACCOUNT | PEOPLE#beginning | id |
 * | service account | ACCOUNT#id | ACCOUNT | SERVICE_ACCOUNTS#owner | created_at#id |
 * | deleted account, which reserves its ID forever | ACCOUNT#id | DELETED | | |
 * | number of service accounts of an account | ACCOUNT#id | SERVICE_ACCOUNTS | | |
 * | membership | MEMBERSHIP#id | MEMBERSHIP | MEMBERS#scope | created_at#id |
 * | role (accepted membership) | ACCOUNT#member | ROLE#scope | | |
 * | membership in its member's lists: accepted | ACCOUNT#member | MEMBERSHIP#created_at#id | | |
 * | membership in its member's lists: open | INVITATIONS#member | created_at#id | | |
 * | membership in its member's lists: revoked | REVOKED#member | state_changed#id | | |
 * | number of accepted memberships | ACCOUNT#member | MEMBERSHIPS | | |
 * | open invitation, one for each invited account | INVITED#scope | OPEN#kind#invited | | |
 * | revision that detects concurrent invitations of a scope | INVITED#scope | REVISION | | |
 * | invitations from one account to another | INVITING#account | ACCOUNT#invited | | |
 * | invitations from a new account | INVITING#account | DAY | | |
 * | blocked account | BLOCKED#by | ACCOUNT#blocked | BLOCKED_ACCOUNTS#by | blocked_at#blocked |
 * | number of blocked accounts | BLOCKED#by | COUNT | | |
 * | identity of a user (issuer and subject) | IDENTITY#hash | PERSON | | |
 * | accounts that a user created in a day | ACCOUNTS_CREATED#hash | DAY#day | | |
 * | API key | API_KEY#access_key_id | API_KEY | API_KEYS#scope | created_at#id |
 * | newest API keys of a scope | API_KEYS#scope | NEWEST | | |
 * | repository | REPOSITORY#account/id | REPOSITORY | REPOSITORIES#account | published#id |
 * | deleted repository | REPOSITORY#account/id | DELETED#uid | | |
 * | new location of a transferred repository | REPOSITORY#account/id | FORWARDING | | |
 * | path whose data is no longer public | REPOSITORY#account/id | CLOSED | | |
 * | reopenings of an account in an hour | REOPENINGS#account | HOUR#hour | | |
 * | number and limit of the repositories of an account | ACCOUNT#id | REPOSITORIES | | |
 * | offer of a repository | TRANSFER#id | TRANSFER | TRANSFERS#from | created_at#id |
 * | offer in the receiver's list | TRANSFER#id | INCOMING | TRANSFERS#to | created_at#id |
 * | storage prefix | PREFIX#connection#prefix | PREFIX | | |
 * | data connection | DATA_CONNECTION#id | DATA_CONNECTION | DATA_CONNECTIONS | created_at#id |
 * | service-account key | SERVICE_KEY#hash | SERVICE_KEY | | |
 * | pointer to a service-account key | SERVICE_ACCOUNT#uid | KEY#key_id | | |
 * | last use of a service-account key | KEY_USE#hash | KEY_USE | | |
 * | grant | SERVICE_ACCOUNT#uid | GRANT#repository_id | GRANTS#uid | created_at#id |
 * | trusted workflow | WORKFLOW#account#hash | WORKFLOW | WORKFLOWS#uid | created_at#id |
 * | pointer to a trusted workflow | SERVICE_ACCOUNT#uid | WORKFLOW#workflow_id | | |
 * | last refused sign-in | SIGN_IN_REFUSALS#account | LAST | | |
 * | recorded cause of a refused sign-in | SIGN_IN_REFUSALS#account | CAUSE#cause | | |
 * | refused sign-ins in an hour | SIGN_IN_REFUSALS#account | HOUR#hour | | |
 * | refused sign-ins from one repository owner in a minute | SIGN_IN_REFUSALS#hash | MINUTE#minute | | |
 * | accepted sign-in of a minute | SIGN_INS#account | time#name | | |
 * | idempotency key | IDEMPOTENCY#hash | IDEMPOTENCY | | |
 * | revocation feed | FEED#minute | time#batch | | |
 * | search index in use | SEARCH#index | INDEX | | |
 * | part of a search index | SEARCH#part#index_id#number | PART | | |
 * | changes since the index build | SEARCH#changes | time#batch | | |
 * | expiry marker | pk of the key | KEY_EXPIRING, KEY_EXPIRED | | |
 * | account searches of a user in a minute | ACCOUNT_SEARCHES#account | MINUTE#minute | | |
 * | data credentials issued to a user in a minute | DATA_CREDENTIALS#account | MINUTE#minute | | |
 * | connection tests of a user in a minute | CONNECTION_TESTS#account | MINUTE#minute | | |
 * | audit event | AUDIT#account | time#id | | |
 * | data migration | MIGRATION#name | MIGRATION | | |
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

/** Returns the key of an item. */
export function keyOf({ pk, sk }: Readonly<Record<string, unknown>>): Key {
  return { pk: String(pk), sk: String(sk) };
}

export function scopeOf(scope: { account_id: string; repository_id?: string | undefined }): string {
  return scope.repository_id === undefined ? scope.account_id : `${scope.account_id}/${scope.repository_id}`;
}

export const keys = {
  account: (accountId: string): Key => ({ pk: `ACCOUNT#${accountId}`, sk: 'ACCOUNT' }),
  deletedAccount: (accountId: string): Key => ({ pk: `ACCOUNT#${accountId}`, sk: 'DELETED' }),
  serviceAccountCount: (accountId: string): Key => ({ pk: `ACCOUNT#${accountId}`, sk: 'SERVICE_ACCOUNTS' }),
  person: (issuer: string, identityId: string): Key => ({
    pk: `IDENTITY#${digest(JSON.stringify([issuer, identityId]))}`,
    sk: 'PERSON',
  }),
  accountsCreated: (issuer: string, identityId: string, day: string): Key => ({
    pk: `ACCOUNTS_CREATED#${digest(JSON.stringify([issuer, identityId]))}`,
    sk: `DAY#${day}`,
  }),
  membership: (membershipId: string): Key => ({ pk: `MEMBERSHIP#${membershipId}`, sk: 'MEMBERSHIP' }),
  acceptedMembership: (memberId: string, createdAt: string, membershipId: string): Key => ({
    pk: `ACCOUNT#${memberId}`,
    sk: `MEMBERSHIP#${createdAt}#${membershipId}`,
  }),
  openMembership: (memberId: string, createdAt: string, membershipId: string): Key => ({
    pk: `INVITATIONS#${memberId}`,
    sk: `${createdAt}#${membershipId}`,
  }),
  revokedMembership: (memberId: string, stateChanged: string, membershipId: string): Key => ({
    pk: `REVOKED#${memberId}`,
    sk: `${stateChanged}#${membershipId}`,
  }),
  acceptedCount: (memberId: string): Key => ({ pk: `ACCOUNT#${memberId}`, sk: 'MEMBERSHIPS' }),
  openInvitation: (scope: string, kind: string, invitedId: string): Key => ({
    pk: `INVITED#${scope}`,
    sk: `OPEN#${kind}#${invitedId}`,
  }),
  invitedRevision: (scope: string): Key => ({ pk: `INVITED#${scope}`, sk: 'REVISION' }),
  invitationsToOne: (accountId: string, invitedId: string): Key => ({
    pk: `INVITING#${accountId}`,
    sk: `ACCOUNT#${invitedId}`,
  }),
  invitationsOfDay: (accountId: string): Key => ({ pk: `INVITING#${accountId}`, sk: 'DAY' }),
  blockedAccount: (byId: string, blockedId: string): Key => ({ pk: `BLOCKED#${byId}`, sk: `ACCOUNT#${blockedId}` }),
  blockedCount: (byId: string): Key => ({ pk: `BLOCKED#${byId}`, sk: 'COUNT' }),
  role: (memberId: string, scope: string): Key => ({ pk: `ACCOUNT#${memberId}`, sk: `ROLE#${scope}` }),
  apiKey: (accessKeyId: string): Key => ({ pk: `API_KEY#${accessKeyId}`, sk: 'API_KEY' }),
  newestApiKeys: (scope: string): Key => ({ pk: `API_KEYS#${scope}`, sk: 'NEWEST' }),
  repository: (accountId: string, repositoryId: string): Key => ({
    pk: `REPOSITORY#${accountId}/${repositoryId}`,
    sk: 'REPOSITORY',
  }),
  deletedRepository: (accountId: string, repositoryId: string, uid: string): Key => ({
    pk: `REPOSITORY#${accountId}/${repositoryId}`,
    sk: `DELETED#${uid}`,
  }),
  forwarding: (accountId: string, repositoryId: string): Key => ({
    pk: `REPOSITORY#${accountId}/${repositoryId}`,
    sk: 'FORWARDING',
  }),
  closedPath: (accountId: string, repositoryId: string): Key => ({
    pk: `REPOSITORY#${accountId}/${repositoryId}`,
    sk: 'CLOSED',
  }),
  reopenings: (accountId: string, hour: string): Key => ({ pk: `REOPENINGS#${accountId}`, sk: `HOUR#${hour}` }),
  repositoryCount: (accountId: string): Key => ({ pk: `ACCOUNT#${accountId}`, sk: 'REPOSITORIES' }),
  transfer: (transferId: string): Key => ({ pk: `TRANSFER#${transferId}`, sk: 'TRANSFER' }),
  incomingTransfer: (transferId: string): Key => ({ pk: `TRANSFER#${transferId}`, sk: 'INCOMING' }),
  prefix: (dataConnectionId: string, prefix: string): Key => ({
    pk: `PREFIX#${dataConnectionId}#${prefix}`,
    sk: 'PREFIX',
  }),
  dataConnection: (id: string): Key => ({ pk: `DATA_CONNECTION#${id}`, sk: 'DATA_CONNECTION' }),
  serviceKey: (keyHash: string): Key => ({ pk: `SERVICE_KEY#${keyHash}`, sk: 'SERVICE_KEY' }),
  serviceKeyPointer: (uid: string, keyId: string): Key => ({ pk: `SERVICE_ACCOUNT#${uid}`, sk: `KEY#${keyId}` }),
  serviceKeyUse: (keyHash: string): Key => ({ pk: `KEY_USE#${keyHash}`, sk: 'KEY_USE' }),
  grant: (uid: string, repositoryId: string): Key => ({ pk: `SERVICE_ACCOUNT#${uid}`, sk: `GRANT#${repositoryId}` }),
  workflow: (serviceAccountId: string, issuer: string, subjectKey: string): Key => ({
    pk: `WORKFLOW#${serviceAccountId}#${digest(JSON.stringify([issuer, subjectKey]))}`,
    sk: 'WORKFLOW',
  }),
  workflowPointer: (uid: string, workflowId: string): Key => ({
    pk: `SERVICE_ACCOUNT#${uid}`,
    sk: `WORKFLOW#${workflowId}`,
  }),
  refusedSignIn: (serviceAccountId: string): Key => ({ pk: `SIGN_IN_REFUSALS#${serviceAccountId}`, sk: 'LAST' }),
  refusedSignInCause: (serviceAccountId: string, cause: string): Key => ({
    pk: `SIGN_IN_REFUSALS#${serviceAccountId}`,
    sk: `CAUSE#${cause}`,
  }),
  refusedSignInTally: (serviceAccountId: string, hour: string): Key => ({
    pk: `SIGN_IN_REFUSALS#${serviceAccountId}`,
    sk: `HOUR#${hour}`,
  }),
  refusedSignInsFrom: (issuer: string, repositoryOwnerId: string | null, minute: string): Key => ({
    pk: `SIGN_IN_REFUSALS#${digest(JSON.stringify([issuer, repositoryOwnerId]))}`,
    sk: `MINUTE#${minute}`,
  }),
  signIn: (accountId: string, time: string, name: string): Key => ({
    pk: `SIGN_INS#${accountId}`,
    sk: `${time}#${name}`,
  }),
  dataCredentialsIssued: (accountId: string, minute: string): Key => ({
    pk: `DATA_CREDENTIALS#${accountId}`,
    sk: `MINUTE#${minute}`,
  }),
  connectionTests: (accountId: string, minute: string): Key => ({
    pk: `CONNECTION_TESTS#${accountId}`,
    sk: `MINUTE#${minute}`,
  }),
  accountSearches: (accountId: string, minute: string): Key => ({
    pk: `ACCOUNT_SEARCHES#${accountId}`,
    sk: `MINUTE#${minute}`,
  }),
  idempotency: (scope: string): Key => ({ pk: `IDEMPOTENCY#${digest(scope)}`, sk: 'IDEMPOTENCY' }),
  migration: (name: string): Key => ({ pk: `MIGRATION#${name}`, sk: 'MIGRATION' }),
  searchIndex: (): Key => ({ pk: 'SEARCH#index', sk: 'INDEX' }),
  searchIndexPart: (indexId: string, part: number): Key => ({ pk: `SEARCH#part#${indexId}#${part}`, sk: 'PART' }),
  searchChange: (time: string, batchId: string): Key => ({ pk: 'SEARCH#changes', sk: `${time}#${batchId}` }),
  auditEvent: (accountId: string, time: string, eventId: string): Key => ({
    pk: `AUDIT#${accountId}`,
    sk: `${time}#${eventId}`,
  }),
};

/** Partition keys of the index `lists`. */
export const lists = {
  serviceAccounts: (ownerId: string) => `SERVICE_ACCOUNTS#${ownerId}`,
  blockedAccounts: (byId: string) => `BLOCKED_ACCOUNTS#${byId}`,
  members: (scope: string) => `MEMBERS#${scope}`,
  apiKeys: (scope: string) => `API_KEYS#${scope}`,
  repositories: (accountId: string) => `REPOSITORIES#${accountId}`,
  transfers: (accountId: string) => `TRANSFERS#${accountId}`,
  dataConnections: () => 'DATA_CONNECTIONS',
  grants: (uid: string) => `GRANTS#${uid}`,
  workflows: (uid: string) => `WORKFLOWS#${uid}`,
  people: (beginning: string) => `PEOPLE#${beginning}`,
};

/** Partition keys of the index `sublists`. */
export const sublists = {
  visibleRepositories: (accountId: string) => `VISIBLE#${accountId}`,
  createdKeyCount: (accountId: string, creatorId: string) => `KEYS_MADE#${accountId}#${creatorId}`,
  /** Contains the beginning of the folded display name. It is the only text of a user in a key. */
  peopleByName: (beginning: string) => `PEOPLE_NAMED#${beginning}`,
};

/** Partition keys of the index `names`: public repositories, and the others. */
export const names = {
  public: (accountId: string) => `PUBLIC_NAMES#${accountId}`,
  hidden: (accountId: string) => `HIDDEN_NAMES#${accountId}`,
};

/**
 * Returns the position in a list. The order is oldest first, and the ID distinguishes items of the same millisecond.
 */
export function listPosition(createdAt: string, id: string): string {
  return `${createdAt}#${id}`;
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

function digest(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
