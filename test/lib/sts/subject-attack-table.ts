import type { TrustedOrigin } from '../../../lib/domain/ci/provider.ts';

export const repository = 'tide-institute/pipelines';
export const main: TrustedOrigin = { repository, branch: 'main' };
export const numbered: TrustedOrigin = { repository: 'tide-institute@77/pipelines@1001', branch: 'main' };
const lookAlike = ', whose name looks the same but uses other characters';
const contradiction = 'the subject and the other claims name different repositories, ids, refs or environments';
const onMain = `repo:${repository}:ref:refs/heads/main`;
const idsChanged = (to: string) =>
  `the repository's numeric ids changed, from repository 1001 of owner 77 to ${to}: someone else may have taken over its name; if it is yours, remove the workflow and trust it again`;

export interface Attack {
  trusted?: TrustedOrigin;
  sub?: string;
  claims?: Record<string, unknown>;
  /** Claims of an earlier run, whose sign-in succeeded. */
  before?: Record<string, unknown>;
  /** The message that the managers of the service account see. */
  told: string;
}

export const attacks: Record<string, Attack> = {
  'an environment named as the branch': {
    sub: `repo:${repository}:environment:main`,
    told: 'environment replaces the branch: trust the environment that the job names',
  },
  'a branch named as the environment': {
    trusted: { repository, environment: 'main' },
    sub: onMain,
    told: 'a branch: the job names no environment',
  },
  'a pull request': { sub: `repo:${repository}:pull_request`, told: 'a pull request, where a branch is trusted' },
  'a pipeline of a merge request, which names the trusted branch': {
    claims: { pipeline_source: 'merge_request_event' },
    told:
      'a merge request pipeline, or a child pipeline of an unprotected branch, which never sign in: ' +
      'run the job on the branch after the merge, and protect the branch for a child pipeline',
  },
  'a child pipeline of a merge request, which names the trusted branch': {
    claims: { pipeline_source: 'parent_pipeline', ref_protected: 'false' },
    told:
      'a merge request pipeline, or a child pipeline of an unprotected branch, which never sign in: ' +
      'run the job on the branch after the merge, and protect the branch for a child pipeline',
  },
  'the merge ref of a pull request': {
    sub: `repo:${repository}:ref:refs/pull/1/merge`,
    told: 'a pull request, where a branch is trusted',
  },
  'the head ref of a pull request': {
    sub: `repo:${repository}:ref:refs/pull/1/head`,
    told: 'a pull request, where a branch is trusted',
  },
  'a tag named as the branch': {
    sub: `repo:${repository}:ref:refs/tags/main`,
    told: 'a tag, where a branch is trusted',
  },
  'a branch named as the tag': {
    trusted: { repository, tag: 'main' },
    sub: onMain,
    told: 'a branch, where a tag is trusted',
  },
  'a branch named as a ref of branches': {
    sub: `repo:${repository}:ref:refs/heads/refs/heads/main`,
    told: 'another branch',
  },
  'a branch of which the trusted one is a prefix': { sub: `${onMain}2`, told: 'another branch' },
  'a branch below the trusted one': { sub: `${onMain}/x`, told: 'another branch' },
  'a branch that is a prefix of the trusted one': { sub: onMain.slice(0, -1), told: 'another branch' },
  'a branch with a line break behind it': { sub: `${onMain}\n`, told: 'another branch' },
  'a branch with an end of text in it': { sub: `${onMain}\u0000x`, told: 'another branch' },
  'the trusted subject inside another': { sub: `repo:eve/x:environment:${onMain}`, told: 'another repository' },
  'a wildcard': {
    sub: `repo:${repository}:*`,
    told: 'the subject continues after the trusted part; its template is customised',
  },
  'a repository of which the trusted one is a prefix': {
    sub: 'repo:tide-institute/pipelines-fork:ref:refs/heads/main',
    told: 'another repository',
  },
  'an owner of which the trusted one is a suffix': {
    sub: 'repo:eve-tide-institute/pipelines:ref:refs/heads/main',
    told: 'another repository',
  },
  'a branch percent-encoded': { sub: `repo:${repository}:ref:refs/heads/ma%69n`, told: 'another branch' },
  'a slash percent-encoded': {
    trusted: { repository, branch: 'release/1' },
    sub: `repo:${repository}:ref:refs/heads/release%2F1`,
    told: 'another branch',
  },
  'a repository percent-encoded': {
    sub: 'repo:tide%2Dinstitute/pipelines:ref:refs/heads/main',
    told: 'another repository',
  },
  'an environment whose name holds the escape': {
    trusted: { repository, environment: 'prod:eu' },
    sub: `repo:${repository}:environment:prod%3Aeu`,
    claims: { environment: 'prod%3Aeu' },
    told: 'another environment, whose name holds the escape "%3A"',
  },
  'a template that adds a claim': {
    sub: `${onMain}:job_workflow_ref:eve/x/.github/workflows/a.yml@refs/heads/main`,
    told: 'the subject continues after the trusted part; its template is customised',
  },
  'a template that puts a claim first': {
    sub: `repository_owner:tide-institute:${onMain}`,
    told: 'the subject has an unknown form; its template may be customised',
  },
  'names without ids where ids are trusted': {
    trusted: numbered,
    sub: onMain,
    claims: { repository_id: undefined, repository_owner_id: undefined },
    told: idsChanged('none'),
  },
  'the name of a repository that has other ids, where ids are trusted': {
    trusted: numbered,
    sub: onMain,
    claims: { repository_id: '2002' },
    told: idsChanged('repository 2002 of owner 77'),
  },
  'a transferred repository': {
    trusted: numbered,
    sub: 'repo:eve@88/pipelines@1001:ref:refs/heads/main',
    claims: { repository_owner_id: '88' },
    told: 'the repository has another owner, as after a transfer: its numeric ids changed from repository 1001 of owner 77 to repository 1001 of owner 88; if the new owner is yours, remove the workflow and trust it again',
  },
  'ids on one side of the slash alone': {
    trusted: numbered,
    sub: 'repo:tide-institute@77/pipelines:ref:refs/heads/main',
    told: 'the subject has a numeric id on one side only; no CI system issues such a subject',
  },
  'ids on the other side alone': {
    trusted: numbered,
    sub: 'repo:tide-institute/pipelines@1001:ref:refs/heads/main',
    told: 'the subject has a numeric id on one side only; no CI system issues such a subject',
  },
  'another id of the repository': {
    trusted: numbered,
    sub: 'repo:tide-institute@77/pipelines@1002:ref:refs/heads/main',
    claims: { repository_id: '1002' },
    told: idsChanged('repository 1002 of owner 77'),
  },
  'the ids of an owner who took over the name': {
    before: {},
    claims: { repository_id: '2002', repository_owner_id: '88' },
    told: idsChanged('repository 2002 of owner 88'),
  },
  'no ids where there were some': {
    before: {},
    claims: { repository_id: undefined, repository_owner_id: undefined },
    told: idsChanged('none'),
  },
  'a branch in another case': {
    sub: `repo:${repository}:ref:refs/heads/Main`,
    told: 'differs only in case; branch names are case-sensitive',
  },
  'a branch with its accent composed in another way': {
    trusted: { repository, branch: 'gr\u00fcn' },
    sub: `repo:${repository}:ref:refs/heads/gru\u0308n`,
    told: `another branch${lookAlike}`,
  },
  'an environment in the letters of another alphabet': {
    trusted: { repository, environment: 'prod' },
    sub: `repo:${repository}:environment:pr\u043Ed`,
    claims: { environment: 'pr\u043Ed' },
    told: 'another environment',
  },
  'the sign of Kelvin for a k': {
    trusted: { repository: 'tide-institute/kelp', branch: 'main' },
    sub: 'repo:tide-institute/\u212Aelp:ref:refs/heads/main',
    claims: { repository: 'tide-institute/\u212Aelp' },
    told: `another repository${lookAlike}`,
  },
  'the long s for an s': {
    sub: 'repo:tide-in\u017Ftitute/pipelines:ref:refs/heads/main',
    claims: { repository: 'tide-in\u017Ftitute/pipelines' },
    told: `another repository${lookAlike}`,
  },
  'a dotted capital i for an i': {
    sub: 'repo:t\u0130de-institute/pipelines:ref:refs/heads/main',
    claims: { repository: 't\u0130de-institute/pipelines' },
    told: `another repository${lookAlike}`,
  },
  'a subject that the repository beside it contradicts': {
    claims: { repository: 'eve/pipelines' },
    told: contradiction,
  },
  'a subject that the ref beside it contradicts': { claims: { ref: 'refs/heads/other' }, told: contradiction },
  'a subject that the owner beside it contradicts': { claims: { repository_owner: 'eve' }, told: contradiction },
  'an environment that the claim beside it contradicts': {
    trusted: { repository, environment: 'prod' },
    sub: `repo:${repository}:environment:prod`,
    claims: { environment: 'test' },
    told: contradiction,
  },
  'a subject that the id of the repository beside it contradicts': {
    trusted: numbered,
    sub: 'repo:tide-institute@77/pipelines@1001:ref:refs/heads/main',
    claims: { repository_id: '9' },
    told: contradiction,
  },
};

/**
 * Returns the claims of an attacking run. Only the subject is invented. The CI system sets the other claims for the
 * repository of the run.
 */
export function claimsOf({ sub = onMain }: Attack, more: Record<string, unknown> = {}): Record<string, unknown> {
  const named = /^repo:([^:@/]+)(?:@\d+)?\/([^:@]+)/.exec(sub);
  const repositoryClaim = named === null ? {} : { repository: `${named[1]}/${named[2]}` };
  const owner = { repository_owner: named?.[1] };
  return { sub, repository_id: '1001', repository_owner_id: '77', ...repositoryClaim, ...owner, ...more };
}
