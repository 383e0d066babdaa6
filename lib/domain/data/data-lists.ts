import {
  type AccountStatus,
  type DataAction,
  isClosed,
  isSessionValid,
  type ListedRepositoryStatus,
  mayAccessByOwnRight,
  type Principal,
  type PrincipalRights,
  type RepositoryIdentity,
} from './data-access.ts';
import { isOfRepository, type OfRepository } from './internal-ids.ts';

/**
 * Returns the position of a repository in S3 lists. A repository is a key prefix in these lists, so `a-b/` comes before
 * `a/`.
 */
export function namePosition(repositoryId: string): string {
  return `${repositoryId}/`;
}

/** Returns the repositories of an account in which the principal may perform the action, unsorted. */
export function listedRepositories(
  principal: Principal,
  action: DataAction,
  rights: PrincipalRights,
  owner: AccountStatus | undefined,
  repositories: readonly ListedRepositoryStatus[],
): ListedRepositoryStatus[] {
  const mayAccess = accessByOwnRight(principal, action, rights, owner);
  return repositories.filter((repository) => {
    if (isClosed({ owner, repository })) return false;
    if (action === 'read' && repository.data_mode === 'open' && repository.state === 'listed') return true;
    return mayAccess(repository);
  });
}

/**
 * Returns true if the principal has a right in the account that allows the action in all repositories of the account.
 */
export function mayAccessEvery(
  principal: Principal,
  action: DataAction,
  rights: PrincipalRights,
  owner: AccountStatus | undefined,
): boolean {
  return owner !== undefined && accessByOwnRight(principal, action, rights, owner)(undefined);
}

/**
 * Returns the IDs of the repositories in which the principal has an individual right. A listed repository can be
 * deleted by now, and another one can have its ID.
 */
export function givenRepositoryIds(principal: Principal, rights: PrincipalRights, accountId: string): string[] {
  switch (principal.kind) {
    case 'anonymous':
    // The credentials of a link list no repositories.
    case 'link':
      return [];
    case 'service_account': {
      const isOwned = ownerOf(principal) === accountId && isSessionValid(principal, rights);
      return isOwned ? [...rights.grants.keys()] : [];
    }
    case 'user':
    case 'api_key': {
      const named = namedRepositories(principal, rights).filter(({ account_id }) => account_id === accountId);
      return named.map(({ repository_id }) => repository_id);
    }
  }
}

function accessByOwnRight(
  principal: Principal,
  action: DataAction,
  rights: PrincipalRights,
  owner: AccountStatus | undefined,
) {
  const { actingAccount, serviceAccount, grants } = rights;
  const held = rights.roles.filter(({ account_id }) => account_id === owner?.account_id);
  const roles = new Map(held.map((role) => [role.repository_id, role]));
  const account = roles.get(undefined)?.role;
  return (repository: ListedRepositoryStatus | undefined) => {
    const id = repository?.repository_id;
    const here = id === undefined ? {} : { role: roles.get(id), grant: grants.get(id) };
    return mayAccessByOwnRight(principal, action, {
      owner,
      repository,
      actingAccount,
      roles: { account, repository: here.role },
      serviceAccount,
      grant: here.grant,
    });
  };
}

function ownerOf({ service_account_id }: Extract<Principal, { kind: 'service_account' }>): string {
  return service_account_id.slice(0, service_account_id.indexOf('--'));
}

interface RepositoryPath {
  account_id: string;
  repository_id: string;
}

/** Returns the repositories that the principal's rights name. By now, another repository can have the name. */
export function namedRepositories(principal: Principal, { roles }: PrincipalRights): RepositoryPath[] {
  if (principal.kind !== 'api_key' && principal.kind !== 'user') return [];
  const only = onlyRepository(principal);
  return (only === undefined ? roles : [only]).flatMap(({ account_id, repository_id }) =>
    repository_id === undefined ? [] : [{ account_id, repository_id }],
  );
}

/**
 * Returns the only repository that a key or session credentials allow. Returns undefined if they are not limited to
 * one.
 */
function onlyRepository(
  principal: Extract<Principal, { kind: 'api_key' | 'user' }>,
): (RepositoryPath & OfRepository) | undefined {
  if (principal.kind === 'user') {
    const { narrowed_to: narrowedTo } = principal;
    return narrowedTo && { ...narrowedTo, repository_uid: narrowedTo.uid };
  }
  const { account_id, repository_id, repository_uid } = principal;
  return repository_id === undefined ? undefined : { account_id, repository_id, repository_uid };
}

/**
 * Returns the accounts that a list of buckets shows to the principal: its own account (for a service account, the
 * account that owns it), and the accounts in which it has a role. Some of these accounts may be disabled or empty. The
 * list does not contain all accounts with open data, because the public catalogue lists them.
 *
 * `repositories` are the repositories of `namedRepositories` that still exist. Without this parameter, all of them
 * count as existing.
 */
export function concernedAccountIds(
  principal: Principal,
  rights: PrincipalRights,
  repositories: readonly RepositoryIdentity[] | 'not known',
): string[] {
  const nameOf = ({ account_id, repository_id }: RepositoryPath) => `${account_id}/${repository_id}`;
  const isKnown = repositories !== 'not known';
  const found = new Map(isKnown ? repositories.map((repository) => [nameOf(repository), repository]) : []);
  const isThere = (path: RepositoryPath, given: OfRepository) =>
    !isKnown || isOfRepository(given, found.get(nameOf(path)));
  switch (principal.kind) {
    case 'anonymous':
    // The credentials of a link list no repositories.
    case 'link':
      return [];
    case 'service_account': {
      return isSessionValid(principal, rights) ? [ownerOf(principal)] : [];
    }
    case 'user':
    case 'api_key': {
      const { actingAccount, roles } = rights;
      if (actingAccount === undefined || actingAccount.disabled) return [];
      if (principal.kind === 'user' && !isSessionValid(principal, rights)) return [];
      const only = onlyRepository(principal);
      // A key or session that is limited to one repository has no other rights of its account.
      if (only !== undefined) return isThere(only, only) ? [only.account_id] : [];
      const held = roles.filter(
        ({ account_id, repository_id, ...given }) =>
          repository_id === undefined || isThere({ account_id, repository_id }, given),
      );
      return [...new Set([actingAccount.account_id, ...held.map((role) => role.account_id)])];
    }
  }
}
