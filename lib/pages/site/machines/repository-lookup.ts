import { isSameName } from '../../../domain/ci/provider.ts';
import { ciProviders, type RepositoryKind } from '../../../domain/ci/providers.ts';

/**
 * The name of the script in `site/` that looks up the numeric IDs of a repository. The HTML document with the script
 * has the same name. The console loads it in an iframe.
 */
export const repositoryLookupFrame = 'repository-lookup';

/** The public APIs of the CI systems. Without sign-in, they return the numeric IDs of a public repository. */
export const lookupOrigins: Readonly<Record<RepositoryKind, string>> = {
  github: 'https://api.github.com',
  gitlab: 'https://gitlab.com',
};

const publicIssuers: Readonly<Record<RepositoryKind, string>> = {
  github: 'https://token.actions.githubusercontent.com',
  gitlab: 'https://gitlab.com',
};

/**
 * Reasons why the lookup found no numeric IDs of a repository. A reason never contains text from the CI system's
 * response.
 */
export type LookupFailure = 'not_public' | 'rate_limited' | 'no_answer' | 'unexpected';

export type LookupAnswer =
  | { kind: 'found'; name: string; repository_id: string; repository_owner_id: string }
  | { kind: 'failed'; reason: LookupFailure };

export interface LookupRequest {
  kind: RepositoryKind;
  repository: string;
}

/**
 * Returns true for an issuer whose repositories are on the CI system's public host. On any other host, a repository of
 * the same name has other numeric IDs.
 */
export function hasLookup({ kind, issuer }: { kind: RepositoryKind; issuer: string }): boolean {
  return issuer === publicIssuers[kind];
}

/**
 * Returns the URL of the CI system's API for a repository. Returns undefined for an invalid name, and for a name that
 * already contains numeric IDs.
 */
export function lookupUrl({ kind, repository }: LookupRequest): string | undefined {
  if (!isName(kind, repository)) return undefined;
  const path = kind === 'github' ? `repos/${repository}` : `api/v4/projects/${encodeURIComponent(repository)}`;
  return `${lookupOrigins[kind]}/${path}`;
}

/**
 * Parses the response of a CI system. The response is untrusted, so only a valid name and two numbers are accepted from
 * it.
 */
export function parseLookup(kind: RepositoryKind, text: string): LookupAnswer {
  const shown = parseObject(text);
  const owner = Object(kind === 'github' ? shown['owner'] : shown['namespace']);
  const name = kind === 'github' ? shown['full_name'] : shown['path_with_namespace'];
  const [repository_id, repository_owner_id] = [idOf(shown['id']), idOf(owner['id'])];
  const isComplete =
    typeof name === 'string' && isName(kind, name) && repository_id !== undefined && repository_owner_id !== undefined;
  return isComplete
    ? { kind: 'found', name, repository_id, repository_owner_id }
    : { kind: 'failed', reason: 'unexpected' };
}

/**
 * Returns true when the CI system returned another name than the user typed. This happens after a repository was
 * renamed, because the CI system redirects from the old name.
 */
export function isRenamed(typed: string, answer: LookupAnswer): boolean {
  return answer.kind === 'found' && !isSameName(typed, answer.name);
}

function isName(kind: RepositoryKind, name: string): boolean {
  return !name.includes('@') && ciProviders[kind].repositoryFault(name) === undefined;
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

function idOf(value: unknown): string | undefined {
  return Number.isSafeInteger(value) && Number(value) > 0 ? String(value) : undefined;
}
