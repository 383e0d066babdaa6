import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { issuerServer } from '../issuers/issuer-server.ts';
import { inBatches, made } from '../users.ts';
import { startCiSystem } from './ci-system.ts';
import {
  day,
  type NewServiceAccount,
  organization,
  privateRepository,
  ciRepository as repository,
  serviceAccountFixture,
  workflowRefused,
} from './fixture.ts';

const issuers = await issuerServer();
const gitlab = await startCiSystem();
afterAll(gitlab.close);
const service = await serviceAccountFixture({
  ciIssuers: [{ issuer: gitlab.issuer, kind: 'gitlab', algorithms: ['RS256'] }],
});
let account: NewServiceAccount;
beforeEach(async () => {
  account = await service.newServiceAccount();
});

const trust = (body: unknown) => service.ada('POST', `${account.path}/trusted-workflows`, body);
const workflows = async () => (await service.ada('GET', `${account.path}/trusted-workflows`)).body;
const signIn = (token: string) => service.exchange(token, { serviceAccountId: account.id });
const runWith = (sub: string, claims: Record<string, string> = {}) => service.runOn('', { sub, ...claims });

describe('a trusted workflow', () => {
  test.each<[Record<string, string>, string]>([
    [{ repository, branch: 'main' }, `repo:${repository}:ref:refs/heads/main`],
    [{ repository, branch: 'release/2.x' }, `repo:${repository}:ref:refs/heads/release/2.x`],
    [{ repository, tag: 'v1.0' }, `repo:${repository}:ref:refs/tags/v1.0`],
    [{ repository, environment: 'Production' }, `repo:${repository}:environment:Production`],
    [{ repository, environment: 'prod:eu' }, `repo:${repository}:environment:prod%3Aeu`],
    [
      { repository: 'tide-institute@77/pipelines@1001', branch: 'main' },
      'repo:tide-institute@77/pipelines@1001:ref:refs/heads/main',
    ],
  ])('%j is shown as its subject, and a matching run signs in', async (origin, subject) => {
    const { status, body } = await trust(origin);
    expect(status).toBe(201);
    expect(body).toEqual({
      ...origin,
      workflow_id: expect.any(String),
      issuer: service.identity.ci.issuer,
      kind: 'github',
      subject,
      created_at: expect.any(String),
      pinned: subject.includes('@')
        ? { repository_id: '1001', repository_owner_id: '77', pinned_at: body.created_at }
        : null,
      last_used_at: null,
      last_used_as: null,
    });
    expect(await workflows()).toEqual([{ ...body, missing: [] }]);
    await service.write(await signIn(await runWith(subject)));
    await expect(signIn(await runWith(`${subject}x`))).rejects.toMatchObject(workflowRefused);
    const [used] = await workflows();
    expect(used).toMatchObject({ last_used_as: repository, last_used_at: expect.stringMatching(/:00\.000Z$/) });
  });

  test.each<[string, Record<string, unknown>, string, RegExp]>([
    ['a wildcard branch', { repository, branch: 'release/*' }, 'branch', /wildcards are not supported; trust each/],
    [
      'an unknown issuer',
      { issuer: 'https://ci.example.org', repository, branch: 'main' },
      'issuer',
      /this deployment, which has http.*; register it first/,
    ],
    ['a pull request', { repository, pull_request: true }, '', /unknown fields: pull_request/],
  ])('is refused with %s', async (_, origin, path, message) => {
    const { status, body } = await trust(origin);
    expect(status).toBe(400);
    expect(body.errors[0]).toMatchObject({ path, message: expect.stringMatching(message) });
    expect(await workflows()).toEqual([]);
  });

  test('cannot be trusted twice in spellings that the CI system treats as equal', async () => {
    await made(trust({ repository, environment: 'prod' }));
    for (const again of [
      { repository, environment: 'prod' },
      { repository: 'Tide-Institute/Pipelines', environment: 'PROD' },
    ]) {
      expect(await trust(again)).toMatchObject({ status: 409, body: { detail: 'This workflow is trusted already' } });
    }
    const racing = await Promise.all(Array.from({ length: 6 }, () => trust({ repository, branch: 'main' })));
    expect(racing.map(({ status }) => status).toSorted()).toEqual([201, ...Array(5).fill(409)]);
    expect(await workflows()).toHaveLength(2);
  });
});

test('each service account has its own trust: a run that names another one is refused', async () => {
  await made(trust({ repository, branch: 'main' }));
  const other = await service.newServiceAccount();
  await expect(service.exchange(await service.runOn('main'), { serviceAccountId: other.id })).rejects.toMatchObject(
    workflowRefused,
  );
  await made(service.ada('POST', `${other.path}/trusted-workflows`, { repository, branch: 'main' }));
  await service.exchange(await service.runOn('main'), { serviceAccountId: other.id });
});

test('a removed workflow cannot sign in, is missing from the list, and can be trusted again', async () => {
  const { body } = await trust({ repository, branch: 'main' });
  await signIn(await service.runOn('main'));
  const path = `${account.path}/trusted-workflows/${body.workflow_id}`;
  expect((await service.ada('DELETE', path)).status).toBe(200);
  await expect(signIn(await service.runOn('main'))).rejects.toMatchObject(workflowRefused);
  expect(await workflows()).toEqual([]);
  expect((await service.ada('DELETE', path)).status).toBe(404);
  await made(trust({ repository, branch: 'main' }));
  await signIn(await service.runOn('main'));
});

test('refuses a new owner of a trusted repository name until it is trusted again', async () => {
  const { body } = await trust({ repository, branch: 'main' });
  await signIn(await service.runOn('main'));
  const taken = await service.runOn('main', { repository_id: '4711' });
  await expect(signIn(taken)).rejects.toMatchObject(workflowRefused);
  await made(service.ada('DELETE', `${account.path}/trusted-workflows/${body.workflow_id}`));
  await made(trust({ repository, branch: 'main' }));
  await signIn(taken);
  await expect(signIn(await service.runOn('main'))).rejects.toMatchObject(workflowRefused);
});

test('a service account trusts at most 100 workflows, also with concurrent requests', async () => {
  await inBatches(97, 5, async (index) => void (await made(trust({ repository, branch: `b${index}` }))));
  const racing = await Promise.all(Array.from({ length: 8 }, (_, index) => trust({ repository, tag: `t${index}` })));
  expect(racing.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, ...Array(5).fill(409)]);
  const refused = await trust({ repository, environment: 'one-more' });
  expect(refused.body.detail).toBe('A service account has at most 100 trusted workflows; remove one first');
  const [first] = await workflows();
  await made(service.ada('DELETE', `${account.path}/trusted-workflows/${first.workflow_id}`));
  await made(trust({ repository, environment: 'one-more' }));
  expect(await workflows()).toHaveLength(100);
}, 60_000);

describe('a second CI system', () => {
  const project = 'tides/pipelines';
  const run = (ref: string, claims: Record<string, unknown> = {}) =>
    gitlab.token({
      aud: service.dataUrl,
      sub: `project_path:${project}:ref_type:branch:ref:${ref}`,
      project_path: project,
      project_id: '12',
      namespace_id: '3',
      ref,
      ref_type: 'branch',
      ...claims,
    });

  test('has its own form of subject, and its runs sign in with it', async () => {
    const { body } = await trust({ issuer: gitlab.issuer, repository: project, branch: 'main' });
    expect(body).toMatchObject({
      issuer: gitlab.issuer,
      subject: `project_path:${project}:ref_type:branch:ref:main`,
    });
    await service.write(await signIn(run('main')));
    await expect(signIn(run('other'))).rejects.toMatchObject(workflowRefused);
    await expect(signIn(run('main', { project_id: '13' }))).rejects.toMatchObject(workflowRefused);
  });
});

test('a workflow can be trusted before its sign-in works, and the list shows the missing step', async () => {
  const issuer = issuers.issuer('/pending');
  const ofOrganization = `/accounts/${organization}`;
  const register = async (kind: string) =>
    (await made(service.ada('POST', `${ofOrganization}/issuers`, { issuer, kind }))).body.issuer_id;
  const missing = async () => (await workflows()).map((each: { missing: string[] }) => each.missing);
  const issuerId = await register('oidc');
  const grant = `${account.path}/grants/${privateRepository}`;
  await made(service.ada('DELETE', grant));
  await made(trust({ repository, branch: 'main' }));
  await made(trust({ issuer, claims: { sub: 'a workload' } }));
  expect(await missing()).toEqual([['grant'], ['grant']]);
  await signIn(await service.runOn('main'));
  await made(service.ada('PUT', grant, { access: 'read' }));
  expect(await missing()).toEqual([[], []]);
  await made(service.ada('POST', `${account.path}/disable`));
  await made(service.ada('POST', `${ofOrganization}/disable`));
  expect(await missing()).toEqual(Array(2).fill(['account', 'service_account']));
  await made(service.ada('POST', `${ofOrganization}/enable`));
  await made(service.ada('POST', `${account.path}/enable`));
  service.pass(day + 1);
  expect(await missing()).toEqual([[], ['issuer_keys']]);
  await made(service.ada('DELETE', `${ofOrganization}/issuers/${issuerId}`));
  expect(await missing()).toEqual([[], ['issuer']]);
  const asOther = await register('kubernetes');
  expect(await missing()).toEqual([[], ['issuer']]);
  await made(service.ada('DELETE', `${ofOrganization}/issuers/${asOther}`));
});
