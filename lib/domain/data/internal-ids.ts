/** A right in one repository: a grant, a membership, or an API key. */
export interface OfRepository {
  /** The internal ID of that repository. A right in an account has none. */
  repository_uid?: string | undefined;
}

/** Returns true if a right belongs to this very repository, not to an earlier one of the same name. */
export function isOfRepository(given: OfRepository, repository: { uid: string } | undefined): boolean {
  return repository !== undefined && given.repository_uid === repository.uid;
}
