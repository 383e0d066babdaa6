import {
  type RefusedSignIn,
  type Remedy,
  type ShownRefusedSignIn,
  showRefusal,
} from '../service-accounts/refused-sign-ins.ts';
import type { TrustedWorkflowRecord } from '../service-accounts/trusted-workflows.ts';
import { shownText } from '../shown-text.ts';
import { failedCondition, matchKeysOf } from './matching.ts';
import { type CiProvider, foldAscii, isSameName, type RepositoryProvider, type SubjectParts } from './provider.ts';
import { ciProvider } from './providers.ts';
import { trustedWorkload } from './subjects.ts';
import type { TokenFault } from './workload.ts';

/** A difference between a refused sign-in and a trusted workflow. A low weight means that the two are similar. */
interface Difference {
  weight: number;
  words: string;
}

interface NumericIds {
  repository: string | null;
  owner: string | null;
}

/** A trusted workflow with its differences from the refused sign-in. */
interface Compared {
  workflow: TrustedWorkflowRecord;
  differences: readonly Difference[];
  /**
   * The result of comparing the numeric IDs of two repositories. Present if the repositories have the same name and
   * their IDs are known.
   */
  ids: { areSame: boolean; change: string } | undefined;
}

const shownTrustedMax = 10;
const shownIdBytesMax = 40;
const shownClaimBytesMax = 120;

/** Explains a refused sign-in by comparing it with the workflows that the service account trusts now. */
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
  // Show that the IDs changed, even if another workflow without known IDs is more similar to the sign-in.
  const change =
    numericIds === 'changed' ? byNearness.find(({ ids }) => ids?.areSame === false)?.ids?.change : undefined;
  return {
    ...showRefusal(refused),
    trusted_subjects: byNearness.slice(0, shownTrustedMax).map(({ workflow }) => workflow.subject),
    difference: inWords(refused, byNearness[0]?.differences, { isDisabled, change }),
    remedy: remedyOf(refused, byNearness[0], { isDisabled, numericIds }),
  };
}

/**
 * Compares the token's numeric IDs with those of a trusted workflow for the same repository name. If another user takes
 * over the name after a rename, the IDs differ.
 */
function standingOf(compared: readonly Compared[]): NonNullable<Remedy['numeric_ids']> {
  if (compared.some(({ ids }) => ids?.areSame)) return 'known';
  return compared.some(({ ids }) => ids !== undefined) ? 'changed' : 'unknown';
}

function remedyOf(
  refused: RefusedSignIn,
  nearest: Compared | undefined,
  { isDisabled, numericIds }: { isDisabled: boolean; numericIds: Remedy['numeric_ids'] },
): Remedy {
  if (refused.fault !== null) return { kind: 'change_job' };
  if (nearest?.differences.length === 0) return { kind: isDisabled ? 'enable' : 'try_again' };
  const workflow = workflowOf(refused);
  if (workflow === undefined) return { kind: 'change_job' };
  const standing = hasNumericIds(refused) ? { numeric_ids: numericIds } : {};
  return nearest !== undefined && hasSameName(refused, nearest.workflow)
    ? { kind: 'trust_again', workflow, ...standing, replaces: nearest.workflow.workflow_id }
    : { kind: 'trust', workflow, ...standing };
}

function hasNumericIds({ kind }: RefusedSignIn): boolean {
  const provider = ciProvider({ kind });
  return provider.identifiedBy === 'repository' || provider.idClaims !== undefined;
}

/** Returns true if the workflow has the same repository name and origin as the token, or the same subject. */
function hasSameName(refused: RefusedSignIn, trusted: TrustedWorkflowRecord): boolean {
  // If the owner entered numeric IDs, the service identifies the workflow by these IDs and ignores the name.
  const isTrustedByName = trusted.pinned === null || trusted.match_keys.length > 1;
  return isTrustedByName && refused.issuer === trusted.issuer && nameKeyOf(refused) === nameKeyOf(trusted);
}

function nameKeyOf({ kind, subject }: Pick<RefusedSignIn, 'kind' | 'subject'>): string {
  const provider = ciProvider({ kind });
  const parts = provider.identifiedBy === 'repository' ? provider.parseSubject(subject) : undefined;
  return JSON.stringify(matchKeysOf(provider, { subject, parts, ids: undefined }).name);
}

/**
 * Returns the workflow that an owner would have to trust to allow the sign-in. Returns undefined if no workflow can
 * have this subject.
 */
function workflowOf({ kind, issuer, subject, claims }: RefusedSignIn): Remedy['workflow'] {
  const provider = ciProvider({ kind });
  if (provider.identifiedBy === 'subject') {
    const ids = Object.values(provider.idClaims ?? {}).map((name) => [name, claims[name] ?? ''] as const);
    const named = { sub: subject, ...Object.fromEntries(ids) };
    return trustedWorkload({ kind }, { claims: named }).ok ? { issuer, claims: named } : undefined;
  }
  const parts = provider.parseSubject(subject);
  if (parts === undefined || parts.origin === 'pull request' || parts.origin === 'customised subject') return undefined;
  const { origin } = parts;
  const repository = provider.repositoryWithIds(parts);
  const name = (origin === 'environment' ? claims[provider.claims.environment] : undefined) ?? parts.name;
  const trusted = trustedWorkload({ kind }, { repository, [origin]: name });
  // Suggest a workflow only if its tokens have exactly the refused subject.
  if (!trusted.ok || nameKeyOf({ kind, subject: trusted.subject }) !== nameKeyOf({ kind, subject })) return undefined;
  return { issuer, repository, [origin]: name };
}

const faultWords: Readonly<Record<TokenFault, string>> = {
  contradiction: 'the subject and the other claims name different repositories, ids, refs or environments',
  merge_request:
    'a merge request pipeline, or a child pipeline of an unprotected branch, which never sign in: ' +
    'run the job on the branch after the merge, and protect the branch for a child pipeline',
  other_kind:
    'the token is not one of the kind under which its issuer is registered: ' +
    'register the issuer under the kind of its CI system or cluster',
};

function inWords(
  refused: RefusedSignIn,
  nearest: readonly Difference[] | undefined,
  { isDisabled, change }: { isDisabled: boolean; change: string | undefined },
): string {
  // Report a fault of the token itself first, because it causes a refusal even if the subject is trusted.
  if (refused.fault !== null) return faultWords[refused.fault];
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
  if (came.issuer !== trusted.issuer) return [{ weight: 1000, words: 'another issuer' }];
  const provider = ciProvider(came);
  const inSubject =
    provider.identifiedBy === 'subject'
      ? [subjectDifference(came, trusted)]
      : repositoryDifferences(provider, came, trusted, ids);
  const found = inSubject.filter((difference) => difference !== undefined);
  const condition = conditionDifference(came, trusted, found.length === 0);
  return condition === undefined ? found : [...found, condition];
}

function subjectDifference(came: RefusedSignIn, trusted: TrustedWorkflowRecord): Difference | undefined {
  if (came.subject === trusted.subject) return undefined;
  return { weight: 100, words: `another subject${likeness(came.subject, trusted.subject)}` };
}

function repositoryDifferences(
  provider: RepositoryProvider,
  came: RefusedSignIn,
  trusted: TrustedWorkflowRecord,
  ids: Compared['ids'],
): (Difference | undefined)[] {
  const [a, b] = [provider.parseSubject(came.subject), provider.parseSubject(trusted.subject)];
  if (a === undefined || b === undefined)
    return [{ weight: 500, words: 'the subject has an unknown form; its template may be customised' }];
  if (ids === undefined && !isSameName(a.repository, b.repository))
    return [{ weight: 100, words: `another repository${likeness(a.repository, b.repository)}` }];
  // A weight below 1 makes a workflow with the same name the most similar one. The text must not advise users to trust
  // the new IDs.
  const weight = hasSameName(came, trusted) ? 0.5 : 20;
  const changed = ids?.areSame === false ? { weight, words: ids.change } : undefined;
  return [changed ?? idsDifference(a, came, trusted), originDifference(a, b)];
}

/**
 * Compares the numeric IDs of the token with those of the trusted workflow. Returns undefined if the token or the
 * workflow has no IDs.
 */
function compareIds(came: RefusedSignIn, trusted: TrustedWorkflowRecord): Compared['ids'] {
  const provider = ciProvider(came);
  if (came.issuer !== trusted.issuer) return undefined;
  const [is, was] = numericIdsOf(provider, came, trusted);
  if (was === undefined) return undefined;
  const areSame = is.repository === was.repository && is.owner === was.owner;
  const isTransfer = is.repository === was.repository && !areSame;
  if (provider.identifiedBy === 'subject') {
    if (came.subject !== trusted.subject) return undefined;
  } else {
    const [a, b] = [provider.parseSubject(came.subject), provider.parseSubject(trusted.subject)];
    if (a === undefined || b === undefined) return undefined;
    if (!areSame && !isTransfer && !isSameName(a.repository, b.repository)) return undefined;
  }
  const change = isTransfer
    ? `the repository has another owner, as after a transfer: its numeric ids changed from ${shownIds(was)} to ${shownIds(is)}; if the new owner is yours, remove the workflow and trust it again`
    : `the repository's numeric ids changed, from ${shownIds(was)} to ${shownIds(is)}: someone else may have taken over its name; if it is yours, remove the workflow and trust it again`;
  return { areSame, change };
}

/**
 * Returns the numeric IDs of the token and of the trusted workflow. The workflow's IDs are undefined if the service
 * does not know them.
 */
function numericIdsOf(
  provider: CiProvider,
  came: RefusedSignIn,
  { pinned, claims = {} }: TrustedWorkflowRecord,
): [NumericIds, NumericIds | undefined] {
  if (provider.identifiedBy === 'repository') {
    const known = pinned && { repository: pinned.repository_id, owner: pinned.repository_owner_id };
    return [{ repository: came.repository_id, owner: came.repository_owner_id }, known ?? undefined];
  }
  const of = (all: Readonly<Record<string, string>>): NumericIds => ({
    repository: all[provider.idClaims?.repository_id ?? ''] ?? null,
    owner: all[provider.idClaims?.repository_owner_id ?? ''] ?? null,
  });
  const known = of(claims);
  return [of(came.claims), known.repository === null ? undefined : known];
}

function shownIds({ repository, owner }: NumericIds): string {
  const shown = (id: string | null) => (id === null ? 'without a number' : shownText(id, shownIdBytesMax));
  return repository === null && owner === null ? 'none' : `repository ${shown(repository)} of owner ${shown(owner)}`;
}

/** Describes the first optional condition of a trusted workflow that the token does not meet. */
function conditionDifference(
  came: RefusedSignIn,
  trusted: TrustedWorkflowRecord,
  hasSameSubject: boolean,
): Difference | undefined {
  const failed = failedCondition({ claims: new Map(Object.entries(came.claims)) }, trusted);
  if (failed === undefined) return undefined;
  if (failed.name === 'environment')
    return hasSameSubject
      ? { weight: 0.4, words: 'another environment, whose name holds the escape "%3A"' }
      : undefined;
  const shown = (value: string | undefined) =>
    value === undefined ? 'absent' : `"${shownText(value, shownClaimBytesMax)}"`;
  return { weight: 0.4, words: `${failed.name} is ${shown(failed.came)}, and ${shown(failed.trusted)} is trusted` };
}

function idsDifference(
  parts: SubjectParts,
  came: RefusedSignIn,
  { pinned }: TrustedWorkflowRecord,
): Difference | undefined {
  const { repository_id, repository_owner_id } = parts.ids;
  if ((repository_id === undefined) !== (repository_owner_id === undefined))
    return { weight: 20, words: 'the subject has a numeric id on one side only; no CI system issues such a subject' };
  if (pinned !== null && came.repository_id === null)
    return { weight: 10, words: 'the token has no numeric ids, and the trusted workflow requires them' };
  return undefined;
}

function originDifference(came: SubjectParts, trusted: SubjectParts): Difference | undefined {
  if (came.origin !== trusted.origin) return { weight: 5, words: otherOrigin(came.origin, trusted.origin) };
  const fold = came.origin === 'environment' ? foldAscii : (name: string) => name;
  if (fold(came.name) === fold(trusted.name)) return undefined;
  return isSameName(came.name, trusted.name)
    ? { weight: 1, words: `differs only in case; ${came.origin} names are case-sensitive` }
    : { weight: 2, words: `another ${came.origin}${likeness(came.name, trusted.name)}` };
}

/** Describes a difference between two texts that a reader cannot see, such as a composed accent or the Kelvin sign. */
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
