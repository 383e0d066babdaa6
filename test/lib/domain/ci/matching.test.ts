import { describe, expect, test } from 'vitest';
import { github } from '../../../../lib/domain/ci/github.ts';
import { compareWithTrust, failedCondition, matchKeysOf } from '../../../../lib/domain/ci/matching.ts';
import { oidc } from '../../../../lib/domain/ci/oidc.ts';
import type { Workload } from '../../../../lib/domain/ci/workload.ts';

type Trust = Parameters<typeof compareWithTrust>[1];

const ids = { repository_id: '1001', repository_owner_id: '77' };
const pinned = { ...ids, pinned_at: '2026-11-21T10:00:00.000Z' };
const parts: NonNullable<Workload['parts']> = {
  repository: 'Tide/Pipelines',
  ids: { repository_id: undefined, repository_owner_id: undefined },
  origin: 'branch',
  name: 'Main',
};
const workflowRef = 'tide/pipelines/.github/workflows/a.yml';

function workload(claims: Record<string, string> = {}, changes: Partial<Workload> = {}): Workload {
  return { subject: 'a', parts, ids, fault: null, claims: new Map(Object.entries(claims)), ...changes };
}

const trusts = (changes: Partial<Trust> = {}): Trust => ({ kind: 'github', pinned: null, ...changes });
const subjectTrust = trusts({ kind: 'oidc', claims: { sub: 'a', aud: 'b' } });

describe('the comparison with a trusted workflow', () => {
  test.each<[string, Workload, Trust, 'refuse' | 'allow' | 'pin']>([
    ['without stored IDs pins those of the workload', workload(), trusts(), 'pin'],
    ['without any IDs allows', workload({}, { ids: undefined }), trusts(), 'allow'],
    ['with equal IDs allows', workload(), trusts({ pinned }), 'allow'],
    ['with another repository refuses', workload(), trusts({ pinned: { ...pinned, repository_id: '1' } }), 'refuse'],
    ['with another owner refuses', workload(), trusts({ pinned: { ...pinned, repository_owner_id: '1' } }), 'refuse'],
    ['with stored IDs refuses a workload without any', workload({}, { ids: undefined }), trusts({ pinned }), 'refuse'],
    ['refuses a contradictory token', workload({}, { fault: 'contradiction' }), trusts({ pinned }), 'refuse'],
    ['refuses another event', workload({ event_name: 'push' }), trusts({ event_name: 'schedule' }), 'refuse'],
    ['allows a subject with all claims', workload({ sub: 'a', aud: 'b' }, { ids: undefined }), subjectTrust, 'allow'],
  ])('%s', (_, came, trust, verdict) => {
    expect(compareWithTrust(came, trust)).toBe(verdict);
  });
});

describe('the failed condition', () => {
  test.each<
    [string, Record<string, string>, Trust, [name: string, came: string | undefined, trusted: string] | undefined]
  >([
    ['is the first other claim', { sub: 'a', aud: 'c' }, subjectTrust, ['aud', 'c', 'b']],
    ['is an absent claim', { sub: 'a' }, subjectTrust, ['aud', undefined, 'b']],
    ['is absent for equal claims', { sub: 'a', aud: 'b' }, subjectTrust, undefined],
    ['is the environment', { environment: 'b' }, trusts({ environment: 'a' }), ['environment', 'b', 'a']],
    ['ignores the case of an environment', { environment: 'A' }, trusts({ environment: 'a' }), undefined],
    ['ignores an absent environment', {}, trusts({ environment: 'a' }), undefined],
    ['ignores an environment that is not trusted by name', { environment: 'a' }, trusts(), undefined],
    [
      'ignores the ref of the workflow',
      { workflow_ref: `${workflowRef}@a@b` },
      trusts({ workflow_file: `${workflowRef}@a` }),
      undefined,
    ],
    [
      'is a workflow without a ref',
      { workflow_ref: 'a.yml' },
      trusts({ workflow_file: 'a.ym' }),
      ['workflow_file', 'a.yml', 'a.ym'],
    ],
    ['ignores a workflow without a ref', { workflow_ref: 'a.yml' }, trusts({ workflow_file: 'a.yml' }), undefined],
    [
      'includes the ref of a reusable workflow',
      { job_workflow_ref: 'a@b' },
      trusts({ job_workflow: 'a' }),
      ['job_workflow', 'a@b', 'a'],
    ],
    ['is a ref that the token lacks', {}, trusts({ ref: 'a' }), ['ref', undefined, 'a']],
    [
      'is a condition that the issuer kind does not have',
      { ci_config_ref_uri: 'a' },
      trusts({ ci_config: 'a' }),
      ['ci_config', undefined, 'a'],
    ],
    ['comes after equal ones', { event_name: 'a', ref: 'b' }, trusts({ event_name: 'a', ref: 'c' }), ['ref', 'b', 'c']],
  ])('%s', (_, claims, trust, condition) => {
    const [name, came, trusted] = condition ?? [];
    expect(failedCondition(workload(claims), trust)).toEqual(condition && { name, came, trusted });
  });
});

describe('the keys of a workload', () => {
  const subject = 'repo:Tide/Pipelines:ref:refs/heads/Main';
  const name = ['name', 'tide/pipelines', 'branch:Main'];
  const bySubject = { name: ['subject', subject] };
  const inSubject = (given: Partial<typeof parts.ids>) => ({ ...parts, ids: { ...parts.ids, ...given } });
  test.each<[string, Workload['parts'], Workload['ids'], unknown]>([
    ['are its name and IDs', parts, ids, { name, ids: ['ids', '77', '1001', 'branch:Main'] }],
    [
      'are its name and the IDs of the subject',
      inSubject(ids),
      ids,
      { name, ids: ['ids', '77', '1001', 'branch:Main'] },
    ],
    ['are its name if it has no IDs', parts, undefined, { name }],
    ['are its subject if it cannot be parsed', undefined, ids, bySubject],
    ['are its subject in a pull request', { ...parts, origin: 'pull request' }, ids, bySubject],
    ['are its subject if it has only one ID', inSubject({ repository_id: '1001' }), ids, bySubject],
    ['are its subject if it has only the ID of the owner', inSubject({ repository_owner_id: '77' }), ids, bySubject],
  ])('%s', (_, given, numbers, keys) => {
    expect(matchKeysOf(github, { subject, parts: given, ids: numbers })).toEqual(keys);
  });

  test('are its subject if the issuer kind names no repository', () => {
    expect(matchKeysOf(oidc, { subject, parts: undefined, ids: undefined })).toEqual(bySubject);
    expect(matchKeysOf(oidc, { subject, parts, ids })).toEqual(bySubject);
  });
});
