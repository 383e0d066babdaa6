import { ServiceError } from '../errors.ts';
import { type DataConnection, expandPrefixTemplate } from './data-connections.ts';
import type { RepositoryDataMode } from './repositories.ts';

/** Who has a place in a data connection: the prefix of its objects there. */
export interface PrefixOwner {
  account_id: string;
  repository_id: string;
  /** When the repository was deleted whose objects may still be there. */
  left_at?: string | undefined;
  /** Since a private repository was made where a deleted one's objects may be, and nobody has said that they are meant. */
  unadopted?: true | undefined;
}

interface NewPlace {
  account_id: string;
  repository_id: string;
  data_mode: RepositoryDataMode;
  /** Whether what lies there already may be the new repository's. */
  adopt_objects: boolean;
}

/**
 * Whether a repository begins in the place that its connection has for it: `usual`, or `left` where a deleted one of its
 * name was. It is `own` where the place is another's, which it is after a transfer, or was in the end.
 *
 * Throws `adoption_required` where others might read by it what was deleted: objects outlive their repository, and whoever makes
 * the name anew must say that they are meant.
 */
export function choosePrefix(repository: NewPlace, holder: PrefixOwner | undefined): 'usual' | 'left' | 'own' {
  if (holder === undefined) return 'usual';
  const { account_id, repository_id, data_mode, adopt_objects } = repository;
  if (holder.account_id !== account_id || holder.repository_id !== repository_id) return 'own';
  // One that is not deleted: the create is refused for that.
  if (holder.left_at === undefined) return 'usual';
  if (data_mode !== 'private' && !adopt_objects) {
    throw new ServiceError(
      'adoption_required',
      `Objects of the deleted repository ${account_id}/${repository_id} may still be at this place; send "adopt_objects": true to publish them, or create the repository as private`,
    );
  }
  return 'left';
}

/**
 * Whether opening a repository to readers adopts what a deleted one left in its place. Throws `adoption_required` where it
 * would and nobody says so: made private, it may not be opened past the rule that holds when it is made.
 */
export function adoptsObjects(
  { account_id, repository_id, data_mode, adopt_objects }: NewPlace,
  holder: PrefixOwner | undefined,
): boolean {
  if (data_mode === 'private' || holder?.unadopted === undefined) return false;
  if (adopt_objects) return true;
  throw new ServiceError(
    'adoption_required',
    `Objects of a deleted repository may be in the place of ${account_id}/${repository_id}, and would be published; send "adopt_objects": true if they are to be`,
  );
}

/** A prefix that no other repository can have: no ID holds a dot. */
export function ownPrefix(
  template: DataConnection['prefix_template'],
  { account_id, repository_id, uid }: { account_id: string; repository_id: string; uid: string },
): string {
  return expandPrefixTemplate(template, { account_id, repository_id: `${repository_id}.${uid.slice(0, 8)}` });
}
