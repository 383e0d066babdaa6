import { describe, expect, test } from 'vitest';
import type { TrustRequest } from '../../../lib/domain/ci/subjects.ts';
import { ExchangeSetup } from './exchange-setup.ts';

const ids = { repository_id: '1001', repository_owner_id: '77' };
const noIds = { repository_id: undefined, repository_owner_id: undefined };
const main = { repository: 'tide-institute/pipelines', branch: 'main' };
const numbered = { repository: 'tide-institute@77/pipelines@1001', branch: 'main' };
const typed = { ...main, ...ids };

type Claims = Record<string, unknown>;
const named = (owner: string, name: string, claims: Claims = ids): Claims => ({
  sub: `repo:${owner}/${name}:ref:refs/heads/main`,
  repository: `${owner}/${name}`,
  repository_owner: owner,
  ...claims,
});
const withIds = (owner: string, name: string, { repository_id, repository_owner_id } = ids): Claims => ({
  ...named(owner, name, { repository_id, repository_owner_id }),
  sub: `repo:${owner}@${repository_owner_id}/${name}@${repository_id}:ref:refs/heads/main`,
});
const nameForm = named('tide-institute', 'pipelines');
const idForm = withIds('tide-institute', 'pipelines');
const renamed = named('tide-institute', 'flows');
const others = { repository_id: '2002', repository_owner_id: '77' };

/** The sign-in attempts in their order, each with its outcome. */
type Story = [name: string, trusts: TrustRequest[], runs: [Claims, 'in' | 'out'][]];

describe('a GitHub run and its trusted workflow', () => {
  test.each<Story>([
    ['a name and a token without ids in its subject', [main], [[nameForm, 'in']]],
    ['a name and a first token of the new form', [main], [[idForm, 'in']]],
    [
      'a name, and GitHub changes the form after the first sign-in',
      [main],
      [
        [nameForm, 'in'],
        [idForm, 'in'],
      ],
    ],
    [
      'a name, and GitHub changes the form back',
      [main],
      [
        [idForm, 'in'],
        [nameForm, 'in'],
      ],
    ],
    [
      'ids in the name and a token of the old form',
      [numbered],
      [
        [nameForm, 'in'],
        [idForm, 'in'],
      ],
    ],
    [
      'ids beside the name and tokens of both forms',
      [typed],
      [
        [nameForm, 'in'],
        [idForm, 'in'],
      ],
    ],
    ['ids and a token without any', [numbered], [[named('tide-institute', 'pipelines', noIds), 'out']]],
    [
      'a rename after the first sign-in',
      [main],
      [
        [nameForm, 'in'],
        [renamed, 'in'],
        [nameForm, 'in'],
      ],
    ],
    [
      'a rename before the first sign-in',
      [main],
      [
        [renamed, 'out'],
        [nameForm, 'in'],
      ],
    ],
    ['a rename of a repository that is trusted by its ids', [numbered], [[withIds('other-name', 'flows'), 'in']]],
    [
      'a transfer',
      [main],
      [
        [nameForm, 'in'],
        [named('eve', 'pipelines', { ...ids, repository_owner_id: '88' }), 'out'],
        [withIds('eve', 'pipelines', { ...ids, repository_owner_id: '88' }), 'out'],
      ],
    ],
    [
      'a repository that is deleted and created again under its name',
      [main],
      [
        [nameForm, 'in'],
        [named('tide-institute', 'pipelines', others), 'out'],
        [withIds('tide-institute', 'pipelines', others), 'out'],
        [nameForm, 'in'],
      ],
    ],
    [
      'two workflows of one branch with different conditions',
      [
        { ...main, event_name: 'push' },
        { ...main, event_name: 'schedule' },
      ],
      [
        [{ ...nameForm, event_name: 'workflow_dispatch' }, 'out'],
        [{ ...nameForm, event_name: 'schedule' }, 'in'],
        [{ ...named('tide-institute', 'pipelines', others), event_name: 'push' }, 'in'],
        [{ ...idForm, event_name: 'schedule' }, 'in'],
        [{ ...withIds('tide-institute', 'pipelines', others), event_name: 'push' }, 'in'],
        [{ ...idForm, event_name: 'push' }, 'out'],
      ],
    ],
    [
      'an id on one side of the subject',
      [main],
      [[{ ...idForm, sub: 'repo:tide-institute@77/pipelines:ref:refs/heads/main' }, 'out']],
    ],
    ['a token whose ids contradict its subject', [main], [[{ ...idForm, repository_id: '2' }, 'out']]],
    ['a token whose ref contradicts its subject', [main], [[{ ...nameForm, ref: 'refs/heads/dev' }, 'out']]],
  ])('%s', async (_, trusts, runs) => {
    const setup = new ExchangeSetup();
    for (const trust of trusts) setup.trust(trust);
    const outcomes: string[] = [];
    for (const [claims] of runs) {
      const { status } = await setup.exchange({ WebIdentityToken: setup.issuer.token(setup.claims(claims)) });
      outcomes.push(status === 200 ? 'in' : 'out');
    }
    expect(outcomes).toEqual(runs.map(([, outcome]) => outcome));
  });

  test('records the name of the last sign-in, which differs after a rename', async () => {
    const setup = new ExchangeSetup();
    setup.trust(numbered);
    await setup.exchange({ WebIdentityToken: setup.issuer.token(setup.claims(renamed)) });
    expect(setup.store.signIns).toMatchObject([{ use: { repository: 'tide-institute/flows' } }]);
  });
});

test('a GitLab project keeps its access after a rename, and loses it in another namespace', async () => {
  const setup = new ExchangeSetup({ kind: 'gitlab' });
  setup.trust({ repository: 'group/data', branch: 'main' }, 'gitlab');
  const run = async (project: string, namespace_id: number) => {
    const sub = `project_path:${project}:ref_type:branch:ref:main`;
    const claims = { sub, project_path: project, project_id: 20, namespace_id, ref_type: 'branch', ref: 'main' };
    const { iss, aud, iat, nbf, exp } = setup.claims();
    const token = setup.issuer.token({ iss, aud, iat, nbf, exp, ...claims });
    return (await setup.exchange({ WebIdentityToken: token })).status;
  };
  expect(await run('group/data', 72)).toBe(200);
  expect(await run('group/renamed', 72)).toBe(200);
  expect(await run('eve/data', 73)).toBe(403);
  expect(await run('group/data', 73)).toBe(403);
});
