/** Operations whose path can name an account or a repository. The callers who may use them differ in the two cases. */
export const repositoryCase = ' of a repository';

/** Operations on a data connection that belongs to an account. Other connections belong to the platform. */
export const ownedCase = ' of an account';

export const callerKinds = [
  'anonymous',
  /** A caller who is signed in and has no account. */
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
  /** A user who was invited as `owners` of account and repository, and has not answered. */
  'invited',
  /** A user whose role `owners` of account and repository was removed. */
  'revoked',
  /**
   * A disabled user who otherwise has the most rights: the user of the target account, or one of `owners` with every
   * flag except `admin`.
   */
  'disabled_user',
  'disabled_admin',
  /** API keys of three users: `self`, one of `owners`, and an admin. */
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
 * The result of authorization: `unauthenticated` is a 401, `denied` a 403. With `allowed`, the state of the target
 * decides the response.
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
