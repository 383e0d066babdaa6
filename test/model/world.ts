/**
 * The reference model of access: who may do what to whom, now. It is written from the specification and the decisions alone, so that it
 * can disagree with the service, and imports nothing of `lib`. This file says what a world, a caller and a question are.
 */
export type Role = 'owners' | 'maintainers' | 'read_data' | 'write_data';
export type Flag = 'admin' | 'create_repositories' | 'create_organizations';
export type Mode = 'open' | 'subscription' | 'private';
export type AccountType = 'user' | 'organization' | 'service';
type Thing = { id: string; uid: string; disabledBy: 'owner' | 'admin' | undefined };

/** `identity`: of a person. `owner`: of an owned service account. `uid`: what a service account made anew does not share. */
export type Account = Thing & {
  type: AccountType;
  flags: Flag[];
  identity?: string | undefined;
  owner?: string | undefined;
};
/** `uid`: the internal id that grants, repository memberships, repository keys and narrowed credentials carry. */
export type Repository = Thing & { account: string; mode: Mode; state: 'listed' | 'unlisted'; connection: string };
type Scope = { account: string; repository?: { id: string; uid: string } | undefined };
export type Membership = Scope & { id: string; member: string; role: Role; state: 'invited' | 'member' | 'revoked' };
type Key = { id: string; revoked: boolean; expired: boolean };

/** `keys` are those of accounts of every type and of repositories, `transfers` open offers, `configuredAdmins` identities. */
export interface World {
  accounts: Account[];
  repositories: Repository[];
  memberships: Membership[];
  connections: { id: string; readOnly: boolean; requiredFlag?: Flag | undefined; modes: Mode[] }[];
  keys: (Scope & Key)[];
  /** With what a service account signs in, and what it was granted; accounts and repositories stand here by their `uid`. */
  signInKeys: (Key & { serviceAccount: string })[];
  workflows: { subject: string; serviceAccount: string }[];
  grants: { serviceAccount: string; repository: string; access: 'read' | 'read_write' }[];
  transfers: { id: string; from: string; to: string }[];
  configuredAdmins: string[];
}

/** Temporary credentials are a `session`; those of a person may be narrowed to one repository's `uid`. */
type Session = { account: string; uid: string; role: 'FullAccess' | 'ReadOnly'; narrowedTo?: string | undefined };
export type Caller =
  | { kind: 'anonymous' | 'invalid' }
  | { kind: 'person'; identity: string }
  | { kind: 'key' | 'sign-in-key'; id: string }
  | { kind: 'workflow'; subject: string }
  | (Session & { kind: 'session'; expired: boolean });

/** What a path names; an id that the world does not hold is something absent. */
type Named = 'account' | 'repository' | 'membership' | 'key' | 'connection' | 'transfer';
type Target = { [name in Named]?: string | undefined };
type Input = { role?: Role; accountType?: AccountType; connection?: string };
export type Question = { world: World; caller: Caller; operation: string; target: Target; input: Input };
/** A number is the status of a refusal; `refused` leaves it open, because nothing written says which. */
export type Answer = 'allowed' | 'refused' | 400 | 401 | 403 | 404;

export const findAccount = (world: World, id: string | undefined) =>
  world.accounts.find((account) => account.id === id);
export const findRepository = (world: World, account?: string, id?: string) =>
  world.repositories.find((repository) => repository.account === account && repository.id === id);
export const membershipsOf = (world: World, account: Account | undefined) =>
  world.memberships.filter(({ member, state }) => member === account?.id && state === 'member');
export const keyOf = (world: World, caller: Caller) =>
  caller.kind === 'key' ? world.keys.find(({ id }) => id === caller.id) : undefined;
/** The account that a caller acts as; a key of a repository acts as the repository alone. */
export function accountOf(world: World, caller: Caller): Account | undefined {
  if (caller.kind === 'person') return world.accounts.find(({ identity }) => identity === caller.identity);
  if (caller.kind === 'session') return world.accounts.find(({ uid }) => uid === caller.uid);
  const key = keyOf(world, caller);
  return key?.repository ? undefined : findAccount(world, key?.account);
}
