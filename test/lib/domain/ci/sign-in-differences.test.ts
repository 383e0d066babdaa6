import { describe, expect, test } from 'vitest';
import type { TrustedOrigin } from '../../../../lib/domain/ci/provider.ts';
import { explainRefusal } from '../../../../lib/domain/ci/sign-in-differences.ts';
import type { TrustRequest } from '../../../../lib/domain/ci/subjects.ts';
import type { RefusedSignIn } from '../../../../lib/domain/service-accounts/refused-sign-ins.ts';
import type { TrustedWorkflowRecord } from '../../../../lib/domain/service-accounts/trusted-workflows.ts';
import { trustedRecord } from '../../sts/exchange-setup.ts';

const github = 'https://token.actions.githubusercontent.com';
const gitlab = 'https://gitlab.com';
const repository = 'tide-institute/pipelines';
const time = '2026-11-21T10:00:00.000Z';

function trusted(request: TrustRequest, changes: Partial<TrustedWorkflowRecord> = {}): TrustedWorkflowRecord {
  const { issuer = github, kind = issuer === gitlab ? 'gitlab' : 'github' } = changes;
  const match_keys = changes.pinned === undefined ? {} : { match_keys: ['name', 'ids'] };
  return { ...trustedRecord(request, { kind, issuer }), workflow_id: '', ...match_keys, ...changes };
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
  kind: changes.issuer === gitlab ? 'gitlab' : 'github',
  fault: null,
  repository_id: '1001',
  repository_owner_id: '77',
  claims: {},
  ...changes,
});

const difference = (came: RefusedSignIn, workflows: TrustedWorkflowRecord[], isDisabled = false) =>
  explainRefusal(came, workflows, { isDisabled }).difference;

const main = { repository, branch: 'main' };
const numbered = { repository: 'tide-institute@77/pipelines@1001', branch: 'main' };
const of = (rest: string) => `repo:${repository}:${rest}`;
const onMain = of('ref:refs/heads/main');
const withIds = (id: string, rest = 'ref:refs/heads/main') => `repo:tide-institute@77/pipelines@${id}:${rest}`;
const idsChanged = (from: string, to: string) =>
  `the repository's numeric ids changed, from ${from} to ${to}: someone else may have taken over its name; if it is yours, remove the workflow and trust it again`;
const replaces = (kind: string) => `environment replaces the ${kind}: trust the environment that the job names`;
const customised = 'the subject continues after the trusted part; its template is customised';
const unknownForm = 'the subject has an unknown form; its template may be customised';
const contradiction = 'the subject and the other claims name different repositories, ids, refs or environments';
const mergeRequest =
  'a merge request pipeline, or a child pipeline of an unprotected branch, which never sign in: ' +
  'run the job on the branch after the merge, and protect the branch for a child pipeline';
const atGitLab = (project: string, type: string, ref: string, changes: Partial<RefusedSignIn> = {}) =>
  refused(`project_path:${project}:ref_type:${type}:ref:${ref}`, { issuer: gitlab, ...changes });
const trustedAtGitLab = (project: string, branch: string, changes: Partial<TrustedWorkflowRecord> = {}) =>
  trusted({ repository: project, branch }, { issuer: gitlab, ...changes });

describe('the difference from the trusted workflow', () => {
  test.each<[string, TrustedOrigin, string]>([
    [of('environment:prod'), main, replaces('branch')],
    [of('environment:prod'), { repository, tag: 'v1' }, replaces('tag')],
    [onMain, { repository, environment: 'prod' }, 'a branch: the job names no environment'],
    [of('pull_request'), main, 'a pull request, where a branch is trusted'],
    [of('ref:refs/pull/7/merge'), main, 'a pull request, where a branch is trusted'],
    [of('ref:refs/tags/main'), main, 'a tag, where a branch is trusted'],
    [onMain, { repository, tag: 'main' }, 'a branch, where a tag is trusted'],
    [of('ref:refs/heads/Main'), main, 'differs only in case; branch names are case-sensitive'],
    [of('ref:refs/heads/main2'), main, 'another branch'],
    [of('environment:prod'), { repository, environment: 'test' }, 'another environment'],
    ['repo:eve/pipelines:ref:refs/heads/main', main, 'another repository'],
    ['repo:tide-institute/pipelines-fork:ref:refs/heads/main', main, 'another repository'],
    [`${onMain}:job_workflow_ref:x`, main, customised],
    [of('environment:prod:ref:refs/heads/main'), { repository, environment: 'prod' }, customised],
    ['repository_owner:tide-institute', main, unknownForm],
    [withIds('1001', 'environment:prod'), main, replaces('branch')],
  ])('%s against %j: %s', (subject, origin, words) => {
    expect(difference(refused(subject), [trusted(origin)])).toBe(words);
  });

  const unnumbered = { repository_id: null, repository_owner_id: null };
  const escaped = refused(of('environment:prod%3Aeu'), { claims: { environment: 'prod%3Aeu' } });
  const onMainOfProject = trustedAtGitLab('group/project', 'main');
  test.each<[string, RefusedSignIn, TrustedWorkflowRecord, string]>([
    ['another issuer', refused(onMain, { issuer: gitlab }), trusted(main), 'another issuer'],
    [
      'another id of the repository than at the first sign-in',
      refused(onMain),
      trusted(main, pinnedTo('2002', '77')),
      idsChanged('repository 2002 of owner 77', 'repository 1001 of owner 77'),
    ],
    [
      'no ids any more',
      refused(onMain, unnumbered),
      trusted(main, pinnedTo('1001', '77')),
      idsChanged('repository 1001 of owner 77', 'none'),
    ],
    [
      'the same repository with another owner',
      refused(onMain),
      trusted(main, pinnedTo('1001', '66')),
      'the repository has another owner, as after a transfer: its numeric ids changed from repository 1001 of owner 66 to repository 1001 of owner 77; if the new owner is yours, remove the workflow and trust it again',
    ],
    ['a contradicting claim', refused(onMain, { fault: 'contradiction' }), trusted(main), contradiction],
    [
      'a pipeline of a merge request',
      atGitLab('group/project', 'branch', 'main', { fault: 'merge_request' }),
      onMainOfProject,
      mergeRequest,
    ],
    [
      'an environment whose name holds the escape',
      escaped,
      trusted({ repository, environment: 'prod:eu' }),
      'another environment, whose name holds the escape "%3A"',
    ],
    ["GitLab's tag", atGitLab('group/project', 'tag', 'main'), onMainOfProject, 'a tag, where a branch is trusted'],
    ["another project of GitLab's", atGitLab('group/other', 'branch', 'main'), onMainOfProject, 'another repository'],
  ])('%s', (_, came, workflow, words) => {
    expect(difference(came, [workflow])).toBe(words);
  });

  test('is empty when the workflow is trusted now or the service account is disabled', () => {
    expect(difference(refused(onMain), [trusted(main)])).toBe('none any more: the workflow is trusted now');
    const folded = refused('repo:Tide-Institute/Pipelines:ref:refs/heads/main');
    expect(difference(folded, [trusted(main)])).toBe('none any more: the workflow is trusted now');
    expect(difference(refused(onMain), [trusted(main)], true)).toMatch(/^none: .* disabled$/);
  });

  test('is reported when no workflow is trusted', () => {
    expect(difference(refused(onMain), [])).toBe('no workflow is trusted');
  });
});

describe('the remedy', () => {
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
    const came = refused(subject, {
      claims: origin.environment === undefined ? {} : { environment: origin.environment },
    });
    expect(remedy(came, [])).toEqual(named(origin));
    expect(remedy(came, [trusted({ repository, branch: 'other' })])).toEqual(named(origin));
  });

  test('for GitLab uses the field names of GitLab', () => {
    expect(remedy(atGitLab('group/project', 'tag', 'v1'), [])).toEqual(
      named({ repository: 'group/project', tag: 'v1' }, gitlab),
    );
  });

  test.each([
    ['a pull request', refused(`repo:${repository}:pull_request`)],
    ['a customised subject', refused(`${onMain}:job_workflow_ref:x`)],
    ['an unknown subject', refused('repository_owner:tide-institute')],
    ['a number on one side', refused('repo:tide-institute@77/pipelines:ref:refs/heads/main')],
    ['a name that nobody can trust', refused(`repo:${repository}:ref:refs/heads/*`)],
    ['a subject that its claims contradict', refused(onMain, { fault: 'contradiction' })],
    ['a pipeline of a merge request', refused(onMain, { fault: 'merge_request' })],
  ])('is a change of the job for %s', (_, came) => {
    expect(remedy(came, [trusted({ repository, branch: 'other' })])).toEqual({ kind: 'change_job' });
  });

  test('for changed IDs replaces the workflow by the same one with the new IDs', () => {
    const pinned = trusted(main, { workflow_id: 'the-old-one', ...pinnedTo('2002', '77') });
    // Another trusted branch has a similar name, but the message must name the workflow with the changed IDs.
    expect(remedy(refused(onMain), [trusted({ repository, branch: 'MAIN' }), pinned])).toEqual({
      kind: 'trust_again',
      workflow: { issuer: github, ...main },
      numeric_ids: 'changed',
      replaces: 'the-old-one',
    });
  });

  test('is to enable the disabled account, or to retry', () => {
    expect(remedy(refused(onMain), [trusted(main)], true)).toEqual({ kind: 'enable' });
    expect(remedy(refused(onMain), [trusted(main)])).toEqual({ kind: 'try_again' });
  });
});

describe('the owner of the repository', () => {
  const pins = pinnedTo('111', '222');
  const ids = { repository_id: '111', repository_owner_id: '222' };
  const others = { repository_id: '999', repository_owner_id: '888' };
  const takeover = idsChanged('repository 111 of owner 222', 'repository 999 of owner 888');
  const trustedData = (branch: string, changes: Partial<TrustedWorkflowRecord> = {}) =>
    trustedAtGitLab('group/data', branch, changes);
  const fromData = (branch: string, changes: Partial<RefusedSignIn>) =>
    atGitLab('group/data', 'branch', branch, changes);
  const pinnedMain = trustedData('main', pins);
  const atOther = trusted({ repository, branch: 'other' }, { ...pins, issuer: 'https://github.example' });
  const numberedBy = (owner: string, id: string) => `repo:tide-institute@${owner}/pipelines@${id}:ref:refs/heads/main`;
  const told = (came: RefusedSignIn, workflows: TrustedWorkflowRecord[], isDisabled = false) => {
    const shown = explainRefusal(came, workflows, { isDisabled });
    return [shown.difference, shown.remedy?.numeric_ids];
  };

  test.each<[string, RefusedSignIn, TrustedWorkflowRecord[], string, string | undefined]>([
    ['the same ids', fromData('master', ids), [pinnedMain], 'another branch', 'known'],
    ['no ids known', fromData('master', ids), [trustedData('main')], 'another branch', 'unknown'],
    ['the same ids of another issuer', refused(onMain, ids), [atOther], 'another issuer', 'unknown'],
    [
      'another branch after a takeover',
      fromData('master', others),
      [pinnedMain],
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
      fromData('master', { repository_id: null, repository_owner_id: null }),
      [pinnedMain],
      `${idsChanged('repository 111 of owner 222', 'none')}; another branch`,
      'changed',
    ],
    [
      'a more similar workflow without known ids',
      fromData('master', others),
      [trustedData('Master'), pinnedMain],
      `${takeover}; differs only in case; branch names are case-sensitive`,
      'changed',
    ],
    [
      'a subject with ids after a takeover',
      refused(numberedBy('888', '999'), others),
      [trusted(main, pins)],
      takeover,
      'changed',
    ],
    [
      'the same ids, now in the subject, on another branch',
      refused(numberedBy('222', '111').replace('main', 'dev'), ids),
      [trusted(main, pins)],
      'another branch',
      'known',
    ],
    [
      'the same ids under another name, on another branch',
      refused('repo:eve/data:ref:refs/heads/dev', ids),
      [trusted(main, pins)],
      'another branch',
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
      'changed ids that another workflow knows',
      fromData('master', others),
      [pinnedMain, trustedData('dev', pinnedTo('999', '888'))],
      'another branch',
      'known',
    ],
    [
      'ids with hidden characters',
      fromData('master', { repository_id: '\u202e', repository_owner_id: '8'.repeat(255) }),
      [pinnedMain],
      `${idsChanged('repository 111 of owner 222', `repository \\u{202e} of owner ${'8'.repeat(37)}…`)}; another branch`,
      'changed',
    ],
  ])('%s', (_, came, workflows, words, known) => {
    expect(told(came, workflows)).toEqual([words, known]);
  });

  test('is reported for a disabled service account too', () => {
    const workflows = [trustedData('master'), pinnedMain];
    const state = 'the workflow is trusted, but the service account or its owner is disabled';
    expect(told(fromData('master', others), workflows, true)[0]).toBe(`${takeover}; ${state}`);
  });

  test('prefers an identical subject to similar ones with other IDs', () => {
    const exact = trusted(main, { ...pins, workflow_id: 'the-old-one' });
    const { remedy } = explainRefusal(refused(onMain, others), [trusted(numbered), exact], { isDisabled: false });
    expect(remedy).toMatchObject({ kind: 'trust_again', replaces: 'the-old-one', numeric_ids: 'changed' });
  });
});

test('compares the most similar trusted workflow, and shows ten subjects, the most similar first', () => {
  const far = Array.from({ length: 12 }, (_, index) => trusted({ repository: `eve/r${index}`, branch: 'main' }));
  const near = trusted({ repository, branch: 'release' });
  const nearer = trusted({ repository, branch: 'MAIN' });
  const shown = explainRefusal(refused(onMain), [...far, near, nearer], { isDisabled: false });
  expect(shown.difference).toMatch(/^differs only in case/);
  expect(shown.trusted_subjects).toHaveLength(10);
  expect(shown.trusted_subjects?.slice(0, 2)).toEqual([nearer.subject, near.subject]);
});

test('the shown subject is escaped and truncated for any token', () => {
  const came = refused(`repo:${repository}:ref:refs/heads/\u202e${'x'.repeat(600)}`);
  const { subject } = explainRefusal(came, [], { isDisabled: false });
  expect(subject).toMatch(/^repo:tide-institute\/pipelines:ref:refs\/heads\/\\u\{202e\}x+…$/);
  expect(Buffer.byteLength(subject)).toBe(512);
});

describe('a refused job of Forgejo', () => {
  const issuer = 'https://forgejo.tides.example/api/actions';
  const sub = 'repo:tides/code:ref:refs/heads/main';
  const ids = { repository_id: '345', repository_owner_id: '12' };
  const came = (claims: Record<string, string>, changes: Partial<RefusedSignIn> = {}) =>
    refused(sub, { issuer, kind: 'forgejo', repository_id: null, repository_owner_id: null, claims, ...changes });
  const workflow = trusted({ claims: { sub, ...ids } }, { issuer, kind: 'forgejo', workflow_id: 'the trust' });
  const explained = (...[refusal, workflows]: [RefusedSignIn, TrustedWorkflowRecord[]]) =>
    explainRefusal(refusal, workflows, { isDisabled: false });

  test('is trusted with its IDs', () => {
    expect(explained(came({ ...ids, event_name: 'push' }), []).remedy).toEqual({
      kind: 'trust',
      workflow: { issuer, claims: { sub, ...ids } },
      numeric_ids: 'unknown',
    });
  });

  test('says that someone may have taken over the name when the IDs differ', () => {
    const taken = { ...ids, repository_id: '999', repository_owner_id: '66' };
    const { difference: words, remedy } = explained(came(taken), [workflow]);
    expect(words).toContain(idsChanged('repository 345 of owner 12', 'repository 999 of owner 66'));
    expect(remedy).toEqual({
      kind: 'trust_again',
      workflow: { issuer, claims: { sub, ...taken } },
      numeric_ids: 'changed',
      replaces: 'the trust',
    });
  });

  test('has unknown IDs when the trust of kind oidc named none', () => {
    const earlier = trusted({ claims: { sub } }, { issuer, kind: 'oidc', workflow_id: 'the trust' });
    expect(explained(came(ids), [earlier]).remedy).toMatchObject({ numeric_ids: 'unknown', replaces: 'the trust' });
  });

  test.each([
    ['without IDs', came({})],
    ['of a pull request', came(ids, { subject: 'repo:tides/code:pull_request', fault: 'merge_request' })],
  ])('cannot be trusted %s', (_, refusal) => {
    expect(explained(refusal, [workflow]).remedy).toEqual({ kind: 'change_job' });
  });
});
