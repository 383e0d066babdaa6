/** Operations whose path ID may belong to a repository. Other callers may then use them than for an account. */
export const repositoryCase = ' of a repository';

/** Operations on a data connection of an account. The other case is a connection of the platform. */
export const ownedCase = ' of an account';

export const callerKinds = [
  'anonymous',
  /** Signed in without an account. */
  'newcomer',
  /** The user of the target account, with the flag `create_organizations`. */
  'self',
  'stranger',
  /** Members of the account. */
  'owners',
  'maintainers',
  'read_data',
  'write_data',
  /** Members of the repository. */
  'repository_owners',
  'repository_maintainers',
  'repository_read_data',
  'repository_write_data',
  /** Invited as `owners` of account and repository, and has not answered. */
  'invited',
  /** Former `owners` of account and repository. */
  'revoked',
  /**
   * A disabled user who otherwise has the most rights: the user of the target account, or one of `owners` with every
   * flag except `admin`.
   */
  'disabled_user',
  'disabled_admin',
  /** API keys of `self`, of one of `owners`, and of an admin. */
  'self_key',
  'owner_key',
  'admin_key',
  /** API keys of a platform service account, of the organization, and of the repository. */
  'service_key',
  'organization_key',
  'repository_key',
  'admin',
] as const;
export type CallerKind = (typeof callerKinds)[number];

/**
 * Result of authorization: `unauthenticated` is a 401, `denied` a 403. With `allowed`, the state of the target decides.
 */
export type Verdict = 'allowed' | 'denied' | 'unauthenticated';

/** Type of the target account. `any` for an operation without a target account. */
export type Scope = 'user' | 'organization' | 'service' | 'any';

/**
 * The part of the matrix that section 4.1 of the specification numbers: one verdict for each kind of caller, in the
 * order of `callerKinds`.
 */
export type NumberedRows = Readonly<
  Record<string, { readonly number: number } & { readonly [Type in Scope]?: readonly Verdict[] }>
>;
