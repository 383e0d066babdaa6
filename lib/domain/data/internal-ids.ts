import * as z from 'zod';

/** The field of a right in one repository: its internal ID. A right in an account has none. */
export const ofRepository = { repository_uid: z.string().optional() };
export interface OfRepository {
  repository_uid?: string | undefined;
}

/** Returns true if a right belongs to this very repository, not to an earlier one of the same name. */
export function isOfRepository(given: OfRepository, repository: { uid: string } | undefined): boolean {
  return repository !== undefined && given.repository_uid === repository.uid;
}
