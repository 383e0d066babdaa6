import type { Operation } from '../../lib/operations/operation.ts';
import { pathParameterNames, pathParameterSchemas } from '../../lib/operations/path-parameters.ts';
import { usedConnection } from './fixture.ts';

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
  { target, example }: Pick<Operation, 'target' | 'example'>,
  names: Readonly<Record<string, string | undefined>>,
): string {
  const filled = path.replace(/\{([a-z_]+)\}/g, (_, name: string) => names[name] ?? 'missing');
  const query = target === 'scope' ? scopeQuery(names['account_id'], names['repository_id']) : example?.query;
  return query === undefined ? filled : `${filled}?${new URLSearchParams(query)}`;
}

/** Returns the body of the operation's example, with values that are valid in every test service. */
export function exampleBody({ example, group }: Operation): unknown {
  const { body } = example ?? {};
  // The client sends a text body unchanged.
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return typeof body === 'string' ? JSON.stringify(body) : body;
  const { data_connection_id } = usedConnection;
  const valid = {
    expires: '2090-01-01T00:00:00Z',
    ...(group === 'data-connections' ? {} : { data_connection_id }),
  };
  return { ...body, ...Object.fromEntries(Object.entries(valid).filter(([field]) => field in body)) };
}

const idsOfNobody = ['nobody', 'nobody--none', 'SCAKAAAAAAAAAAAAAAAA', '4bd37d5f-8e6c-4d0c-9d7b-5f0e6a1c2b3d'];

/** Returns a well-formed ID of a path parameter that names nothing. */
export function unknownId(parameter: string): string {
  const id = idsOfNobody.find((each) => pathParameterSchemas[parameter]?.safeParse(each).success);
  if (id === undefined) throw new Error(`idsOfNobody has no ID in the form of ${parameter}`);
  return id;
}
