import { describe, expect, test } from 'vitest';
import { type CiProviderKind, ciProvider } from '../../../lib/domain/ci/providers.ts';
import { ciClaims, outcomes } from './ci-claim-table.ts';
import { ExchangeSetup } from './exchange-setup.ts';

const kinds = Object.keys(ciClaims) as CiProviderKind[];

function conditionsOf(kind: CiProviderKind) {
  const provider = ciProvider({ kind });
  return provider.identifiedBy === 'repository' ? provider.pins : {};
}

describe.each(kinds)('a token of %s', (kind) => {
  const { run, use, trusted, otherRepository } = ciClaims[kind];
  const claimsUsedAs = (...uses: string[]) => Object.keys(use).filter((claim) => uses.includes(use[claim] ?? ''));

  function startExchange() {
    const setup = new ExchangeSetup({ kind });
    setup.trust(trusted, kind);
    const exchange = (claims: Record<string, unknown>) => {
      const { iat, nbf, exp } = setup.claims();
      return setup.exchange({ WebIdentityToken: setup.issuer.token({ ...run, iat, nbf, exp, ...claims }) });
    };
    const outcome = async (claims: Record<string, unknown> = {}) => (await exchange(claims)).code ?? 'signed in';
    return { setup, exchange, outcome };
  }

  test('signs in with every claim that the CI system documents', async () => {
    expect(await startExchange().outcome()).toBe('signed in');
  });

  test.each(claimsUsedAs(outcomes.verified).filter((claim) => claim !== 'nbf'))('requires %s', async (claim) => {
    expect(await startExchange().outcome({ [claim]: undefined })).toBe('InvalidIdentityToken');
  });

  test.each(claimsUsedAs(outcomes.verified, outcomes.mergeRequest))(
    'is refused when %s has another type',
    async (claim) => {
      expect(await startExchange().outcome({ [claim]: { is: 'none' } })).toBe('InvalidIdentityToken');
    },
  );

  test.each(claimsUsedAs(outcomes.subject))('is refused when %s contradicts the subject', async (claim) => {
    const { setup, outcome } = startExchange();
    expect(await outcome({ [claim]: otherRepository })).toBe('AccessDenied');
    expect(setup.store.refusedSignIns.at(-1)?.fault).toBe('contradiction');
  });

  test.each(claimsUsedAs(outcomes.pinned))('is refused when %s changes after the first sign-in', async (claim) => {
    const { outcome } = startExchange();
    expect(await outcome()).toBe('signed in');
    expect(await outcome({ [claim]: '5' })).toBe('AccessDenied');
  });

  test.each(claimsUsedAs(outcomes.environment))('is refused when %s is not the trusted one', async (claim) => {
    const { setup, outcome } = startExchange();
    setup.trust({ repository: trusted.repository ?? '', environment: 'prod' }, kind);
    const sub = `repo:${trusted.repository}:environment:prod`;
    expect(await outcome({ sub, [claim]: 'prod' })).toBe('signed in');
    expect(await outcome({ sub, [claim]: 'test' })).toBe('AccessDenied');
  });

  test.each(claimsUsedAs(outcomes.trustedClaim))('is refused when %s is another, or absent', async (claim) => {
    const { setup, outcome } = startExchange();
    for (const other of ['another', undefined, null, [run[claim]]])
      expect(await outcome({ [claim]: other })).toBe('AccessDenied');
    expect(setup.store.refusedSignIns.at(-1)?.fault).toBe(null);
    expect(await outcome({ [claim]: String(run[claim]) })).toBe('signed in');
  });

  test.each(Object.entries(conditionsOf(kind)))(
    'is refused when the condition %s is not met',
    async (name, { claim }) => {
      const { setup, outcome } = startExchange();
      setup.store.workflows.splice(0);
      const value = String(run[claim]);
      const isRef = name === 'ref';
      const origin = isRef ? { repository: trusted.repository, environment: 'prod' } : trusted;
      setup.trust(
        { ...origin, [name]: name.endsWith('_file') || name === 'ci_config' ? value.split('@')[0] : value },
        kind,
      );
      const sub = isRef ? { sub: `repo:${trusted.repository}:environment:prod`, environment: 'prod' } : {};
      expect(await outcome({ ...sub, [claim]: `another/${value}` })).toBe('AccessDenied');
      expect(await outcome({ ...sub, [claim]: undefined })).toBe('AccessDenied');
      expect(setup.store.workflows[0]?.pinned).toBeNull();
      expect(await outcome(sub)).toBe('signed in');
    },
  );

  test.each(claimsUsedAs(outcomes.mergeRequest))('is refused when %s is a merge request', async (claim) => {
    const { setup, outcome, exchange } = startExchange();
    const untrusted = await exchange({ sub: `${run['sub']}-2` });
    const requests = setup.store.requests.splice(0);
    const mergeRequest = await exchange({ [claim]: 'merge_request_event' });
    expect(mergeRequest).toMatchObject({ code: 'AccessDenied', body: untrusted.body, headers: untrusted.headers });
    expect(setup.store.requests).toEqual(requests);
    expect(setup.store.refusedSignIns.at(-1)).toMatchObject({ fault: 'merge_request' });
    for (const source of ['push', 'schedule', 'web', undefined])
      expect(await outcome({ [claim]: source })).toBe('signed in');
  });

  test.each(claimsUsedAs(outcomes.mergeRequest))(
    'of a child pipeline in %s requires a protected ref',
    async (claim) => {
      const { setup, outcome } = startExchange();
      const child = { [claim]: 'parent_pipeline' };
      expect(await outcome({ ...child, ref_protected: 'true' })).toBe('signed in');
      for (const ref_protected of ['false', '', undefined, null, { a: 'true' }])
        expect(await outcome({ ...child, ref_protected })).toBe('AccessDenied');
      expect(setup.store.refusedSignIns.at(-1)).toMatchObject({ fault: 'merge_request' });
    },
  );

  test.each(Object.entries(use).filter(([, what]) => what.startsWith(outcomes.ignored)))(
    'signs in with any value of %s: %s',
    async (claim) => {
      const { outcome } = startExchange();
      for (const other of ['another', 7, null, undefined, ['a'], { a: 1 }])
        expect(await outcome({ [claim]: other })).toBe('signed in');
    },
  );

  test('has an entry in the table for every claim', () => {
    const known: string[] = Object.values(outcomes);
    expect(Object.keys(use).sort()).toEqual(Object.keys(run).sort());
    expect(Object.values(use).filter((what) => !known.includes(what) && !what.startsWith(outcomes.ignored))).toEqual(
      [],
    );
  });
});

test('a token of another kind that names a merge request as its source is refused too', async () => {
  const setup = new ExchangeSetup({ kind: 'github' });
  setup.trust();
  const signIn = async (pipeline_source?: string) =>
    (await setup.exchange({ WebIdentityToken: setup.issuer.token(setup.claims({ pipeline_source })) })).code;
  expect(await signIn('merge_request_event')).toBe('AccessDenied');
  expect(await signIn()).toBeUndefined();
});

test('a job of Forgejo never signs in from a pull request, nor without its IDs', async () => {
  const { run, trusted } = ciClaims.forgejo;
  const setup = new ExchangeSetup({ kind: 'forgejo' });
  setup.trust(trusted, 'forgejo');
  const { iat, nbf, exp } = setup.claims();
  const outcome = async (claims: Record<string, unknown>) => {
    const WebIdentityToken = setup.issuer.token({ ...run, iat, nbf, exp, ...claims });
    return [(await setup.exchange({ WebIdentityToken })).code, setup.store.refusedSignIns.at(-1)?.fault];
  };
  expect(await outcome({ sub: 'repo:user1-12/testing-345:pull_request' })).toEqual(['AccessDenied', 'merge_request']);
  expect(await outcome({ sub: 'repo:user1-12/testing-345:ref:refs/pull/1/head' })).toEqual([
    'AccessDenied',
    'other_kind',
  ]);
  expect(await outcome({ repository_id: undefined })).toEqual(['AccessDenied', null]);
  expect((await outcome({}))[0]).toBeUndefined();
});
