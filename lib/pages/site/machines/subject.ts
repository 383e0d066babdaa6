import type { originKinds } from '../../../domain/ci/provider.ts';
import { type CiProviderKind, ciProviders } from '../../../domain/ci/providers.ts';
import { trustedSubject } from '../../../domain/ci/subjects.ts';

export type Origin = (typeof originKinds)[number];

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
