import {
  type AccountFacts,
  isClosed,
  isSessionValid,
  type ListedRepositoryFacts,
  mayAccessByOwnRight,
  type Principal,
  type PrincipalRights,
  type RepositoryIdentity,
} from './data-access.ts';
import { isOfRepository, type OfRepository } from './internal-ids.ts';

/**
 * The repositories of an account that a list shows the principal: those that it may read by a right of its own, and of
 * those that anyone may read the listed ones. Unordered.
 */
export function listedRepositories(
  principal: Principal,
  rights: PrincipalRights,
  owner: AccountFacts | undefined,
  repositories: readonly ListedRepositoryFacts[],
): ListedRepositoryFacts[] {
  const { actingAccount, serviceAccount, grants, countsWithoutId } = rights;
  const held = rights.roles.filter(({ account_id }) => account_id === owner?.account_id);
  const roles = new Map(held.map((role) => [role.repository_id, role]));
  return repositories.filter((repository) => {
    if (isClosed({ owner, repository })) return false;
    if (repository.data_mode === 'open' && repository.state === 'listed') return true;
    return mayAccessByOwnRight(principal, 'read', {
      owner,
      repository,
      actingAccount,
      roles: { account: roles.get(undefined)?.role, repository: roles.get(repository.repository_id) },
      serviceAccount,
      grant: grants.get(repository.repository_id),
      countsWithoutId,
    });
  });
}

interface RepositoryPath {
  account_id: string;
  repository_id: string;
}

/** The repositories that a principal's rights name, by names that others may have by now. */
export function namedRepositories(principal: Principal, { roles }: PrincipalRights): RepositoryPath[] {
  if (principal.kind !== 'api_key' && principal.kind !== 'person') return [];
  const only = onlyRepository(principal);
  return (only === undefined ? roles : [only]).flatMap(({ account_id, repository_id }) =>
    repository_id === undefined ? [] : [{ account_id, repository_id }],
  );
}

/** The one repository that a key or credentials are for, where they are for one alone. */
function onlyRepository(
  principal: Extract<Principal, { kind: 'api_key' | 'person' }>,
): (RepositoryPath & OfRepository) | undefined {
  if (principal.kind === 'person') {
    const { narrowed_to: place } = principal;
    return place && { ...place, repository_uid: place.uid };
  }
  const { account_id, repository_id, repository_uid } = principal;
  return repository_id === undefined ? undefined : { account_id, repository_id, repository_uid };
}

/**
 * The accounts that a principal is concerned with: its own or its owner's, and those that it has a role in, or in one of
 * their repositories: `repositories` are those of `namedRepositories` that are there. Some may be disabled, or own
 * nothing. What else is open to it is in the public catalogue.
 */
export function concernedAccountIds(
  principal: Principal,
  rights: PrincipalRights,
  repositories: readonly RepositoryIdentity[],
): string[] {
  const nameOf = ({ account_id, repository_id }: RepositoryPath) => `${account_id}/${repository_id}`;
  const found = new Map(repositories.map((repository) => [nameOf(repository), repository]));
  const isThere = (path: RepositoryPath, given: OfRepository) => isOfRepository(given, found.get(nameOf(path)), rights);
  switch (principal.kind) {
    case 'anonymous':
      return [];
    case 'service_account': {
      const isGood = isSessionValid(principal, rights);
      return isGood ? [principal.service_account_id.slice(0, principal.service_account_id.indexOf('--'))] : [];
    }
    case 'person':
    case 'api_key': {
      const { actingAccount, roles } = rights;
      if (actingAccount === undefined || actingAccount.disabled) return [];
      if (principal.kind === 'person' && !isSessionValid(principal, rights)) return [];
      const only = onlyRepository(principal);
      // What is for one repository has no part in what else its account may.
      if (only !== undefined) return isThere(only, only) ? [only.account_id] : [];
      const held = roles.filter(
        ({ account_id, repository_id, ...given }) =>
          repository_id === undefined || isThere({ account_id, repository_id }, given),
      );
      return [...new Set([actingAccount.account_id, ...held.map((role) => role.account_id)])];
    }
  }
}
