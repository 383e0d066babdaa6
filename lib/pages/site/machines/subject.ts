import { isSameName, type OriginKind as Origin, originKinds } from '../../../domain/ci/provider.ts';
import {
  type CiProviderKind,
  ciProvider,
  ciProviders,
  isRepositoryKind,
  type RepositoryKind,
} from '../../../domain/ci/providers.ts';
import { trustedSubject } from '../../../domain/ci/subjects.ts';
import { isLoopbackHost } from '../../../domain/loopback.ts';

export { type CiProviderKind, isRepositoryKind, type Origin, type RepositoryKind };

/** The values that the user typed into the form that trusts a workflow. */
export interface TypedWorkflow {
  kind: RepositoryKind;
  repository: string;
  origin: Origin;
  /** The name of the branch, tag, or environment. */
  name: string;
}

export type TypedSubject =
  | { ok: true; subject: string }
  /**
   * `path` is the invalid field: `repository`, or the kind of origin. It is empty if each field is valid, but not their
   * combination.
   */
  | { ok: false; path: string; message: string };

/**
 * Returns the names of the claims that a trusted workflow of this issuer kind must name in addition to `sub`. The
 * claims contain the immutable IDs of the repository.
 */
export function idClaimsOf(kind: CiProviderKind): string[] {
  const provider = ciProvider({ kind });
  return provider.identifiedBy === 'subject' ? Object.values(provider.idClaims ?? {}) : [];
}

/**
 * Returns the token subject that the form would trust, by the rules of the API. Returns undefined while a field is
 * empty.
 */
export function subjectOf({ kind, repository, origin, name }: TypedWorkflow): TypedSubject | undefined {
  if (repository === '' || name === '') return undefined;
  const trusted = trustedSubject({ kind }, { repository, [origin]: name });
  return trusted.ok ? { ok: true, subject: trusted.subject } : { ok: false, ...trusted.fault };
}

/**
 * Returns the repository name from a pasted URL, such as `tide/code` for `https://github.com/tide/code/tree/main`.
 * Accepts only URLs on the issuer's host. Returns any other text unchanged, because the API checks it. A local test
 * issuer represents the public CI system of its kind, so URLs on that system's host are accepted too.
 */
export function repositoryOf({ kind, issuer }: { kind: RepositoryKind; issuer: string }, typed: string): string {
  const prefixes = hostsOf({ kind, issuer }).flatMap((each) => [
    `https://${each}/`,
    `http://${each}/`,
    `ssh://git@${each}/`,
    `git@${each}:`,
    `${each}/`,
  ]);
  const address = typed.trim();
  const prefix = prefixes.find((each) => address.toLowerCase().startsWith(each));
  if (prefix === undefined) return typed;
  const path = address
    .slice(prefix.length)
    .replace(/[?#].*$/s, '')
    .replace(/(?<!\/)\/+$/, '');
  return cuts[kind](path).replace(/\.git$/i, '');
}

/**
 * Returns an API error message for a URL that is not on one of the issuer's hosts. Returns undefined for any other
 * text.
 */
export function foreignHostFault(of: { kind: RepositoryKind; issuer: string }, typed: string): string | undefined {
  const isUrl = /^(?:[a-z][a-z\d+.-]*:\/\/|[\w.-]+@[\w.-]+:)/i.test(typed.trim());
  if (!isUrl || repositoryOf(of, typed) !== typed) return undefined;
  return `must be on ${hostsOf(of).at(-1)}, and this is a URL of another host: paste the one that it has there`;
}

/** Returns the hosts that contain the issuer's repositories. The public host is last. */
function hostsOf({ kind, issuer }: { kind: RepositoryKind; issuer: string }): string[] {
  const host = webHostOf(issuer);
  return isLoopbackUrl(issuer) ? [host, publicHosts[kind]] : [host];
}

const cuts: Readonly<Record<RepositoryKind, (path: string) => string>> = {
  github: (path) => path.split('/').slice(0, 2).join('/'),
  // A GitLab project can be in nested groups. In a URL, its path ends before the segment `/-/`.
  gitlab: (path) => path.split('/-/')[0] ?? '',
};

const publicHosts: Readonly<Record<RepositoryKind, string>> = { github: 'github.com', gitlab: 'gitlab.com' };

/** Returns true for a URL with a loopback host, which other machines cannot reach. */
export function isLoopbackUrl(url: string): boolean {
  const { hostname } = new URL(url);
  return isLoopbackHost(hostname) || hostname.endsWith('.localhost');
}

/** Returns the web host of an issuer's repositories. For GitHub it differs from the issuer's host. */
function webHostOf(issuer: string): string {
  const { host } = new URL(issuer);
  if (host === 'token.actions.githubusercontent.com') return 'github.com';
  return host.replace(/^token\.actions\.(?=[a-z0-9-]+\.ghe\.com$)/, '');
}

const refPrefixes: Readonly<Record<Origin, string>> = { branch: 'refs/heads/', tag: 'refs/tags/', environment: '' };

/** Returns the short name of a branch or tag, even if the user typed a full ref such as `refs/heads/main`. */
export function originNameOf(origin: Origin, typed: string): string {
  const prefix = refPrefixes[origin];
  return typed.startsWith(prefix) ? typed.slice(prefix.length) : typed;
}

/**
 * Returns the kind of a workflow's origin and the origin's name. A workflow has exactly one origin: a branch, a tag, or
 * an environment.
 */
export function originOf(workflow: Readonly<{ [Kind in Origin]?: string | undefined }>): [Origin, string] {
  const origin = originKinds.find((kind) => workflow[kind] !== undefined) ?? 'environment';
  return [origin, workflow[origin] ?? ''];
}

/**
 * Returns true when two repository names are equal except for capital letters and for the numeric IDs that GitHub can
 * add to a name.
 */
export function isSameRepository(a: string, b: string): boolean {
  const [first, second] = [a, b].map((name) => name.replace(/@\d+(?=\/|$)/g, ''));
  return isSameName(first ?? '', second ?? '');
}

/** Returns the form of the token subjects for a kind of origin, with placeholders for the names. */
export function subjectForm(kind: RepositoryKind, origin: Origin): string {
  return ciProviders[kind].subject({ repository: '<owner>/<repository>', [origin]: `<${origin}>` });
}

/**
 * Compares two token subjects. Returns their common prefix, their common suffix, and the differing parts between prefix
 * and suffix.
 */
export function compareSubjects(came: string, trusted: string) {
  const [a, b] = [Array.from(came), Array.from(trusted)];
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return {
    before: a.slice(0, start).join(''),
    came: a.slice(start, a.length - end).join(''),
    trusted: b.slice(start, b.length - end).join(''),
    after: a.slice(a.length - end).join(''),
  };
}
