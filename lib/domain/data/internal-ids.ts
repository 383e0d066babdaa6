import * as z from 'zod';

/** The internal ID of the repository in which a right is valid. Absent for a right in a whole account. */
export const ofRepository = { repository_uid: z.string().optional() };
export interface OfRepository {
  repository_uid?: string | undefined;
}

/** Returns true if a right belongs to this repository, and not to a deleted repository with the same name. */
export function isOfRepository(given: OfRepository, repository: { uid: string } | undefined): boolean {
  return repository !== undefined && given.repository_uid === repository.uid;
}
