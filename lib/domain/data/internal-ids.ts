import * as z from 'zod';

/** The internal ID of the repository in which a right is valid. A right in a whole account has none. */
export const ofRepository = { repository_uid: z.string().optional() };
export interface OfRepository {
  repository_uid?: string | undefined;
}

/** Returns true if a right belongs to this repository, not to a deleted one with the same name. */
export function isOfRepository(given: OfRepository, repository: { uid: string } | undefined): boolean {
  return repository !== undefined && given.repository_uid === repository.uid;
}
