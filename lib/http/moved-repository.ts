import type { Caller } from '../domain/accounts/callers.ts';
import type { RequestDataReader } from '../domain/accounts/request-data.ts';
import { isForReaders, type Operation, routePath } from '../operations/operation.ts';
import { accountIdOf, type Credential } from './authenticate.ts';
import { isPermitted } from './authorize.ts';
import { type LoadedRequestData, loadRequestData } from './targets.ts';
import type { ValidInput } from './validate.ts';

/** Maximum number of consecutive transfers of a repository that a redirect follows. */
const transfersFollowed = 2;

interface Refused {
  input: Pick<ValidInput, 'path' | 'query'>;
  loaded: LoadedRequestData;
  caller: Caller;
  credential: Credential;
}

/**
 * Returns the path and query of the request at a transferred repository's new location. Only read operations are
 * redirected, and only for callers who may read the repository there. The function always makes two more reads, so the
 * response time does not reveal a hidden or transferred repository.
 */
export async function findMoved(
  operation: Operation,
  { caller, credential, ...refused }: Refused,
  reader: RequestDataReader,
  now: number,
): Promise<string | undefined> {
  if (!isForReaders(operation.permission)) return undefined;
  const { query } = refused.input;
  let { loaded } = refused;
  let { path } = refused.input;
  let uid = loaded.forwarding?.former_uid;
  for (let step = 0; step < transfersFollowed; step += 1) {
    const { forwarding } = loaded;
    const leads = loaded.repository === undefined && forwarding !== undefined && forwarding.former_uid === uid;
    if (leads) {
      path = { ...path, account_id: forwarding.to_account_id, repository_id: forwarding.to_repository_id };
      uid = forwarding.to_uid;
    }
    loaded = await loadRequestData(operation, { path, query: {} }, accountIdOf(credential), reader, now);
    if (leads && loaded.repository?.uid === uid && isPermitted(operation, caller, loaded, undefined)) {
      return routePathOf(operation, path) + searchOf(query);
    }
  }
  return undefined;
}

function routePathOf(operation: Operation, path: Readonly<Record<string, string>>): string {
  return routePath(operation).replace(/\{([a-z_]+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
}

/** Returns the query without the cursor of a list, because the cursor is valid only at the old path. */
function searchOf(fields: ValidInput['query']): string {
  const pairs = Object.entries(fields).filter(([name, value]) => name !== 'cursor' && value !== undefined);
  const query = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]));
  return query.size === 0 ? '' : `?${query}`;
}
