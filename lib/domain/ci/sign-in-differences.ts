import { type RefusedSignIn, type ShownRefusedSignIn, shownSubject } from '../service-accounts/refused-sign-ins.ts';
import type { TrustedWorkflowRecord } from '../service-accounts/trusted-workflows.ts';
import { foldAscii, subjectKey } from './subjects.ts';

/** How far apart two sign-ins are: the heavier, the more has to change before one is taken for the other. */
interface Difference {
  weight: number;
  words: string;
}

interface SubjectParts {
  kind: 'github' | 'gitlab';
  repository: string;
  /** `owner/repository`, where the subject carries both; `one side` where it carries one of them. */
  ids: string | undefined;
  origin: Origin;
  name: string;
}

type Origin = 'branch' | 'tag' | 'environment' | 'pull request' | 'customised subject';

const shownTrustedMax = 10;

/** Why a sign-in was refused, by what its service account trusts now. */
export function explainRefusal(
  refused: RefusedSignIn,
  workflows: readonly TrustedWorkflowRecord[],
  { isDisabled }: { isDisabled: boolean },
): ShownRefusedSignIn {
  const byNearness = workflows
    .map((workflow) => ({ workflow, differences: differencesBetween(refused, workflow) }))
    .sort((a, b) => weightOf(a.differences) - weightOf(b.differences));
  return {
    time: refused.time,
    issuer: refused.issuer,
    subject: shownSubject(refused.subject),
    trusted_subjects: byNearness.slice(0, shownTrustedMax).map(({ workflow }) => workflow.subject),
    difference: inWords(refused, byNearness[0]?.differences, isDisabled),
  };
}

function inWords(refused: RefusedSignIn, nearest: readonly Difference[] | undefined, isDisabled: boolean): string {
  // Whatever is trusted, such a token never signs in.
  if (!refused.is_consistent) return 'the subject names another repository than the claims beside it';
  if (nearest === undefined) return 'no workflow is trusted';
  if (nearest.length > 0) return nearest.map(({ words }) => words).join('; ');
  return isDisabled
    ? 'none: the workflow is trusted, but the service account or its owner is disabled'
    : 'none any more: the workflow is trusted now';
}

function differencesBetween(came: RefusedSignIn, trusted: TrustedWorkflowRecord): Difference[] {
  if (came.issuer !== trusted.issuer) return [{ weight: 1000, words: 'another CI system' }];
  const [a, b] = [partsOf(came.subject), partsOf(trusted.subject)];
  if (a === undefined || b === undefined || a.kind !== b.kind)
    return [{ weight: 500, words: 'the subject has an unknown form; its template may be customised' }];
  if (subjectKey(a, came.subject) === trusted.subject_key) return differencesBesideSubject(came, trusted);
  if (foldAscii(a.repository) !== foldAscii(b.repository))
    return [{ weight: 100, words: `another repository${likeness(a.repository, b.repository)}` }];
  return [idsDifference(a, b), originDifference(a, b)].filter((difference) => difference !== undefined);
}

function differencesBesideSubject(came: RefusedSignIn, trusted: TrustedWorkflowRecord): Difference[] {
  const differences: Difference[] = [];
  const { pinned_repository_id, pinned_repository_owner_id } = trusted;
  const isPinned = pinned_repository_id !== null || pinned_repository_owner_id !== null;
  if (
    isPinned &&
    (came.repository_id !== pinned_repository_id || came.repository_owner_id !== pinned_repository_owner_id)
  )
    differences.push({
      weight: 10,
      words:
        "the repository's numeric ids changed: someone else may have taken over its name; if it is yours, remove the workflow and trust it again",
    });
  const { environment } = trusted;
  if (environment !== undefined && came.environment !== null && foldAscii(came.environment) !== foldAscii(environment))
    differences.push({ weight: 5, words: 'another environment, whose name holds the escape "%3A"' });
  return differences;
}

function idsDifference(came: SubjectParts, trusted: SubjectParts): Difference | undefined {
  if (came.ids === trusted.ids) return undefined;
  if (came.ids === 'one side')
    return { weight: 20, words: 'the subject carries a numeric id on one side alone; no CI system makes such a one' };
  if (trusted.ids === undefined)
    return {
      weight: 10,
      words: "the subject carries the repository's numeric ids; trust <owner>@<id>/<repo>@<id>",
    };
  if (came.ids === undefined)
    return { weight: 10, words: "the subject lacks the repository's numeric ids; trust <owner>/<repo>" };
  return { weight: 20, words: "the repository's numeric ids changed" };
}

function originDifference(came: SubjectParts, trusted: SubjectParts): Difference | undefined {
  if (came.origin !== trusted.origin) return { weight: 5, words: otherOrigin(came.origin, trusted.origin) };
  const fold = came.origin === 'environment' ? foldAscii : (name: string) => name;
  if (fold(came.name) === fold(trusted.name)) return undefined;
  return foldAscii(came.name) === foldAscii(trusted.name)
    ? { weight: 1, words: `upper case: the name of a ${came.origin} counts to the letter` }
    : { weight: 2, words: `another ${came.origin}${likeness(came.name, trusted.name)}` };
}

/** Nobody finds out by looking that an accent is composed in another way, or that a letter is the sign of Kelvin. */
function likeness(came: string, trusted: string): string {
  const look = (name: string) => name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return look(came) === look(trusted) ? ', whose name looks nearly the same: its characters are others' : '';
}

function otherOrigin(came: Origin, trusted: Origin): string {
  switch (came) {
    case 'environment':
      return `environment replaces the ${trusted}: trust the environment that the job names`;
    case 'customised subject':
      return 'the subject goes on after what is trusted; its template is customised';
    default:
      return trusted === 'environment'
        ? `a ${came}: the job names no environment`
        : `a ${came}, where a ${trusted} is trusted`;
  }
}

function weightOf(differences: readonly Difference[]): number {
  return differences.reduce((sum, { weight }) => sum + weight, 0);
}

const githubPattern =
  /^repo:(?<owner>[^:/@]+)(?:@(?<ownerId>\d+))?\/(?<name>[^:/@]+)(?:@(?<repositoryId>\d+))?:(?<rest>.+)$/s;
const gitlabPattern = /^project_path:(?<project>[^:]+):ref_type:(?<type>branch|tag):ref:(?<ref>[^:]+)$/;

/** Wider than what may be trusted: a refused subject is taken apart as far as it can be. */
function partsOf(subject: string): SubjectParts | undefined {
  const gitlab = gitlabPattern.exec(subject)?.groups;
  if (gitlab !== undefined) {
    const origin = gitlab['type'] === 'tag' ? 'tag' : 'branch';
    return { kind: 'gitlab', repository: gitlab['project'] ?? '', ids: undefined, origin, name: gitlab['ref'] ?? '' };
  }
  const github = githubPattern.exec(subject)?.groups;
  if (github === undefined) return undefined;
  const { ownerId, repositoryId } = github;
  const repository = `${github['owner']}/${github['name']}`;
  return { kind: 'github', repository, ids: idsOf(ownerId, repositoryId), ...githubOrigin(github['rest'] ?? '') };
}

function idsOf(ownerId: string | undefined, repositoryId: string | undefined): string | undefined {
  if (ownerId === undefined && repositoryId === undefined) return undefined;
  return ownerId === undefined || repositoryId === undefined ? 'one side' : `${ownerId}/${repositoryId}`;
}

const githubOrigins: readonly (readonly [Origin, RegExp])[] = [
  ['branch', /^ref:refs\/heads\/([^:]+)$/],
  ['tag', /^ref:refs\/tags\/([^:]+)$/],
  ['environment', /^environment:([^:]+)$/],
  ['pull request', /^(pull_request|ref:refs\/pull\/[^:]+)$/],
];

function githubOrigin(rest: string): { origin: Origin; name: string } {
  for (const [origin, pattern] of githubOrigins) {
    const name = pattern.exec(rest)?.[1];
    if (name !== undefined) return { origin, name };
  }
  return { origin: 'customised subject', name: rest };
}
