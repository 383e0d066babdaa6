import type { Caller } from '../domain/accounts/callers.ts';
import type { RequestDataReader } from '../domain/accounts/request-data.ts';
import { isForReaders, type Operation, routePath } from '../operations/operation.ts';
import { accountIdOf, type Credential } from './authenticate.ts';
import { isPermitted } from './authorize.ts';
import { type LoadedRequestData, loadRequestData } from './targets.ts';

/** Maximum number of consecutive transfers of a repository that a redirect follows. */
const transfersFollowed = 2;

interface Refused {
  path: Readonly<Record<string, string>>;
  loaded: LoadedRequestData;
  caller: Caller;
  credential: Credential;
}

/**
 * Returns the path of the same operation at a transferred repository's new location. Only read operations are
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
  let { path, loaded } = refused;
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
      return urlPathOf(operation, path);
    }
  }
  return undefined;
}

function urlPathOf(operation: Operation, path: Readonly<Record<string, string>>): string {
  return routePath(operation).replace(/\{([a-z_]+)\}/g, (_, name: string) => path[name] ?? '');
}
