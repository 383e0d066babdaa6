import * as z from 'zod';
import { actingAccountOf, type Caller } from '../accounts/callers.ts';
import type { RequestDataReader } from '../accounts/request-data.ts';
import { ServiceError } from '../errors.ts';
import { type DataConnection, expandPrefixTemplate } from './data-connections.ts';
import { filesBeingDeleted } from './file-deletions.ts';
import type { Repository, RepositoryDataMode } from './repositories.ts';

/** The repository that uses a storage prefix of a data connection. */
export const prefixOwnerRecord = z.object({
  account_id: z.string(),
  repository_id: z.string(),
  /** The time at which the repository was deleted. Its objects may still exist. */
  left_at: z.string().optional(),
  /**
   * True for a private repository whose prefix still contains objects of a deleted repository. A later request can
   * confirm (adopt) these objects.
   */
  unadopted: z.literal(true).optional(),
  /** The ID of the background job that deletes the objects of the deleted repository. Present until the job ends. */
  deletion_id: z.string().optional(),
});
export type PrefixOwner = z.infer<typeof prefixOwnerRecord>;

interface PrefixRequest {
  account_id: string;
  repository_id: string;
  data_mode: RepositoryDataMode;
  /** True if the request confirms that the new repository may show the objects that already exist at its prefix. */
  adopt_objects: boolean;
}

/**
 * Returns the choice of storage prefix for a new repository:
 *
 * - `usual`: the prefix made from the repository's name.
 * - `left`: the prefix made from the name, which a deleted repository with this name used before.
 * - `own`: a unique prefix, because another repository uses the usual prefix or used it last, for example after a
 *   transfer.
 *
 * Throws `adoption_required` if the new repository would show the data of the deleted one to other readers. Objects
 * remain in storage after their repository is deleted, so the request must confirm their use. Throws
 * `files_being_deleted` while a job deletes the objects.
 */
export function choosePrefix(repository: PrefixRequest, holder: PrefixOwner | undefined): 'usual' | 'left' | 'own' {
  if (holder === undefined) return 'usual';
  const { account_id, repository_id, data_mode, adopt_objects } = repository;
  if (holder.account_id !== account_id || holder.repository_id !== repository_id) return 'own';
  if (holder.deletion_id !== undefined) throw filesBeingDeleted(holder);
  // If the repository exists already, no choice is needed, because the create request fails later.
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
 * Returns true if the change of a repository gives others access to objects that a deleted repository left. Throws
 * `adoption_required` if the request does not confirm this. Without this check, a user could create a private
 * repository first, and then open it.
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

/** Returns a prefix that no other repository can have. It contains a dot, which no repository ID contains. */
export function ownPrefix(
  template: DataConnection['prefix_template'],
  { account_id, repository_id, uid }: { account_id: string; repository_id: string; uid: string },
): string {
  return expandPrefixTemplate(template, { account_id, repository_id: `${repository_id}.${uid.slice(0, 8)}` });
}

/**
 * Returns the repository with its storage locations, or hides them from a caller who may not read data connections.
 * Every caller with an enabled account may read them.
 */
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
