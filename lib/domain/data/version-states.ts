// Browsers load this file, so it imports no schema.

/** The states of a version. `repositoryVersionSchema` describes them. */
export const versionStates = ['freezing', 'ready', 'failed', 'withdrawn'] as const;
type VersionState = (typeof versionStates)[number];

/** Returns true if the version was ever ready. A withdrawn version stays citable. */
export function isCitable({ state }: { state: VersionState }): boolean {
  return state === 'ready' || state === 'withdrawn';
}
