import * as z from 'zod';
import { actingAccountOf, type Caller } from '../accounts/callers.ts';
import type { RequestDataReader } from '../accounts/request-data.ts';
import { ServiceError } from '../errors.ts';
import { type DataConnection, expandPrefixTemplate } from './data-connections.ts';
import type { Repository, RepositoryDataMode } from './repositories.ts';

/** The repository that holds a storage prefix in a data connection. */
export const prefixOwnerRecord = z.object({
  account_id: z.string(),
  repository_id: z.string(),
  /** The time at which the repository was deleted. Its objects may still exist. */
  left_at: z.string().optional(),
  /** True for a private repository at the prefix of a deleted one, until a request adopts the old objects. */
  unadopted: z.literal(true).optional(),
});
export type PrefixOwner = z.infer<typeof prefixOwnerRecord>;

interface PrefixRequest {
  account_id: string;
  repository_id: string;
  data_mode: RepositoryDataMode;
  /** True if the new repository may take over objects that already exist at its prefix. */
  adopt_objects: boolean;
}

/**
 * Returns the choice of prefix for a new repository. `usual`: the prefix of its name. `left`: the same prefix, which a
 * deleted repository of this name had. `own`: a unique prefix, because another repository holds or last held the usual
 * one, for example after a transfer. Throws `adoption_required` if the new repository would show deleted data to other
 * readers: objects outlive their repository, so the request must confirm their use.
 */
export function choosePrefix(repository: PrefixRequest, holder: PrefixOwner | undefined): 'usual' | 'left' | 'own' {
  if (holder === undefined) return 'usual';
  const { account_id, repository_id, data_mode, adopt_objects } = repository;
  if (holder.account_id !== account_id || holder.repository_id !== repository_id) return 'own';
  // The repository exists, so the create request is refused later.
  if (holder.left_at === undefined) return 'usual';
  if (data_mode !== 'private' && !adopt_objects) {
    throw new ServiceError(
      'adoption_required',
      `Objects of the deleted repository ${account_id}/${repository_id} may still be at this prefix; send "adopt_objects": true to publish them, or create the repository as private`,
    );
  }
  return 'left';
}

/**
 * Returns true if a change that gives others read access adopts the objects of a deleted repository. Throws
 * `adoption_required` if it would do so without confirmation. Otherwise, a repository that is created as private and
 * then opened would bypass the rule for creation.
 */
export function adoptsObjects(
  { account_id, repository_id, data_mode, adopt_objects }: PrefixRequest,
  holder: PrefixOwner | undefined,
): boolean {
  if (data_mode === 'private' || holder?.unadopted === undefined) return false;
  if (adopt_objects) return true;
  throw new ServiceError(
    'adoption_required',
    `Objects of a deleted repository may be at the prefix of ${account_id}/${repository_id}, and would be published; send "adopt_objects": true to publish them`,
  );
}

/** Returns a prefix that no other repository can have, because an ID cannot contain a dot. */
export function ownPrefix(
  template: DataConnection['prefix_template'],
  { account_id, repository_id, uid }: { account_id: string; repository_id: string; uid: string },
): string {
  return expandPrefixTemplate(template, { account_id, repository_id: `${repository_id}.${uid.slice(0, 8)}` });
}

/** Returns the storage locations of a repository for callers who may read data connections: enabled accounts. */
export async function showObjectLocations(
  { data }: Repository,
  caller: Caller,
  requestData: Pick<RequestDataReader, 'findDataConnection'>,
) {
  if (actingAccountOf(caller) === null) return [];
  const mirrors = Object.values(data.mirrors);
  const connections = await Promise.all(
    mirrors.map(({ data_connection_id }) => requestData.findDataConnection(data_connection_id)),
  );
  return mirrors.flatMap(({ data_connection_id, prefix }, index) => {
    const details = connections[index]?.details;
    if (details === undefined) return [];
    const { bucket, base_prefix, region, endpoint } = details;
    return [{ data_connection_id, bucket, prefix: base_prefix + prefix, region, endpoint }];
  });
}
