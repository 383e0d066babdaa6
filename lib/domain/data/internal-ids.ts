/** Something that was given in one repository: a grant, a membership, a key. */
export interface OfRepository {
  /** The internal id of the repository that it was given in; absent where an older release gave it. */
  repository_uid?: string | undefined;
}

/** Whether what carries no internal id counts, since an older release may still write such: see the migration of them. */
export interface IdRule {
  countsWithoutId: boolean;
}

/**
 * A name alone revives nothing: what was given in a repository ends with it, also when another one is made under the
 * same name, or comes there from another account. What holds it by its name asks this of it.
 */
export function isOfRepository(
  given: OfRepository,
  repository: { uid?: string | undefined } | undefined,
  { countsWithoutId }: IdRule,
): boolean {
  if (repository === undefined) return false;
  return given.repository_uid === undefined ? countsWithoutId : given.repository_uid === repository.uid;
}
