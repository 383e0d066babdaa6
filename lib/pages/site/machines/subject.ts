import { type OriginKind as Origin, originKinds } from '../../../domain/ci/provider.ts';
import { type CiProviderKind, ciProviders } from '../../../domain/ci/providers.ts';
import { trustedSubject } from '../../../domain/ci/subjects.ts';
import { isLoopbackHost } from '../../../domain/loopback.ts';

export type { Origin };

/** What a form for trusting a workflow holds. */
export interface TypedWorkflow {
  kind: CiProviderKind;
  repository: string;
  origin: Origin;
  /** Of the branch, tag or environment. */
  name: string;
}

export type TypedSubject =
  | { ok: true; subject: string }
  /** `path` is the field that does not fit, `repository` or an origin; empty where it is both together. */
  | { ok: false; path: string; message: string };

/** The subject that will be trusted, by the rules of the API itself; undefined while something is still to be typed. */
export function subjectOf({ kind, repository, origin, name }: TypedWorkflow): TypedSubject | undefined {
  if (repository === '' || name === '') return undefined;
  const trusted = trustedSubject({ kind }, { repository, [origin]: name });
  return trusted.ok ? { ok: true, subject: trusted.subject } : { ok: false, ...trusted.fault };
}

/**
 * The repository that an address of the issuer's own host names, as `https://github.com/tide/code/tree/main` does
 * `tide/code`; anything else as it is, for the API's rules to judge. An issuer on this machine stands in for the public
 * CI system of its kind, whose addresses are the ones that people have.
 */
export function repositoryOf({ kind, issuer }: { kind: CiProviderKind; issuer: string }, typed: string): string {
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

/** Why a URL is of none of its repositories, as the API says what does not fit; undefined for what is no URL. */
export function foreignHostFault(of: { kind: CiProviderKind; issuer: string }, typed: string): string | undefined {
  const isUrl = /^(?:[a-z][a-z\d+.-]*:\/\/|[\w.-]+@[\w.-]+:)/i.test(typed.trim());
  if (!isUrl || repositoryOf(of, typed) !== typed) return undefined;
  return `must be on ${hostsOf(of).at(-1)}, and this is a URL of another host: paste the one that it has there`;
}

/** Where the repositories are, the public host last. */
function hostsOf({ kind, issuer }: { kind: CiProviderKind; issuer: string }): string[] {
  const host = webHostOf(issuer);
  return isLoopbackUrl(issuer) ? [host, publicHosts[kind]] : [host];
}

const cuts: Readonly<Record<CiProviderKind, (path: string) => string>> = {
  github: (path) => path.split('/').slice(0, 2).join('/'),
  // A project may lie in groups of groups; what is not its path comes after a hyphen.
  gitlab: (path) => path.split('/-/')[0] ?? '',
};

const publicHosts: Readonly<Record<CiProviderKind, string>> = { github: 'github.com', gitlab: 'gitlab.com' };

/** Nothing on another machine reaches such an address. */
export function isLoopbackUrl(url: string): boolean {
  const { hostname } = new URL(url);
  return isLoopbackHost(hostname) || hostname.endsWith('.localhost');
}

/** Where people see the repositories whose runs an issuer vouches for: GitHub's tokens come from another host. */
function webHostOf(issuer: string): string {
  const { host } = new URL(issuer);
  if (host === 'token.actions.githubusercontent.com') return 'github.com';
  return host.replace(/^token\.actions\.(?=[a-z0-9-]+\.ghe\.com$)/, '');
}

const refPrefixes: Readonly<Record<Origin, string>> = { branch: 'refs/heads/', tag: 'refs/tags/', environment: '' };

/** The short name of a branch or a tag that was typed as a whole ref. */
export function originNameOf(origin: Origin, typed: string): string {
  const prefix = refPrefixes[origin];
  return typed.startsWith(prefix) ? typed.slice(prefix.length) : typed;
}

/** What a workflow runs from, and the name of that; of the three kinds it has one. */
export function originOf(workflow: Readonly<{ [Kind in Origin]?: string | undefined }>): [Origin, string] {
  const origin = originKinds.find((kind) => workflow[kind] !== undefined) ?? 'environment';
  return [origin, workflow[origin] ?? ''];
}

/** The form of all subjects of such workflows, with words in place of names. */
export function subjectForm(kind: CiProviderKind, origin: Origin): string {
  return ciProviders[kind].subject({ repository: '<owner>/<repository>', [origin]: `<${origin}>` });
}

export interface Compared {
  /** Alike in both. */
  before: string;
  came: string;
  trusted: string;
  /** Alike in both. */
  after: string;
}

/** Where two subjects differ: what is between what both begin and what both end with. */
export function compareSubjects(came: string, trusted: string): Compared {
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
