import { expect, test } from 'vitest';
import { explainRefusal } from '../../../lib/domain/ci/sign-in-differences.ts';
import { ExchangeSetup, requestId } from './exchange-setup.ts';
import { type Attack, attacks, claimsOf, main, numbered, repository } from './subject-attack-table.ts';

async function attempt(attack: Attack) {
  const { trusted = main, claims = {}, before } = attack;
  const setup = new ExchangeSetup();
  setup.trust(trusted);
  const signIn = (more: Record<string, unknown>) =>
    setup.exchange({ WebIdentityToken: setup.issuer.token(setup.claims(claimsOf(attack, more))) });
  if (before !== undefined) expect((await signIn(before)).status).toBe(200);
  setup.store.requests.length = 0;
  const answer = await signIn(claims);
  const refused = setup.store.refusedSignIns.at(-1);
  const told = refused && explainRefusal(refused, setup.store.workflows, { isDisabled: false }).difference;
  return { answer, requests: setup.store.requests, told };
}

const refusals = new Set<string>();

test.each(Object.entries(attacks))('%s is refused like every other, and explained to the owner', async (_, attack) => {
  const { answer, requests, told } = await attempt(attack);
  expect(answer).toMatchObject({
    status: 403,
    code: 'AccessDenied',
    message: `Not authorized to perform sts:AssumeRoleWithWebIdentity (request id ${requestId})`,
  });
  expect(requests).toEqual(['readWorkloadSignIn', 'recordRefusedSignIn']);
  refusals.add(JSON.stringify([answer.status, answer.headers, answer.body]));
  expect(refusals.size).toBe(1);
  expect(told).toBe(attack.told);
});

test('the same without the attack signs in', async () => {
  for (const trusted of [main, numbered, { repository, environment: 'prod:eu' }, { repository, tag: 'main' }]) {
    const setup = new ExchangeSetup();
    const { subject } = setup.trust(trusted);
    const claims = setup.claims({ sub: subject, environment: trusted.environment });
    expect((await setup.exchange({ WebIdentityToken: setup.issuer.token(claims) })).status).toBe(200);
  }
});
