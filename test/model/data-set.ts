// The reference model of access. Its only sources are the specification and the decisions, and it imports nothing from
// `lib`. It can therefore disagree with the service. This file defines the data, the callers, and the questions.
export type Role = 'owners' | 'maintainers' | 'read_data' | 'write_data';
export type Flag = 'admin' | 'create_repositories' | 'create_organizations';
export type Mode = 'open' | 'subscription' | 'private';
export type AccountType = 'user' | 'organization' | 'service';
type Thing = {
  id: string;
  uid: string;
  disabledBy: 'owner' | 'admin' | undefined;
  /** If true, credentials that came from a key may not write in this repository, or as this service account. */
  federatedOnly?: boolean | undefined;
};

// `identity`: the user's. `owner`: the account that owns a service account. `uid`: changes with each new creation.
export type Account = Thing & {
  type: AccountType;
  flags: Flag[];
  identity?: string | undefined;
  owner?: string | undefined;
};
/** `uid`: the internal ID in grants, repository memberships, repository keys, and limited credentials. */
export type Repository = Thing & { account: string; mode: Mode; state: 'listed' | 'unlisted'; connection: string };
type Scope = { account: string; repository?: { id: string; uid: string } | undefined };
export type Membership = Scope & { id: string; member: string; role: Role; state: 'invited' | 'member' | 'revoked' };
type Key = { id: string; revoked: boolean; expired: boolean };

/** `configuredAdmins`: identities. `transfers`: open transfers. `keys`: keys of accounts and of repositories. */
export interface DataSet {
  accounts: Account[];
  repositories: Repository[];
  memberships: Membership[];
  /** `owner`: the account of a connection that is not the platform's. */
  connections: { id: string; readOnly: boolean; requiredFlag?: Flag | undefined; modes: Mode[]; owner?: string }[];
  keys: (Scope & Key)[];
  /** Sign-in keys of service accounts, and their grants. These refer to accounts and repositories by `uid`. */
  signInKeys: (Key & { serviceAccount: string })[];
  workflows: { subject: string; serviceAccount: string }[];
  grants: { serviceAccount: string; repository: string; access: 'read' | 'read_write' }[];
  transfers: { id: string; from: string; to: string }[];
  /** Links to private data. `repository`: the repository's `uid`. `ended`: a disabled account or repository ended it. */
  links: { id: string; repository: string; creator: string; prefix: string; ended: boolean }[];
  configuredAdmins: string[];
  /** The keys and workflows whose sessions an owner has ended. */
  endedSources: string[];
}

/** Temporary credentials. Those of a user may be limited to the `uid` of one repository. */
type Session = {
  account: string;
  uid: string;
  role: 'FullAccess' | 'ReadOnly';
  narrowedTo?: string | undefined;
  /** The key or workflow for which credentials of a service account were issued. */
  source?: { kind: 'key' | 'workflow'; id: string } | undefined;
};
export type Caller =
  | { kind: 'anonymous' | 'invalid' }
  | { kind: 'user'; identity: string }
  | { kind: 'key' | 'sign-in-key'; id: string }
  | { kind: 'workflow'; subject: string }
  | (Session & { kind: 'session'; expired: boolean });

/** The resource in a path. An unknown ID means a missing resource. */
type Named = 'account' | 'repository' | 'membership' | 'key' | 'connection' | 'transfer';
type Target = { [name in Named]?: string | undefined };
type Input = { role?: Role; accountType?: AccountType; connection?: string };
export type Question = { dataSet: DataSet; caller: Caller; operation: string; target: Target; input: Input };
/** The expected answer. A number is the status of a refusal. `refused`: the specification leaves the status open. */
export type Answer = 'allowed' | 'refused' | 400 | 401 | 403 | 404;

export const findAccount = (dataSet: DataSet, id: string | undefined) =>
  dataSet.accounts.find((account) => account.id === id);
export const findRepository = (dataSet: DataSet, account?: string, id?: string) =>
  dataSet.repositories.find((repository) => repository.account === account && repository.id === id);
export const membershipsOf = (dataSet: DataSet, account: Account | undefined) =>
  dataSet.memberships.filter(({ member, state }) => member === account?.id && state === 'member');
export const keyOf = (dataSet: DataSet, caller: Caller) =>
  caller.kind === 'key' ? dataSet.keys.find(({ id }) => id === caller.id) : undefined;
/** Returns the account of a caller. A key of a repository acts only for the repository. */
export function accountOf(dataSet: DataSet, caller: Caller): Account | undefined {
  if (caller.kind === 'user') return dataSet.accounts.find(({ identity }) => identity === caller.identity);
  if (caller.kind === 'session') return dataSet.accounts.find(({ uid }) => uid === caller.uid);
  const key = keyOf(dataSet, caller);
  return key?.repository ? undefined : findAccount(dataSet, key?.account);
}
