import { expect, test } from 'vitest';
import { limits } from '../../../lib/domain/limits.ts';
import { ciClaims } from './ci-claim-table.ts';
import { ExchangeSetup, roleArn } from './exchange-setup.ts';
import { TestIssuer } from './test-issuer.ts';

const url = 'https://oidc.cluster.example.net/id/7';

// This test is not in registered-issuers.test.ts, because the mutation runner repeats that file and this test takes too
// long.
test('10,000 tokens with unknown keys cause no fetch, and stop no other workload', async () => {
  const setup = new ExchangeSetup();
  const issuer = TestIssuer.create(url);
  setup.register('kubernetes', { issuer: url, keys: issuer.keys, ageSeconds: limits.registeredKeysCountSeconds - 1 });
  setup.trust(ciClaims.kubernetes.trusted, 'kubernetes', url);
  issuer.privateKeys.set('unknown', issuer.privateKeys.get('rsa-1') as never);
  const { iat, nbf, exp } = setup.claims();
  const token = (header = {}) => issuer.token({ ...ciClaims.kubernetes.run, iss: url, iat, nbf, exp }, header);
  const exchange = (WebIdentityToken: string) => setup.exchange({ WebIdentityToken, RoleArn: roleArn });
  const unknown = token({ kid: 'unknown' });
  for (let count = 0; count < 10_000; count += 1) expect((await exchange(unknown)).code).toBe('AccessDenied');
  expect((await exchange(token())).code).toBeUndefined();
  expect([issuer.fetched, setup.issuer.fetched, setup.store.refusedSignIns]).toEqual([[], [], []]);
  expect(setup.store.requests.filter((name) => name === 'readWorkloadSignIn')).toHaveLength(10_001);
});
