import { describe, expect, test } from 'vitest';
import { matchKeysOf } from '../../../../lib/domain/ci/matching.ts';
import { originKinds, type TrustedOrigin } from '../../../../lib/domain/ci/provider.ts';
import { type CiProviderKind, ciProviders, type RepositoryKind } from '../../../../lib/domain/ci/providers.ts';
import {
  subjectBytesMax,
  type TrustRequest,
  trustedSubject,
  trustedWorkload,
} from '../../../../lib/domain/ci/subjects.ts';

const github = { kind: 'github' } as const;
const gitlab = { kind: 'gitlab' } as const;
const repository = 'tide-institute/pipelines';

function nameKey(kind: RepositoryKind, subject: string): string {
  const provider = ciProviders[kind];
  const parts = provider.parseSubject(subject);
  return JSON.stringify(matchKeysOf(provider, { subject, parts, ids: undefined }).name);
}

describe('the subject of a trusted origin', () => {
  test.each<[TrustedOrigin, string]>([
    [{ repository, branch: 'main' }, 'repo:tide-institute/pipelines:ref:refs/heads/main'],
    [{ repository, branch: 'release/2.x' }, 'repo:tide-institute/pipelines:ref:refs/heads/release/2.x'],
    [{ repository, tag: 'v1.0' }, 'repo:tide-institute/pipelines:ref:refs/tags/v1.0'],
    [{ repository, environment: 'Production' }, 'repo:tide-institute/pipelines:environment:Production'],
    [{ repository, environment: 'prod:eu:1' }, 'repo:tide-institute/pipelines:environment:prod%3Aeu%3A1'],
    [{ repository, environment: '50% load' }, 'repo:tide-institute/pipelines:environment:50% load'],
    [{ repository: 'Acme@12/data.sets@3456', branch: 'main' }, 'repo:Acme@12/data.sets@3456:ref:refs/heads/main'],
    [{ repository: 'emu_corp/a', branch: 'grün' }, 'repo:emu_corp/a:ref:refs/heads/grün'],
  ])('GitHub: %j is %s', (origin, subject) => {
    expect(trustedSubject(github, origin)).toMatchObject({ ok: true, subject });
  });

  test.each<[TrustedOrigin, string]>([
    [{ repository: 'group/project', branch: 'main' }, 'project_path:group/project:ref_type:branch:ref:main'],
    [{ repository: 'a/b/c.d', tag: 'v1' }, 'project_path:a/b/c.d:ref_type:tag:ref:v1'],
  ])('GitLab: %j is %s', (origin, subject) => {
    expect(trustedSubject(gitlab, origin)).toMatchObject({ ok: true, subject });
  });

  test.each<[string, TrustedOrigin, string, RegExp]>([
    ['no origin', { repository }, '', /exactly one/],
    ['two origins', { repository, branch: 'main', tag: 'v1' }, '', /exactly one/],
    ['three origins', { repository, branch: 'a', tag: 'b', environment: 'c' }, '', /exactly one/],
    ['an empty branch', { repository, branch: '' }, 'branch', /empty/],
    ['an empty environment', { repository, environment: '' }, 'environment', /empty/],
    ['an owner alone', { repository: 'acme', branch: 'main' }, 'repository', /<owner>\/<repo>/],
    ['an empty owner', { repository: '/data', branch: 'main' }, 'repository', /<owner>\/<repo>/],
    ['an empty name', { repository: 'acme/', branch: 'main' }, 'repository', /<owner>\/<repo>/],
    ['a third part', { repository: 'acme/data/more', branch: 'main' }, 'repository', /<owner>\/<repo>/],
    ['a parent folder', { repository: 'acme/..', branch: 'main' }, 'repository', /<owner>\/<repo>/],
    ['a colon in the repository', { repository: 'acme/data:ref', branch: 'main' }, 'repository', /<owner>\/<repo>/],
    ['a line break at the end', { repository: 'acme/data\n', branch: 'main' }, 'repository', /<owner>\/<repo>/],
    ['a look-alike letter', { repository: 'acme/\u212Aelvin', branch: 'main' }, 'repository', /<owner>\/<repo>/],
    ['a URL', { repository: 'https://github.com/acme/data', branch: 'main' }, 'repository', /<owner>\/<repo>/],
    ['a clone URL', { repository: 'acme/data.git', branch: 'main' }, 'repository', /without "\.git"/],
    ['an id of the owner alone', { repository: 'acme@1/data', branch: 'main' }, 'repository', /both sides/],
    ['an id of the repository alone', { repository: 'acme/data@1', branch: 'main' }, 'repository', /both sides/],
    ['an id that is no number', { repository: 'acme@x/data@1', branch: 'main' }, 'repository', /<owner>\/<repo>/],
    ['a wildcard owner', { repository: '*/data', branch: 'main' }, 'repository', /wildcards/],
    ['a wildcard repository', { repository: 'acme/data-*', branch: 'main' }, 'repository', /wildcards/],
    ['a wildcard branch', { repository, branch: 'release/*' }, 'branch', /wildcards/],
    ['a wildcard tag', { repository, tag: 'v*' }, 'tag', /wildcards/],
    ['a wildcard environment', { repository, environment: '*' }, 'environment', /wildcards/],
    ['a control character in an environment', { repository, environment: 'a\u0000b' }, 'environment', /control/],
    ['a line separator in an environment', { repository, environment: 'a\u2028b' }, 'environment', /control/],
    ['half a surrogate pair', { repository, environment: 'a\ud800' }, 'environment', /Unicode/],
    ['white space around an environment', { repository, environment: ' prod' }, 'environment', /white space/],
    ['a long environment', { repository, environment: 'e'.repeat(256) }, 'environment', /255/],
    ['a long branch', { repository, branch: 'é'.repeat(128) }, 'branch', /255 bytes/],
    ['colons that make it too long', { repository, environment: ':'.repeat(255) }, '', /700 bytes/],
    ['a full ref as branch', { repository, branch: 'refs/heads/main' }, 'branch', /short name/],
    ['a pull request as branch', { repository, branch: 'refs/pull/1/merge' }, 'branch', /short name/],
    ['a full ref as tag', { repository, tag: 'refs/tags/v1' }, 'tag', /short name/],
    ...['a\u0085b', 'a\u00a0b', 'a\u00ad', 'ma\u200bin', '\u202enima', 'a\u2028b', '\ufeffmain'].map(
      (branch): [string, TrustedOrigin, string, RegExp] => [
        `what cannot be seen in the branch ${JSON.stringify(branch)} ${branch.length}`,
        { repository, branch },
        'branch',
        /other invisible characters/,
      ],
    ),
    ...[...'a..b /a a/ a//b .a a/.b a. a.lock a.lock/b a~1 a^ a:b a? a[b'.split(' '), 'a b'].map(
      (branch): [string, TrustedOrigin, string, RegExp] => [
        `the branch ${branch}`,
        { repository, branch },
        'branch',
        /must/,
      ],
    ),
    ...['a\\b', '@', 'a@{1}', '-a', 'a\u007f', 'a\tb', 'a\ud800'].map(
      (tag): [string, TrustedOrigin, string, RegExp] => [
        `the tag ${JSON.stringify(tag)}`,
        { repository, tag },
        'tag',
        /must/,
      ],
    ),
  ])('refuses %s', (_, origin, path, message) => {
    const result = trustedSubject(github, origin);
    expect(result).toMatchObject({ ok: false, fault: { path } });
    expect(result.ok ? '' : result.fault.message).toMatch(message);
  });

  test.each<[string, TrustedOrigin, string]>([
    ['an environment', { repository: 'a/b', environment: 'prod' }, 'environment'],
    ['numeric ids', { repository: 'a@1/b@2', branch: 'main' }, 'repository'],
    ['a project without a group', { repository: 'b', branch: 'main' }, 'repository'],
    ['a colon', { repository: 'a/b:ref_type', branch: 'main' }, 'repository'],
  ])('refuses %s for GitLab', (_, origin, path) => {
    expect(trustedSubject(gitlab, origin)).toMatchObject({ ok: false, fault: { path } });
  });
});

describe('comparing subjects', () => {
  const main = trustedSubject(github, { repository: 'Acme/Data', branch: 'main' });
  const tag = trustedSubject(github, { repository: 'Acme/Data', tag: 'v1' });
  const kelvin = trustedSubject(github, { repository: 'kelvin/k', branch: 'main' });
  const production = trustedSubject(github, { repository: 'Acme/Data', environment: 'Prod:EU' });

  test.each([
    ['the same subject', main, 'repo:Acme/Data:ref:refs/heads/main', true],
    ['another case of owner and repository', main, 'repo:aCME/dATA:ref:refs/heads/main', true],
    ['another case of the branch', main, 'repo:Acme/Data:ref:refs/heads/Main', false],
    ['another case of the form', main, 'REPO:Acme/Data:ref:refs/heads/main', false],
    ['a branch of which the trusted one is a prefix', main, 'repo:Acme/Data:ref:refs/heads/main2', false],
    ['a branch that is a prefix of the trusted one', main, 'repo:Acme/Data:ref:refs/heads/mai', false],
    ['a branch in a folder of that name', main, 'repo:Acme/Data:ref:refs/heads/main/x', false],
    ['a repository that ends alike', main, 'repo:x/Acme/Data:ref:refs/heads/main', false],
    ['an owner that ends alike', main, 'repo:notAcme/Data:ref:refs/heads/main', false],
    ['a repository that begins alike', main, 'repo:Acme/Data2:ref:refs/heads/main', false],
    ['a pull request', main, 'repo:Acme/Data:pull_request', false],
    ['the ref of a pull request', main, 'repo:Acme/Data:ref:refs/pull/1/merge', false],
    ['the ref of a pull request named main', main, 'repo:Acme/Data:ref:refs/pull/main', false],
    ['a tag of the name', main, 'repo:Acme/Data:ref:refs/tags/main', false],
    ['an environment of the name', main, 'repo:Acme/Data:environment:main', false],
    ['something more after the ref', main, 'repo:Acme/Data:ref:refs/heads/main:actor:eve', false],
    ['something more before it', main, 'x:repo:Acme/Data:ref:refs/heads/main', false],
    ['a line break at the end', main, 'repo:Acme/Data:ref:refs/heads/main\n', false],
    ['a space at the end', main, 'repo:Acme/Data:ref:refs/heads/main ', false],
    ['an escaped slash', main, 'repo:Acme%2FData:ref:refs/heads/main', false],
    ['ids beside the name', main, 'repo:Acme@1/Data@2:ref:refs/heads/main', true],
    ['an id on one side alone', main, 'repo:Acme@1/Data:ref:refs/heads/main', false],
    ['the empty subject', main, '', false],
    ['a tag', tag, 'repo:acme/data:ref:refs/tags/v1', true],
    ['a tag in another case', tag, 'repo:acme/data:ref:refs/tags/V1', false],
    ['the Kelvin sign in the owner', kelvin, 'repo:\u212Aelvin/k:ref:refs/heads/main', false],
    ['the Kelvin sign as repository', kelvin, 'repo:kelvin/\u212A:ref:refs/heads/main', false],
    ['plain capitals instead of it', kelvin, 'repo:KELVIN/K:ref:refs/heads/main', true],
    ['an environment in another case', production, 'repo:acme/data:environment:PROD%3Aeu', true],
    ['another spelling of its escape', production, 'repo:acme/data:environment:prod%3aeu', false],
    ['an environment with its colon bare', production, 'repo:acme/data:environment:prod:eu', false],
    ['a template that goes on after it', production, 'repo:acme/data:environment:prod%3Aeu:ref:refs/heads/x', false],
    ['a long s for an s', production, 'repo:acme/data:environment:prod%3Aeu\u017f', false],
  ])('%s', (_, trusted, subject, isTrusted) => {
    expect(trusted.ok && nameKey(github.kind, trusted.subject) === nameKey(github.kind, subject)).toBe(isTrusted);
  });

  test.each([
    ['another case of the project', 'project_path:GROUP/Project:ref_type:branch:ref:main', true],
    ['another case of the branch', 'project_path:group/project:ref_type:branch:ref:MAIN', false],
    ['a tag of the name', 'project_path:group/project:ref_type:tag:ref:main', false],
    ['something more after it', 'project_path:group/project:ref_type:branch:ref:main:x', false],
  ])('GitLab: %s', (_, subject, isTrusted) => {
    const trusted = trustedSubject(gitlab, { repository: 'Group/Project', branch: 'main' });
    expect(trusted.ok && nameKey(gitlab.kind, trusted.subject) === nameKey(gitlab.kind, subject)).toBe(isTrusted);
  });

  test.each([
    'repo:Acme/Data:pull_request',
    'repo:Acme/Data:ref:refs/pull/7/MERGE',
    'repository_owner:Acme:environment:X',
    'REPO:A/B:ref:refs/heads/m',
    'project_path:A/b:ref_type:branch:ref:m',
  ])('a subject of another form is its own key: %s', (subject) => {
    expect(nameKey('github', subject)).toEqual(JSON.stringify(['subject', subject]));
  });
});

test('the longest names of the CI system fit into a subject', () => {
  const result = trustedSubject(github, {
    repository: `${'o'.repeat(100)}@${'1'.repeat(20)}/${'r'.repeat(100)}@${'2'.repeat(20)}`,
    branch: 'b'.repeat(255),
  });
  expect(result.ok && Buffer.byteLength(result.subject)).toBeLessThanOrEqual(subjectBytesMax);
});

// The type requires a row for each kind of issuer.
const examples: Record<RepositoryKind, TrustedOrigin> = {
  github: { repository: 'Tide/Pipelines', branch: 'Main' },
  gitlab: { repository: 'Tide/Pipelines', branch: 'Main' },
};

describe.each(Object.keys(examples) as RepositoryKind[])('the CI provider %s', (kind) => {
  const origin = examples[kind];
  const trusted = trustedSubject({ kind }, origin);
  const subject = trusted.ok ? trusted.subject : '';

  test('recognizes its own subjects', () => {
    const parts = { repository: origin.repository, origin: 'branch', name: 'Main' };
    expect(ciProviders[kind].parseSubject(subject)).toMatchObject(parts);
  });

  test('is the only provider that recognizes its subjects', () => {
    const others = Object.values(ciProviders).filter((other) => other !== ciProviders[kind]);
    const parsed = others.map((other) => other.identifiedBy === 'repository' && other.parseSubject(subject));
    expect(parsed.filter(Boolean)).toEqual([]);
  });

  test('refuses an origin that its subjects cannot represent', () => {
    const unknown = originKinds.filter((name) => !ciProviders[kind].origins.includes(name));
    for (const name of unknown)
      expect(trustedSubject({ kind }, { repository: origin.repository, [name]: 'x' })).toMatchObject({
        ok: false,
        fault: { path: name },
      });
  });
});

describe('a workload to trust', () => {
  const branch = { repository: 'acme/data', branch: 'main' };
  const sub = 'system:serviceaccount:prod:publisher';
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`claim${index}`, 'x']));
  const onForgejo = 'repo:tides-12/code-345:ref:refs/heads/main';
  const ids = { repository_id: '345', repository_owner_id: '12' };
  test.each<[CiProviderKind, TrustRequest, string]>([
    ['github', { ...branch, claims: { sub } }, 'claims'],
    ['github', { branch: 'main' }, 'repository'],
    ['github', { ...branch, repository_id: '2' }, 'repository_id'],
    ['github', { ...branch, repository_id: '02', repository_owner_id: '1' }, 'repository_id'],
    ['github', { ...branch, repository_id: '2', repository_owner_id: 'acme' }, 'repository_owner_id'],
    [
      'github',
      { repository: 'acme@1/data@2', branch: 'main', repository_id: '3', repository_owner_id: '1' },
      'repository_id',
    ],
    ['github', { ...branch, workflow_file: 'acme/data/.github/workflows/*.yml' }, 'workflow_file'],
    ['github', { ...branch, event_name: '' }, 'event_name'],
    ['github', { ...branch, ref: 'refs/heads/main' }, 'ref'],
    ['github', { ...branch, ci_config: 'x' }, 'ci_config'],
    ['gitlab', { ...branch, job_workflow: 'x' }, 'job_workflow'],
    ['kubernetes', { ...branch }, 'repository'],
    ['kubernetes', { claims: {} }, 'claims.sub'],
    ['kubernetes', { claims: { sub: 'system:serviceaccount:*:publisher' } }, 'claims.sub'],
    ['kubernetes', { claims: { sub: 'repo:acme/data:ref:refs/heads/main' } }, 'claims.sub'],
    ['kubernetes', { claims: { sub }, event_name: 'push' }, 'event_name'],
    ['forgejo', { claims: { sub: onForgejo, repository_owner_id: '12' } }, 'claims.repository_id'],
    ['forgejo', { claims: { sub: onForgejo, repository_id: '345' } }, 'claims.repository_owner_id'],
    [
      'forgejo',
      { claims: { sub: onForgejo, repository_id: '0345', repository_owner_id: '12' } },
      'claims.repository_id',
    ],
    ['forgejo', { claims: { ...ids, sub: 'repo:tides-12/code-345:pull_request' } }, 'claims.sub'],
    ['forgejo', { claims: { ...ids, sub: 'repo:tides-12/code-345:ref:refs/pull/1/head' } }, 'claims.sub'],
    ['forgejo', { claims: { ...ids, sub: 'repo:tides-12:ref:refs/heads/main' } }, 'claims.sub'],
    ['forgejo', { claims: { ...ids, sub: 'repo:a/b/c:ref:refs/heads/main' } }, 'claims.sub'],
    ['forgejo', { ...branch }, 'repository'],
    ['oidc', { claims: { sub: 'x'.repeat(701) } }, 'claims.sub'],
    ['oidc', { claims: { sub: 'a\u202eb' } }, 'claims.sub'],
    ['oidc', { claims: { sub, ...many } }, 'claims'],
    ['oidc', { claims: { sub, aud: 'x' } }, 'claims.aud'],
    ['oidc', { claims: { sub, team: 'data-*' } }, 'claims.team'],
  ])('%s: %j is refused at %s', (kind, request, path) => {
    expect(trustedWorkload({ kind }, request)).toMatchObject({ ok: false, fault: { path } });
  });

  test.each<[CiProviderKind, TrustRequest, object]>([
    ['github', branch, { ids: undefined, key: ['name', 'acme/data', 'branch:main'] }],
    ['github', { repository: 'Acme@1/Data@2', branch: 'main' }, { key: ['ids', '1', '2', 'branch:main'] }],
    ['github', { ...branch, repository_id: '2', repository_owner_id: '1' }, { key: ['ids', '1', '2', 'branch:main'] }],
    ['gitlab', { ...branch, repository_id: '2', repository_owner_id: '1' }, { key: ['ids', '1', '2', 'branch:main'] }],
    ['kubernetes', { claims: { sub } }, { subject: sub, key: ['subject', sub] }],
    ['forgejo', { claims: { ...ids, sub: onForgejo } }, { subject: onForgejo, key: ['subject', onForgejo] }],
  ])('%s: %j is addressed by %j', (kind, request, expected) => {
    expect(trustedWorkload({ kind }, request)).toMatchObject({ ok: true, ...expected });
  });
});
