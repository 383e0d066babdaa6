import type { Operation } from '../../lib/operations/operation.ts';
import { pathParameterNames } from '../../lib/operations/path-parameters.ts';

/** The names by which a request says what it is about: in its path, and in the query of one that is about a scope. */
export function namesOf({ path, target }: Pick<Operation, 'path' | 'target'>): string[] {
  return [...pathParameterNames(path), ...(target === 'scope' ? ['account_id', 'repository_id'] : [])];
}

/** What a search for somebody to invite in an account, or in a repository of it, has in its query. */
export function scopeQuery(accountId: string | undefined, repositoryId: string | undefined) {
  return { prefix: 'ada', scope: repositoryId === undefined ? `${accountId}` : `${accountId}/${repositoryId}` };
}

/** The path of a request with these names in it, and its query where it needs one. */
export function filledPath(
  path: string,
  { target }: Pick<Operation, 'target'>,
  names: Readonly<Record<string, string | undefined>>,
): string {
  const filled = path.replace(/\{([a-z_]+)\}/g, (_, name: string) => names[name] ?? 'missing');
  const query = scopeQuery(names['account_id'], names['repository_id']);
  return target === 'scope' ? `${filled}?${new URLSearchParams(query)}` : filled;
}
