import { actingAccountOf, type Caller } from '../domain/accounts/callers.ts';
import type { Repository } from '../domain/data/repositories.ts';
import type { Store } from '../store/store.ts';

/** Returns the storage locations of a repository for callers who may read data connections: enabled accounts. */
export async function showObjectLocations({ data }: Repository, caller: Caller, { facts }: Pick<Store, 'facts'>) {
  if (actingAccountOf(caller) === null) return [];
  const mirrors = Object.values(data.mirrors);
  const read = await Promise.all(
    mirrors.map(({ data_connection_id }) => facts.readRequestData({ dataConnectionId: data_connection_id })),
  );
  return mirrors.flatMap(({ data_connection_id, prefix }, index) => {
    const details = read[index]?.dataConnection?.details;
    if (details === undefined) return [];
    const { bucket, base_prefix, region, endpoint } = details;
    return [{ data_connection_id, bucket, prefix: base_prefix + prefix, region, endpoint }];
  });
}
