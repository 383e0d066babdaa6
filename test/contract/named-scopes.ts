import type { Operation } from '../../lib/operations/operation.ts';
import { pathParameterNames } from '../../lib/operations/path-parameters.ts';

/** Returns the parameters that name the target: those of the path, and those of the query if the target is a scope. */
export function namesOf({ path, target }: Pick<Operation, 'path' | 'target'>): string[] {
  return [...pathParameterNames(path), ...(target === 'scope' ? ['account_id', 'repository_id'] : [])];
}

/** Returns the query of a search for users to invite to an account or a repository. */
export function scopeQuery(accountId: string | undefined, repositoryId: string | undefined) {
  return { prefix: 'ada', scope: repositoryId === undefined ? `${accountId}` : `${accountId}/${repositoryId}` };
}

/** Returns the path of a request with these values, and its query if it needs one. */
export function filledPath(
  path: string,
  { target }: Pick<Operation, 'target'>,
  names: Readonly<Record<string, string | undefined>>,
): string {
  const filled = path.replace(/\{([a-z_]+)\}/g, (_, name: string) => names[name] ?? 'missing');
  const query = scopeQuery(names['account_id'], names['repository_id']);
  return target === 'scope' ? `${filled}?${new URLSearchParams(query)}` : filled;
}
