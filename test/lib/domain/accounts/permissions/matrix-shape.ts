import type * as accounts from '../../../../../lib/operations/accounts.ts';
import type * as apiKeys from '../../../../../lib/operations/api-keys.ts';
import type * as dataConnections from '../../../../../lib/operations/data-connections.ts';
import type * as memberships from '../../../../../lib/operations/memberships.ts';
import type { Operation } from '../../../../../lib/operations/operation.ts';
import type * as publicOperations from '../../../../../lib/operations/public.ts';
import type * as repositories from '../../../../../lib/operations/repositories.ts';
import type * as serviceAccounts from '../../../../../lib/operations/service-accounts.ts';
import type * as session from '../../../../../lib/operations/session.ts';
import type * as transfers from '../../../../../lib/operations/transfers.ts';

/** Types of the authorization matrix. A missing cell fails the type check. */

type OperationsOf<Module> = Extract<Module[keyof Module], Operation>;
type DeclaredOperation =
  | OperationsOf<typeof accounts>
  | OperationsOf<typeof apiKeys>
  | OperationsOf<typeof dataConnections>
  | OperationsOf<typeof memberships>
  | OperationsOf<typeof publicOperations>
  | OperationsOf<typeof repositories>
  | OperationsOf<typeof serviceAccounts>
  | OperationsOf<typeof session>
  | OperationsOf<typeof transfers>;

export type OperationOnAccount = Extract<
  DeclaredOperation,
  {
    target:
      | 'account'
      | 'account_if_any'
      | 'repository_if_any'
      | 'scope'
      | 'repository'
      | 'membership'
      | 'api_key'
      | 'service_account'
      | 'incoming_transfer'
      | 'outgoing_transfer';
  }
>;
export type OperationName = DeclaredOperation['name'];

/** Operations whose path ID may belong to a repository. Other callers may then use them than for an account. */
export const repositoryCases = [
  'revoke-api-key of a repository',
  'accept-membership of a repository',
  'reject-membership of a repository',
  'revoke-membership of a repository',
  'update-membership-role of a repository',
  'search-accounts of a repository',
] as const;
type RepositoryCase = (typeof repositoryCases)[number];

export type CaseName = OperationName | RepositoryCase;

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
   * Disabled, otherwise with the most rights: the target user account, or one of `owners` with every flag except
   * `admin`.
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

type Cells<Kinds extends readonly string[]> = { readonly [Index in keyof Kinds]: Verdict };

/** One verdict for each kind of caller, in the order of `callerKinds`. */
export type Row = Cells<typeof callerKinds>;

/** Type of the target account. `any` for an operation without a target account. */
export type Scope = 'user' | 'organization' | 'service' | 'any';

type WithoutAccount = Exclude<OperationName, OperationOnAccount['name'] | 'create-account'>;
/**
 * Operations whose target belongs to a user or an organization. A service account owns no repositories and no service
 * accounts, and receives no transfers.
 */
type WithOwner =
  | RepositoryCase
  | Extract<DeclaredOperation, { target: 'service_account' | 'incoming_transfer' | 'outgoing_transfer' }>['name'];

export type ScopesOf<Name extends CaseName> = Name extends WithoutAccount
  ? 'any'
  : Name extends WithOwner
    ? 'user' | 'organization'
    : 'user' | 'organization' | 'service';

export type Matrix = { readonly [Name in CaseName]: Readonly<Record<ScopesOf<Name>, Row>> };

/** The part of the matrix that section 4.1 of the specification numbers. */
export type NumberedRows = { readonly [Name in CaseName]?: Matrix[Name] & { readonly number: number } };
