import { describe, expect, test } from 'vitest';
import type { TrustedOrigin } from '../../../../lib/domain/ci/provider.ts';
import { explainRefusal } from '../../../../lib/domain/ci/sign-in-differences.ts';
import { trustedSubject } from '../../../../lib/domain/ci/subjects.ts';
import type { RefusedSignIn } from '../../../../lib/domain/service-accounts/refused-sign-ins.ts';
import type { TrustedWorkflowRecord } from '../../../../lib/domain/service-accounts/trusted-workflows.ts';

const github = 'https://token.actions.githubusercontent.com';
const gitlab = 'https://gitlab.com';
const repository = 'tide-institute/pipelines';
const time = '2026-11-21T10:00:00.000Z';

function trusted(origin: TrustedOrigin, changes: Partial<TrustedWorkflowRecord> = {}): TrustedWorkflowRecord {
  const made = trustedSubject({ kind: changes.issuer === gitlab ? 'gitlab' : 'github' }, origin);
  if (!made.ok) throw new Error(made.fault.message);
  const { environment } = origin;
  return {
    workflow_id: '',
    issuer: github,
    repository: origin.repository,
    ...(environment === undefined ? {} : { environment }),
    subject: made.subject,
    subject_key: made.subject_key,
    created_at: time,
    service_account_id: 'tide-institute--nightly-sync',
    service_account_uid: 'uid',
    pinned: null,
    ...changes,
  };
}

const pinnedTo = (repository_id: string, repository_owner_id: string) => ({
  pinned: { repository_id, repository_owner_id, pinned_at: time },
});

const refused = (subject: string, changes: Partial<RefusedSignIn> = {}): RefusedSignIn => ({
  service_account_id: 'tide-institute--nightly-sync',
  time,
  request_id: 'a-request',
  issuer: github,
  subject,
  is_consistent: true,
  is_merge_request: false,
  repository_id: '1001',
  repository_owner_id: '77',
  environment: null,
  ...changes,
});

const difference = (came: RefusedSignIn, workflows: TrustedWorkflowRecord[], isDisabled = false) =>
  explainRefusal(came, workflows, { isDisabled }).difference;

const main = { repository, branch: 'main' };
const numbered = { repository: 'tide-institute@77/pipelines@1001', branch: 'main' };
const onMain = `repo:${repository}:ref:refs/heads/main`;
const idsChanged = (from: string, to: string) =>
  `the repository's numeric ids changed, from ${from} to ${to}: someone else may have taken over its name; if it is yours, remove the workflow and trust it again`;

describe('the difference between what came and what is trusted', () => {
  test.each<[string, TrustedOrigin, string]>([
    [
      `repo:${repository}:environment:prod`,
      main,
      'environment replaces the branch: trust the environment that the job names',
    ],
    [
      `repo:${repository}:environment:prod`,
      { repository, tag: 'v1' },
      'environment replaces the tag: trust the environment that the job names',
    ],
    [onMain, { repository, environment: 'prod' }, 'a branch: the job names no environment'],
    [`repo:${repository}:pull_request`, main, 'a pull request, where a branch is trusted'],
    [`repo:${repository}:ref:refs/pull/7/merge`, main, 'a pull request, where a branch is trusted'],
    [`repo:${repository}:ref:refs/tags/main`, main, 'a tag, where a branch is trusted'],
    [onMain, { repository, tag: 'main' }, 'a branch, where a tag is trusted'],
    [`repo:${repository}:ref:refs/heads/Main`, main, 'differs only in case; branch names are case-sensitive'],
    [`repo:${repository}:ref:refs/heads/main2`, main, 'another branch'],
    [`repo:${repository}:environment:prod`, { repository, environment: 'test' }, 'another environment'],
    ['repo:eve/pipelines:ref:refs/heads/main', main, 'another repository'],
    ['repo:tide-institute/pipelines-fork:ref:refs/heads/main', main, 'another repository'],
    [`${onMain}:job_workflow_ref:x`, main, 'the subject continues after the trusted part; its template is customised'],
    [
      `repo:${repository}:environment:prod:ref:refs/heads/main`,
      { repository, environment: 'prod' },
      'the subject continues after the trusted part; its template is customised',
    ],
    ['repository_owner:tide-institute', main, 'the subject has an unknown form; its template may be customised'],
    [
      'repo:tide-institute@77/pipelines@1001:ref:refs/heads/main',
      main,
      "the subject carries the repository's numeric ids; trust <owner>@<id>/<repo>@<id>",
    ],
    [onMain, numbered, "the subject lacks the repository's numeric ids; trust <owner>/<repo>"],
    [
      'repo:tide-institute@77/pipelines@2002:ref:refs/heads/main',
      numbered,
      idsChanged('repository 1001 of owner 77', 'repository 2002 of owner 77'),
    ],
    [
      'repo:tide-institute@77/pipelines@1001:environment:prod',
      main,
      "the subject carries the repository's numeric ids; trust <owner>@<id>/<repo>@<id>; environment replaces the branch: trust the environment that the job names",
    ],
  ])('%s against %j: %s', (subject, origin, words) => {
    expect(difference(refused(subject), [trusted(origin)])).toBe(words);
  });

  test.each<[string, RefusedSignIn, TrustedWorkflowRecord, string]>([
    ['another issuer', refused(onMain, { issuer: gitlab }), trusted(main), 'another CI system'],
    [
      'another id of the repository than at the first sign-in',
      refused(onMain),
      trusted(main, pinnedTo('2002', '77')),
      idsChanged('repository 2002 of owner 77', 'repository 1001 of owner 77'),
    ],
    [
      'no ids any more',
      refused(onMain, { repository_id: null, repository_owner_id: null }),
      trusted(main, pinnedTo('1001', '77')),
      idsChanged('repository 1001 of owner 77', 'none'),
    ],
    [
      'a claim that contradicts the subject',
      refused(onMain, { is_consistent: false }),
      trusted(main),
      'the subject names another repository than the claims beside it',
    ],
    [
      'a pipeline of a merge request',
      refused('project_path:group/project:ref_type:branch:ref:main', { issuer: gitlab, is_merge_request: true }),
      trusted({ repository: 'group/project', branch: 'main' }, { issuer: gitlab }),
      'a merge request pipeline, or a child pipeline of an unprotected branch, which never sign in: ' +
        'run the job on the branch after the merge, and protect the branch for a child pipeline',
    ],
    [
      'an environment whose name holds the escape',
      refused(`repo:${repository}:environment:prod%3Aeu`, { environment: 'prod%3Aeu' }),
      trusted({ repository, environment: 'prod:eu' }),
      'another environment, whose name holds the escape "%3A"',
    ],
    [
      "GitLab's tag, where a branch is trusted",
      refused('project_path:group/project:ref_type:tag:ref:main', { issuer: gitlab }),
      trusted({ repository: 'group/project', branch: 'main' }, { issuer: gitlab }),
      'a tag, where a branch is trusted',
    ],
    [
      "another project of GitLab's",
      refused('project_path:group/other:ref_type:branch:ref:main', { issuer: gitlab }),
      trusted({ repository: 'group/project', branch: 'main' }, { issuer: gitlab }),
      'another repository',
    ],
  ])('%s', (_, came, workflow, words) => {
    expect(difference(came, [workflow])).toBe(words);
  });

  test('is none where the workflow is trusted by now, or the service account is disabled', () => {
    expect(difference(refused(onMain), [trusted(main)])).toBe('none any more: the workflow is trusted now');
    const folded = refused('repo:Tide-Institute/Pipelines:ref:refs/heads/main');
    expect(difference(folded, [trusted(main)])).toBe('none any more: the workflow is trusted now');
    expect(difference(refused(onMain), [trusted(main)], true)).toMatch(/^none: .* disabled$/);
  });

  test('is told of nothing trusted', () => {
    expect(difference(refused(onMain), [])).toBe('no workflow is trusted');
  });
});

describe('what mends it', () => {
  const remedy = (came: RefusedSignIn, workflows: TrustedWorkflowRecord[], isDisabled = false) =>
    explainRefusal(came, workflows, { isDisabled }).remedy;
  const named = (origin: TrustedOrigin, issuer = github) => ({
    kind: 'trust',
    workflow: { issuer, ...origin },
    numeric_ids: 'unknown',
  });

  test.each<[string, TrustedOrigin]>([
    [onMain, main],
    [`repo:${repository}:ref:refs/tags/v1`, { repository, tag: 'v1' }],
    ['repo:tide-institute@77/pipelines@1001:ref:refs/heads/main', numbered],
    [`repo:${repository}:environment:prod`, { repository, environment: 'prod' }],
    [`repo:${repository}:environment:prod%3Aeu`, { repository, environment: 'prod:eu' }],
    [`repo:${repository}:environment:prod%3Aeu`, { repository, environment: 'prod%3Aeu' }],
  ])('%s: trust %j', (subject, origin) => {
    const came = refused(subject, { environment: origin.environment ?? null });
    expect(remedy(came, [])).toEqual(named(origin));
    expect(remedy(came, [trusted({ repository, branch: 'other' })])).toEqual(named(origin));
  });

  test("GitLab's is trusted by its own names", () => {
    const came = refused('project_path:group/project:ref_type:tag:ref:v1', { issuer: gitlab });
    expect(remedy(came, [])).toEqual(named({ repository: 'group/project', tag: 'v1' }, gitlab));
  });

  test.each([
    ['a pull request', refused(`repo:${repository}:pull_request`)],
    ['a customised subject', refused(`${onMain}:job_workflow_ref:x`)],
    ['an unknown subject', refused('repository_owner:tide-institute')],
    ['a number on one side', refused('repo:tide-institute@77/pipelines:ref:refs/heads/main')],
    ['a name that nobody can trust', refused(`repo:${repository}:ref:refs/heads/*`)],
    ['a subject that its claims contradict', refused(onMain, { is_consistent: false })],
    ['a pipeline of a merge request', refused(onMain, { is_merge_request: true })],
  ])('%s: the job has to change', (_, came) => {
    expect(remedy(came, [trusted({ repository, branch: 'other' })])).toEqual({ kind: 'change_job' });
  });

  test('a workflow whose ids changed gives way to itself, trusted anew', () => {
    const pinned = trusted(main, {
      workflow_id: 'the-old-one',
      ...pinnedTo('2002', '77'),
    });
    // Another trusted branch has a similar name, but the remedy must name the workflow with the changed IDs.
    expect(remedy(refused(onMain), [trusted({ repository, branch: 'MAIN' }), pinned])).toEqual({
      kind: 'trust_again',
      workflow: { issuer: github, ...main },
      numeric_ids: 'changed',
      replaces: 'the-old-one',
    });
  });

  test('is to enable what is disabled, or to try again', () => {
    expect(remedy(refused(onMain), [trusted(main)], true)).toEqual({ kind: 'enable' });
    expect(remedy(refused(onMain), [trusted(main)])).toEqual({ kind: 'try_again' });
  });
});

describe('whose repository it is', () => {
  const pins = pinnedTo('111', '222');
  const ids = { repository_id: '111', repository_owner_id: '222' };
  const others = { repository_id: '999', repository_owner_id: '888' };
  const takeover = idsChanged('repository 111 of owner 222', 'repository 999 of owner 888');
  const data = 'group/data';
  const trustedAtGitLab = (branch: string, changes: Partial<TrustedWorkflowRecord> = {}) =>
    trusted({ repository: data, branch }, { issuer: gitlab, ...changes });
  const atGitLab = (branch: string, changes: Partial<RefusedSignIn>) =>
    refused(`project_path:${data}:ref_type:branch:ref:${branch}`, { issuer: gitlab, ...changes });
  const told = (came: RefusedSignIn, workflows: TrustedWorkflowRecord[], isDisabled = false) => {
    const shown = explainRefusal(came, workflows, { isDisabled });
    return [shown.difference, shown.remedy?.numeric_ids];
  };

  test.each<[string, RefusedSignIn, TrustedWorkflowRecord[], string, string | undefined]>([
    ['the same ids', atGitLab('master', ids), [trustedAtGitLab('main', pins)], 'another branch', 'known'],
    ['no ids known', atGitLab('master', ids), [trustedAtGitLab('main')], 'another branch', 'unknown'],
    [
      'the same ids of another issuer',
      refused(onMain, ids),
      [trusted({ repository, branch: 'other' }, { ...pins, issuer: 'https://github.example' })],
      'another CI system',
      'unknown',
    ],
    [
      'the same ids of another name',
      refused(onMain, ids),
      [trusted({ repository: 'eve/data', branch: 'main' }, pins)],
      'another repository',
      'unknown',
    ],
    [
      'another branch of whoever took over the name',
      atGitLab('master', others),
      [trustedAtGitLab('main', pins)],
      `${takeover}; another branch`,
      'changed',
    ],
    [
      "the name in other case, the owner's id the same",
      refused('repo:Tide-Institute/Pipelines:ref:refs/heads/dev', { ...ids, repository_id: '999' }),
      [trusted(main, pins)],
      `${idsChanged('repository 111 of owner 222', 'repository 999 of owner 222')}; another branch`,
      'changed',
    ],
    [
      'no ids any more, on another branch',
      atGitLab('master', { repository_id: null, repository_owner_id: null }),
      [trustedAtGitLab('main', pins)],
      `${idsChanged('repository 111 of owner 222', 'none')}; another branch`,
      'changed',
    ],
    [
      'a nearer workflow whose ids nobody knows yet',
      atGitLab('master', others),
      [trustedAtGitLab('Master'), trustedAtGitLab('main', pins)],
      `${takeover}; differs only in case; branch names are case-sensitive`,
      'changed',
    ],
    [
      'a subject with the ids of whoever took over the name',
      refused('repo:tide-institute@888/pipelines@999:ref:refs/heads/main', others),
      [trusted(main, pins)],
      takeover,
      'changed',
    ],
    [
      "the same ids, in the subject now, as in GitHub's new repositories",
      refused('repo:tide-institute@222/pipelines@111:ref:refs/heads/main', ids),
      [trusted(main, pins)],
      "the subject carries the repository's numeric ids; trust <owner>@<id>/<repo>@<id>",
      'known',
    ],
    [
      'ids that are trusted by the subject, and other ones beside a name',
      refused(onMain, others),
      [trusted(numbered)],
      idsChanged('repository 1001 of owner 77', 'repository 999 of owner 888'),
      'changed',
    ],
    [
      'ids that changed, of which another workflow knows the new ones',
      atGitLab('master', others),
      [trustedAtGitLab('main', pins), trustedAtGitLab('dev', pinnedTo('999', '888'))],
      'another branch',
      'known',
    ],
    [
      'ids of a repository that hide something',
      atGitLab('master', { repository_id: '\u202e', repository_owner_id: '8'.repeat(255) }),
      [trustedAtGitLab('main', pins)],
      `${idsChanged('repository 111 of owner 222', `repository \\u{202e} of owner ${'8'.repeat(37)}…`)}; another branch`,
      'changed',
    ],
  ])('%s', (_, came, workflows, words, known) => {
    expect(told(came, workflows)).toEqual([words, known]);
  });

  test('is said of a disabled service account too, or it would be enabled for whoever took over the name', () => {
    const workflows = [trustedAtGitLab('master'), trustedAtGitLab('main', pins)];
    const state = 'the workflow is trusted, but the service account or its owner is disabled';
    expect(told(atGitLab('master', others), workflows, true)[0]).toBe(`${takeover}; ${state}`);
  });

  test('the very subject is the nearest, whatever the ids of others in its form', () => {
    const exact = trusted(main, { ...pins, workflow_id: 'the-old-one' });
    const { remedy } = explainRefusal(refused(onMain, others), [trusted(numbered), exact], { isDisabled: false });
    expect(remedy).toMatchObject({ kind: 'trust_again', replaces: 'the-old-one', numeric_ids: 'changed' });
  });
});

test('the nearest of what is trusted is compared, and ten subjects are shown, the nearest first', () => {
  const far = Array.from({ length: 12 }, (_, index) => trusted({ repository: `eve/r${index}`, branch: 'main' }));
  const near = trusted({ repository, branch: 'release' });
  const nearer = trusted({ repository, branch: 'MAIN' });
  const shown = explainRefusal(refused(onMain), [...far, near, nearer], { isDisabled: false });
  expect(shown.difference).toMatch(/^differs only in case/);
  expect(shown.trusted_subjects).toHaveLength(10);
  expect(shown.trusted_subjects?.slice(0, 2)).toEqual([nearer.subject, near.subject]);
});

test('the subject is shown with escapes and cut, for whatever the token held', () => {
  const came = refused(`repo:${repository}:ref:refs/heads/\u202e${'x'.repeat(600)}`);
  const { subject } = explainRefusal(came, [], { isDisabled: false });
  expect(subject).toMatch(/^repo:tide-institute\/pipelines:ref:refs\/heads\/\\u\{202e\}x+…$/);
  expect(Buffer.byteLength(subject)).toBe(512);
});
