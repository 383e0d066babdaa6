/** A right that was granted in one repository: a grant, a membership or an API key. */
export interface OfRepository {
  /** The internal id of that repository. Rights in an account alone have none. */
  repository_uid?: string | undefined;
}

/**
 * Reports whether a right belongs to this very repository. A right ends with its repository: it does not pass to another
 * one that is created under the same name, or transferred to it.
 */
export function isOfRepository(given: OfRepository, repository: { uid: string } | undefined): boolean {
  return repository !== undefined && given.repository_uid === repository.uid;
}
