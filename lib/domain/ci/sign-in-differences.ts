import {
  type RefusedSignIn,
  type Remedy,
  type ShownRefusedSignIn,
  showRefusal,
} from '../service-accounts/refused-sign-ins.ts';
import type { TrustedWorkflowRecord } from '../service-accounts/trusted-workflows.ts';
import { shownText } from '../shown-text.ts';
import { type CiProvider, foldAscii, type SubjectParts } from './provider.ts';
import { type CiProviderKind, ciProviders } from './providers.ts';
import { trustedSubject } from './subjects.ts';

/** A difference between two sign-ins. A higher weight means that they are less similar. */
interface Difference {
  weight: number;
  words: string;
}

interface KnownSubject extends SubjectParts {
  kind: CiProviderKind;
  provider: CiProvider;
}

interface NumericIds {
  repository: string | null;
  owner: string | null;
}

/** A trusted workflow with its differences from the refused sign-in. */
interface Compared {
  workflow: TrustedWorkflowRecord;
  differences: readonly Difference[];
  /** Present if the workflow has the same repository and its numeric IDs are known. */
  ids: { areSame: boolean; change: string } | undefined;
}

const shownTrustedMax = 10;
const shownIdBytesMax = 40;

/** Explains the refusal of a sign-in by comparison with the workflows that the service account trusts now. */
export function explainRefusal(
  refused: RefusedSignIn,
  workflows: readonly TrustedWorkflowRecord[],
  { isDisabled }: { isDisabled: boolean },
): Required<ShownRefusedSignIn> {
  const byNearness = workflows
    .map((workflow): Compared => {
      const ids = compareIds(refused, workflow);
      return { workflow, ids, differences: differencesBetween(refused, workflow, ids) };
    })
    .sort((a, b) => weightOf(a.differences) - weightOf(b.differences));
  const numericIds = standingOf(byNearness);
  // Shown even if another workflow of this name without known IDs is more similar.
  const change =
    numericIds === 'changed' ? byNearness.find(({ ids }) => ids?.areSame === false)?.ids?.change : undefined;
  return {
    ...showRefusal(refused),
    trusted_subjects: byNearness.slice(0, shownTrustedMax).map(({ workflow }) => workflow.subject),
    difference: inWords(refused, byNearness[0]?.differences, { isDisabled, change }),
    remedy: remedyOf(refused, byNearness[0], { isDisabled, numericIds }),
  };
}

/** Compares with all trusted workflows of this repository. A name may later belong to another user. */
function standingOf(compared: readonly Compared[]): NonNullable<Remedy['numeric_ids']> {
  if (compared.some(({ ids }) => ids?.areSame)) return 'known';
  return compared.some(({ ids }) => ids !== undefined) ? 'changed' : 'unknown';
}

function remedyOf(
  refused: RefusedSignIn,
  nearest: Compared | undefined,
  { isDisabled, numericIds }: { isDisabled: boolean; numericIds: Remedy['numeric_ids'] },
): Remedy {
  if (!refused.is_consistent || refused.is_merge_request) return { kind: 'change_job' };
  if (nearest?.differences.length === 0) return { kind: isDisabled ? 'enable' : 'try_again' };
  const named = workflowOf(refused);
  if (named === undefined) return { kind: 'change_job' };
  const { subject_key, ...workflow } = named;
  const isInItsPlace = nearest?.workflow.issuer === refused.issuer && nearest.workflow.subject_key === subject_key;
  return isInItsPlace
    ? { kind: 'trust_again', workflow, numeric_ids: numericIds, replaces: nearest.workflow.workflow_id }
    : { kind: 'trust', workflow, numeric_ids: numericIds };
}

/** Returns the workflow that would allow the sign-in. Undefined if no workflow can have this subject. */
function workflowOf({ issuer, subject, environment }: RefusedSignIn) {
  const parts = partsOf(subject);
  if (parts === undefined || parts.origin === 'pull request' || parts.origin === 'customised subject') return undefined;
  const { kind, origin, provider } = parts;
  const repository = provider.repositoryWithIds(parts);
  const name = (origin === 'environment' ? environment : undefined) ?? parts.name;
  const trusted = trustedSubject({ kind }, { repository, [origin]: name });
  // Suggest only a workflow that gives exactly this subject.
  if (!trusted.ok || trusted.subject_key !== provider.subjectKey(subject)) return undefined;
  return { issuer, repository, [origin]: name, subject_key: trusted.subject_key };
}

function inWords(
  refused: RefusedSignIn,
  nearest: readonly Difference[] | undefined,
  { isDisabled, change }: { isDisabled: boolean; change: string | undefined },
): string {
  // Such tokens are refused, even if their subject is trusted.
  if (!refused.is_consistent) return 'the subject names another repository than the claims beside it';
  if (refused.is_merge_request)
    return (
      'a merge request pipeline, or a child pipeline of an unprotected branch, which never sign in: ' +
      'run the job on the branch after the merge, and protect the branch for a child pipeline'
    );
  if (nearest === undefined) return 'no workflow is trusted';
  if (nearest.length > 0) {
    const words = nearest.map((difference) => difference.words);
    return (change === undefined || words.includes(change) ? words : [change, ...words]).join('; ');
  }
  const state = isDisabled
    ? 'the workflow is trusted, but the service account or its owner is disabled'
    : 'the workflow is trusted now';
  if (change !== undefined) return `${change}; ${state}`;
  return isDisabled ? `none: ${state}` : `none any more: ${state}`;
}

function differencesBetween(came: RefusedSignIn, trusted: TrustedWorkflowRecord, ids: Compared['ids']): Difference[] {
  if (came.issuer !== trusted.issuer) return [{ weight: 1000, words: 'another CI system' }];
  const [a, b] = [partsOf(came.subject), partsOf(trusted.subject)];
  if (a === undefined || b === undefined || a.provider !== b.provider)
    return [{ weight: 500, words: 'the subject has an unknown form; its template may be customised' }];
  const changed = (weight: number) => (ids?.areSame === false ? { weight, words: ids.change } : undefined);
  if (a.provider.subjectKey(came.subject) === trusted.subject_key) {
    // The sum is below 1, so a workflow with the same subject is always the most similar one.
    return [changed(0.5), environmentDifference(came, trusted)].filter((difference) => difference !== undefined);
  }
  if (foldAscii(a.repository) !== foldAscii(b.repository))
    return [{ weight: 100, words: `another repository${likeness(a.repository, b.repository)}` }];
  // If the known IDs differ, the text must not advise to trust the new IDs.
  return [changed(20) ?? idsDifference(a, b), originDifference(a, b)].filter((difference) => difference !== undefined);
}

/** Returns undefined if the repositories have different names, or if the IDs of the trusted one are unknown. */
function compareIds(came: RefusedSignIn, trusted: TrustedWorkflowRecord): Compared['ids'] {
  const [a, b] = [partsOf(came.subject), partsOf(trusted.subject)];
  if (came.issuer !== trusted.issuer || a === undefined || a.provider !== b?.provider) return undefined;
  if (foldAscii(a.repository) !== foldAscii(b.repository)) return undefined;
  const [is, was] = [
    idsIn(a) ?? { repository: came.repository_id, owner: came.repository_owner_id },
    idsIn(b) ?? {
      repository: trusted.pinned?.repository_id ?? null,
      owner: trusted.pinned?.repository_owner_id ?? null,
    },
  ];
  if (was.repository === null && was.owner === null) return undefined;
  const change = `the repository's numeric ids changed, from ${shownIds(was)} to ${shownIds(is)}: someone else may have taken over its name; if it is yours, remove the workflow and trust it again`;
  return { areSame: is.repository === was.repository && is.owner === was.owner, change };
}

function idsIn({ ids }: KnownSubject): NumericIds | undefined {
  const [owner, repository] = ids?.split('/') ?? [];
  return owner === undefined || repository === undefined ? undefined : { owner, repository };
}

function shownIds({ repository, owner }: NumericIds): string {
  const shown = (id: string | null) => (id === null ? 'without a number' : shownText(id, shownIdBytesMax));
  return repository === null && owner === null ? 'none' : `repository ${shown(repository)} of owner ${shown(owner)}`;
}

function environmentDifference(came: RefusedSignIn, trusted: TrustedWorkflowRecord): Difference | undefined {
  const { environment } = trusted;
  if (environment !== undefined && came.environment !== null && foldAscii(came.environment) !== foldAscii(environment))
    return { weight: 0.4, words: 'another environment, whose name holds the escape "%3A"' };
  return undefined;
}

/** Compares the forms of two subjects whose known IDs do not contradict each other. */
function idsDifference(came: KnownSubject, trusted: KnownSubject): Difference | undefined {
  if (came.ids === trusted.ids) return undefined;
  if (came.ids === 'one side')
    return { weight: 20, words: 'the subject has a numeric id on one side only; no CI system issues such a subject' };
  if (trusted.ids === undefined)
    return {
      weight: 10,
      words: "the subject carries the repository's numeric ids; trust <owner>@<id>/<repo>@<id>",
    };
  if (came.ids === undefined)
    return { weight: 10, words: "the subject lacks the repository's numeric ids; trust <owner>/<repo>" };
  return undefined;
}

function originDifference(came: KnownSubject, trusted: KnownSubject): Difference | undefined {
  if (came.origin !== trusted.origin) return { weight: 5, words: otherOrigin(came.origin, trusted.origin) };
  const fold = came.origin === 'environment' ? foldAscii : (name: string) => name;
  if (fold(came.name) === fold(trusted.name)) return undefined;
  return foldAscii(came.name) === foldAscii(trusted.name)
    ? { weight: 1, words: `differs only in case; ${came.origin} names are case-sensitive` }
    : { weight: 2, words: `another ${came.origin}${likeness(came.name, trusted.name)}` };
}

/** Names differences that are invisible to a reader, such as a composed accent or the Kelvin sign. */
function likeness(came: string, trusted: string): string {
  const look = (name: string) => name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return look(came) === look(trusted) ? ', whose name looks the same but uses other characters' : '';
}

function otherOrigin(came: SubjectParts['origin'], trusted: SubjectParts['origin']): string {
  switch (came) {
    case 'environment':
      return `environment replaces the ${trusted}: trust the environment that the job names`;
    case 'customised subject':
      return 'the subject continues after the trusted part; its template is customised';
    default:
      return trusted === 'environment'
        ? `a ${came}: the job names no environment`
        : `a ${came}, where a ${trusted} is trusted`;
  }
}

function weightOf(differences: readonly Difference[]): number {
  return differences.reduce((sum, { weight }) => sum + weight, 0);
}

/** Parses the subject with the first CI system that knows its form. A stored refusal has no kind. */
function partsOf(subject: string): KnownSubject | undefined {
  for (const kind of Object.keys(ciProviders) as CiProviderKind[]) {
    const provider: CiProvider = ciProviders[kind];
    const parts = provider.subjectParts(subject);
    if (parts !== undefined) return { ...parts, kind, provider };
  }
  return undefined;
}
