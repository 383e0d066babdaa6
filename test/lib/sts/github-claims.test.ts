import { beforeEach, describe, expect, test } from 'vitest';
import { ExchangeSetup } from './exchange-setup.ts';

/** Every claim that GitHub documents for the tokens of its runs, with its value for a run on main. */
const run = {
  iss: 'https://ci.example.org',
  aud: 'https://data.example.org',
  sub: 'repo:tide-institute/pipelines:ref:refs/heads/main',
  exp: 0,
  iat: 0,
  nbf: 0,
  jti: '9f6f4c3e-0d7e-4a2b-8a5c-1e2d3c4b5a69',
  repository: 'tide-institute/pipelines',
  repository_id: '1001',
  repository_owner: 'tide-institute',
  repository_owner_id: '77',
  repository_visibility: 'public',
  ref: 'refs/heads/main',
  ref_type: 'branch',
  ref_protected: 'true',
  head_ref: '',
  base_ref: '',
  sha: '3f5a1c0de0000000000000000000000000000000',
  event_name: 'push',
  environment: undefined,
  environment_node_id: undefined,
  workflow: 'nightly',
  workflow_ref: 'tide-institute/pipelines/.github/workflows/nightly.yml@refs/heads/main',
  workflow_sha: '3f5a1c0de0000000000000000000000000000000',
  job_workflow_ref: 'tide-institute/pipelines/.github/workflows/nightly.yml@refs/heads/main',
  job_workflow_sha: '3f5a1c0de0000000000000000000000000000000',
  actor: 'ada',
  actor_id: '5',
  run_id: '17',
  run_number: '3',
  run_attempt: '1',
  runner_environment: 'github-hosted',
  check_run_id: '99',
  issuer_scope: 'organization',
  enterprise: 'tides',
  enterprise_id: '7',
} satisfies Record<string, unknown>;
type Claim = keyof typeof run;

/** What becomes of each. A claim that is missing here fails the type check. */
const use: Record<Claim, string> = {
  iss: 'verified',
  aud: 'verified',
  sub: 'verified',
  exp: 'verified',
  iat: 'verified',
  nbf: 'verified',
  repository: 'compared with the subject',
  repository_id: 'pinned',
  repository_owner_id: 'pinned',
  environment: 'compared with what is trusted',
  jti: 'not looked at: clients use a token again, so it cannot count once',
  repository_owner: 'not looked at: part of repository',
  ref: 'not looked at: the subject names it, unless an environment takes its place',
  ref_type: 'not looked at: the subject tells it',
  event_name: 'not looked at: what matters of it is in the subject',
  repository_visibility: 'not looked at: says nothing of who runs',
  ref_protected: 'not looked at: nobody is asked to trust protection',
  head_ref: 'not looked at: of pull requests, which are never trusted',
  base_ref: 'not looked at: of pull requests, which are never trusted',
  sha: 'not looked at: changes with every run',
  environment_node_id: 'not looked at: the name is what is trusted',
  workflow: 'not looked at: a name that whoever may push chooses',
  workflow_ref: 'not looked at: a branch is trusted whole, not one file of it',
  workflow_sha: 'not looked at: changes with every run',
  job_workflow_ref: 'not looked at: a branch is trusted whole, not one file of it',
  job_workflow_sha: 'not looked at: changes with every run',
  actor: 'not looked at: whoever may push to what is trusted may run it',
  actor_id: 'not looked at: as actor',
  run_id: 'not looked at: changes with every run',
  run_number: 'not looked at: changes with every run',
  run_attempt: 'not looked at: changes with every run',
  runner_environment: 'not looked at: whose machine runs it is for the repository to say',
  check_run_id: 'not looked at: changes with every run',
  issuer_scope: 'not looked at: the issuer itself is compared',
  enterprise: 'not looked at: the issuer itself is compared',
  enterprise_id: 'not looked at: as enterprise',
};

let setup: ExchangeSetup;
beforeEach(() => {
  setup = new ExchangeSetup();
});

async function outcome(claims: Record<string, unknown>): Promise<string> {
  const { iat, nbf, exp } = setup.claims();
  const token = setup.issuer.token({ ...run, iat, nbf, exp, ...claims });
  return (await setup.exchange({ WebIdentityToken: token })).code ?? 'signed in';
}

const claims = Object.entries(use) as [Claim, string][];
const usedAs = (name: string) => claims.filter(([, how]) => how === name).map(([claim]) => claim);

test('a run with every claim that GitHub has signs in', async () => {
  setup.trust();
  expect(await outcome({})).toBe('signed in');
});

describe('a claim that is verified', () => {
  test.each(usedAs('verified').filter((claim) => claim !== 'nbf'))('%s has to be there', async (claim) => {
    setup.trust();
    expect(await outcome({ [claim]: undefined })).toBe('InvalidIdentityToken');
  });

  test.each(usedAs('verified'))('%s has to be of its type', async (claim) => {
    setup.trust();
    expect(await outcome({ [claim]: { is: 'none' } })).toBe('InvalidIdentityToken');
  });
});

test.each(usedAs('compared with the subject'))('%s has to agree with the subject', async (claim) => {
  setup.trust();
  expect(await outcome({ [claim]: 'eve/pipelines' })).toBe('AccessDenied');
  expect(setup.store.refusedSignIns.at(-1)?.is_consistent).toBe(false);
});

test.each(usedAs('pinned'))('%s has to stay what it was at the first sign-in', async (claim) => {
  setup.trust();
  expect(await outcome({})).toBe('signed in');
  expect(await outcome({ [claim]: '5' })).toBe('AccessDenied');
});

test.each(usedAs('compared with what is trusted'))('%s has to be the one that is trusted', async (claim) => {
  setup.trust({ repository: 'tide-institute/pipelines', environment: 'prod' });
  const sub = 'repo:tide-institute/pipelines:environment:prod';
  expect(await outcome({ sub, [claim]: 'prod' })).toBe('signed in');
  expect(await outcome({ sub, [claim]: 'test' })).toBe('AccessDenied');
});

test.each(claims.filter(([, how]) => how.startsWith('not looked at: ')))('%s is %s', async (claim) => {
  setup.trust();
  expect(await outcome({})).toBe('signed in');
  for (const other of ['another', 7, null, undefined, ['a'], { a: 1 }]) {
    expect(await outcome({ [claim]: other })).toBe('signed in');
  }
});
