import {
  type AccountFacts,
  isClosed,
  isSessionValid,
  type ListedRepositoryFacts,
  mayAccessByOwnRight,
  type Principal,
  type PrincipalRights,
} from './data-access.ts';

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
  const { keyAccount, serviceAccount, grants } = rights;
  const held = rights.roles.filter(({ account_id }) => account_id === owner?.account_id);
  const roles = new Map(held.map(({ repository_id, role }) => [repository_id, role]));
  return repositories.filter((repository) => {
    if (isClosed({ owner, repository })) return false;
    if (repository.data_mode === 'open' && repository.state === 'listed') return true;
    return mayAccessByOwnRight(principal, 'read', {
      owner,
      repository,
      keyAccount,
      roles: { account: roles.get(undefined), repository: roles.get(repository.repository_id) },
      serviceAccount,
      grant: grants.get(repository.repository_id),
    });
  });
}

/**
 * The accounts that a principal is concerned with: its own or its owner's, and those that it has a role in. Some may be
 * disabled, or own nothing. What else is open to it is in the public catalogue.
 */
export function concernedAccountIds(principal: Principal, rights: PrincipalRights): string[] {
  switch (principal.kind) {
    case 'anonymous':
      return [];
    case 'service_account': {
      const isGood = isSessionValid(principal, rights.serviceAccount);
      return isGood ? [principal.service_account_id.slice(0, principal.service_account_id.indexOf('--'))] : [];
    }
    case 'api_key': {
      const { keyAccount, roles } = rights;
      if (keyAccount === undefined || keyAccount.disabled) return [];
      // A repository's key has no part in what else its account may.
      const held = principal.repository_id === undefined ? roles.map(({ account_id }) => account_id) : [];
      return [...new Set([keyAccount.account_id, ...held])];
    }
  }
}
