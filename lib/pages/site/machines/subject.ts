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

/** The values of the form that adds a trusted workflow. */
export interface TypedWorkflow {
  kind: RepositoryKind;
  repository: string;
  origin: Origin;
  /** The name of the branch, tag, or environment. */
  name: string;
}

export type TypedSubject =
  | { ok: true; subject: string }
  /** `path` is the invalid field: `repository` or an origin. It is empty if only the combination is invalid. */
  | { ok: false; path: string; message: string };

/** Returns the claims that a trust of this kind must name beside `sub`: the immutable IDs of its repository. */
export function idClaimsOf(kind: CiProviderKind): string[] {
  const provider = ciProvider({ kind });
  return provider.identifiedBy === 'subject' ? Object.values(provider.idClaims ?? {}) : [];
}

/** Returns the subject to trust, by the rules of the API. Returns undefined while a field is empty. */
export function subjectOf({ kind, repository, origin, name }: TypedWorkflow): TypedSubject | undefined {
  if (repository === '' || name === '') return undefined;
  const trusted = trustedSubject({ kind }, { repository, [origin]: name });
  return trusted.ok ? { ok: true, subject: trusted.subject } : { ok: false, ...trusted.fault };
}

/**
 * Returns `tide/code` for `https://github.com/tide/code/tree/main`. Accepts only URLs on the issuer's host and returns
 * other input unchanged, for the rules of the API to check. An issuer on this machine represents the public CI system
 * of its kind, so URLs of that system's host are accepted too.
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

/** Returns why a URL is not on one of the issuer's hosts, as an API fault. Returns undefined for other text. */
export function foreignHostFault(of: { kind: RepositoryKind; issuer: string }, typed: string): string | undefined {
  const isUrl = /^(?:[a-z][a-z\d+.-]*:\/\/|[\w.-]+@[\w.-]+:)/i.test(typed.trim());
  if (!isUrl || repositoryOf(of, typed) !== typed) return undefined;
  return `must be on ${hostsOf(of).at(-1)}, and this is a URL of another host: paste the one that it has there`;
}

/** Returns the hosts of the repositories, the public host last. */
function hostsOf({ kind, issuer }: { kind: RepositoryKind; issuer: string }): string[] {
  const host = webHostOf(issuer);
  return isLoopbackUrl(issuer) ? [host, publicHosts[kind]] : [host];
}

const cuts: Readonly<Record<RepositoryKind, (path: string) => string>> = {
  github: (path) => path.split('/').slice(0, 2).join('/'),
  // A GitLab project can be in nested groups. The segment `/-/` ends the project path.
  gitlab: (path) => path.split('/-/')[0] ?? '',
};

const publicHosts: Readonly<Record<RepositoryKind, string>> = { github: 'github.com', gitlab: 'gitlab.com' };

/** Returns true for a URL that no other machine can reach. */
export function isLoopbackUrl(url: string): boolean {
  const { hostname } = new URL(url);
  return isLoopbackHost(hostname) || hostname.endsWith('.localhost');
}

/** Returns the web host of an issuer's repositories. GitHub issues its tokens from another host. */
function webHostOf(issuer: string): string {
  const { host } = new URL(issuer);
  if (host === 'token.actions.githubusercontent.com') return 'github.com';
  return host.replace(/^token\.actions\.(?=[a-z0-9-]+\.ghe\.com$)/, '');
}

const refPrefixes: Readonly<Record<Origin, string>> = { branch: 'refs/heads/', tag: 'refs/tags/', environment: '' };

/** Returns the short name of a branch or tag that was typed as a full ref. */
export function originNameOf(origin: Origin, typed: string): string {
  const prefix = refPrefixes[origin];
  return typed.startsWith(prefix) ? typed.slice(prefix.length) : typed;
}

/** Returns the workflow's origin and its name. A workflow has exactly one of the three kinds of origin. */
export function originOf(workflow: Readonly<{ [Kind in Origin]?: string | undefined }>): [Origin, string] {
  const origin = originKinds.find((kind) => workflow[kind] !== undefined) ?? 'environment';
  return [origin, workflow[origin] ?? ''];
}

/** Returns true when two names of a repository differ only in capitals or in the numeric IDs of GitHub's form. */
export function isSameRepository(a: string, b: string): boolean {
  const [first, second] = [a, b].map((name) => name.replace(/@\d+(?=\/|$)/g, ''));
  return isSameName(first ?? '', second ?? '');
}

/** Returns the pattern of such subjects, with placeholders for names. */
export function subjectForm(kind: RepositoryKind, origin: Origin): string {
  return ciProviders[kind].subject({ repository: '<owner>/<repository>', [origin]: `<${origin}>` });
}

/** Compares two subjects: the common prefix, the common suffix, and the different text between them. */
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
