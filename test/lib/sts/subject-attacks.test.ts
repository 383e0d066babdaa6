import { describe, expect, test } from 'vitest';
import type { CiProviderKind } from '../../../lib/domain/ci/providers.ts';
import { explainRefusal } from '../../../lib/domain/ci/sign-in-differences.ts';
import { ciClaims, outcomes } from './ci-claim-table.ts';
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

test.each(Object.entries(attacks))(
  '%s is refused like every untrusted token, and explained to the owner',
  async (_, attack) => {
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
  },
);

test('a token without the attack signs in', async () => {
  for (const trusted of [main, numbered, { repository, environment: 'prod:eu' }, { repository, tag: 'main' }]) {
    const setup = new ExchangeSetup();
    const { subject } = setup.trust(trusted);
    const claims = setup.claims({ sub: subject, environment: trusted.environment });
    expect((await setup.exchange({ WebIdentityToken: setup.issuer.token(claims) })).status).toBe(200);
  }
});

/** Changes of a trusted subject. No kind of issuer may accept a changed subject. */
const changes: Readonly<Record<string, (sub: string) => string>> = {
  'one more character': (sub) => `${sub}x`,
  'one character less': (sub) => sub.slice(0, -1),
  'a character before it': (sub) => `x${sub}`,
  'a space before it': (sub) => ` ${sub}`,
  'a space behind it': (sub) => `${sub} `,
  'a line break behind it': (sub) => `${sub}\n`,
  'an end of text behind it': (sub) => `${sub}\u0000`,
  'a further part': (sub) => `${sub}/x`,
  'a parent folder': (sub) => `${sub}/..`,
  'a wildcard': () => '*',
  'a wildcard for its last character': (sub) => `${sub.slice(0, -1)}*`,
  'capital letters': (sub) => sub.toUpperCase(),
  'colons that look alike': (sub) => sub.replaceAll(':', '\uff1a'),
  'an invisible character': (sub) => `${sub.slice(0, 8)}\u200b${sub.slice(8)}`,
  'its escaped form': (sub) => encodeURIComponent(sub),
  'itself twice': (sub) => `${sub}:${sub}`,
  'its parts in another order': (sub) => sub.split(':').toReversed().join(':'),
};

describe.each(Object.keys(ciClaims) as CiProviderKind[])('a subject of %s', (kind) => {
  const { run, use, trusted } = ciClaims[kind];
  // Remove the claims that repeat the subject, because they would cause a refusal for another reason.
  const repeated = Object.keys(use).filter((claim) => use[claim] === outcomes.subject);
  const without = Object.fromEntries(repeated.map((claim) => [claim, undefined]));
  async function send(claims: Record<string, unknown>) {
    const setup = new ExchangeSetup({ kind });
    setup.trust(trusted, kind);
    const { iat, nbf, exp } = setup.claims();
    const answer = await setup.exchange({
      WebIdentityToken: setup.issuer.token({ ...run, ...without, iat, nbf, exp, ...claims }),
    });
    const { requests, refusedSignIns, workflows } = setup.store;
    const refused = refusedSignIns.at(-1);
    return { answer, requests, told: refused && explainRefusal(refused, workflows, { isDisabled: false }).difference };
  }

  test('signs in unchanged', async () => {
    expect((await send({})).answer.status).toBe(200);
  });

  test.each(Object.entries(changes))(
    'with %s is refused like every untrusted subject, and explained',
    async (_, change) => {
      const { answer, requests, told } = await send({ sub: change(String(run['sub'])) });
      expect(requests).toEqual(['readWorkloadSignIn', 'recordRefusedSignIn']);
      refusals.add(JSON.stringify([answer.status, answer.headers, answer.body]));
      expect(refusals.size).toBe(1);
      expect(told).toMatch(/another|differs|unknown form|customised|kind under which|pull request/);
    },
  );
});
