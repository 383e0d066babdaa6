import { describe, expect, test } from 'vitest';
import {
  currentKeys,
  fetchEveryMs,
  issuerUrlFault,
  lookAlikeOf,
  nextEarlyFetchAt,
} from '../../../../lib/domain/ci/registered-issuers.ts';
import { dayMs, toTimestamp } from '../../../../lib/domain/time.ts';

const deployed = { allowsLoopback: false };

describe('the URL of an issuer', () => {
  test.each([
    'https://ci.example.org',
    'https://ci.example.org/',
    'https://CI.example.org:8443/realms/tides',
    'https://oidc.eks.eu-west-1.amazonaws.com/id/0123ABCDEF',
    'https://xn--bcher-kva.example/a~b/@c/d=e,f',
    `https://ci.example.org/${'a'.repeat(489)}`,
  ])('accepts %s', (issuer) => {
    expect(issuerUrlFault(issuer, deployed)).toBeUndefined();
  });

  test.each([
    ['', /https:/],
    ['ci.example.org', /https:/],
    ['http://ci.example.org', /https:/],
    ['HTTPS://ci.example.org', /https:/],
    ['file:///etc/passwd', /https:/],
    ['https://user@ci.example.org', /user/],
    ['https://user:password@ci.example.org', /user/],
    ['https://ci.example.org?a=b', /query/],
    ['https://ci.example.org/#a', /fragment/],
    ['https://ci.example.org/%2e%2e/a', /"%"/],
    ['https://ci.example.org/a/../b', /\.\.\//],
    ['https://ci.example.org/.', /\.\//],
    ['https://ci.example.org//', /"\/\/"/],
    ['https://ci.example.org/a//b', /"\/\/"/],
    ['https://ci.example.org\\@evil.example.org', /other signs/],
    ['https://ci.example.org/a b', /other signs/],
    ['https://ci.example.org/a\n', /other signs/],
    ['https://bücher.example', /other signs/],
    ['https://ci.example.org.', /public host name/],
    ['https://.example.org', /public host name/],
    ['https://ci..example.org', /public host name/],
    ['https://ci.example.org:0443', /other signs/],
    ['https://ci.example.org:99999', /65535/],
    ['https://localhost', /public host name/],
    ['https://metadata', /public host name/],
    ['https://127.0.0.1', /public host name/],
    ['https://169.254.169.254/latest', /public host name/],
    ['https://2130706433', /public host name/],
    ['https://0x7f.1', /public host name/],
    ['https://example.0x7f000001', /public host name/],
    ['https://[::1]', /other signs/],
    [`https://ci.example.org/${'a'.repeat(490)}`, /512 bytes/],
  ])('rejects %j', (issuer, message) => {
    expect(issuerUrlFault(issuer, deployed)).toMatch(message);
  });

  test('is rejected when Node parses it as an IP address', () => {
    const parts = ['1', '0x7f', '0177', '127', 'a', '0x'];
    for (const first of parts) {
      for (const last of parts) {
        const issuer = `https://${first}.${last}`;
        const isAddress = /^[\d.]+$/.test(URL.parse(issuer)?.hostname ?? '1');
        if (isAddress) expect(issuerUrlFault(issuer, deployed), issuer).toBeDefined();
      }
    }
  });

  test.each(['http://127.0.0.1:4000/ci', 'http://localhost:4000', 'https://localhost'])(
    'accepts %s only in the local service',
    (issuer) => {
      expect(issuerUrlFault(issuer, { allowsLoopback: true })).toBeUndefined();
      expect(issuerUrlFault(issuer, deployed)).toBeDefined();
    },
  );

  test.each(['http://127.0.0.1.example.org', 'http://ci.example.org', 'https://10.0.0.1'])(
    'rejects %s also in the local service',
    (issuer) => {
      expect(issuerUrlFault(issuer, { allowsLoopback: true })).toBeDefined();
    },
  );
});

describe('a look-alike', () => {
  const configured = ['https://gitlab.com', 'https://ghes.example.org/_services/token'];

  test.each([
    'https://gitlab.com',
    'https://gitlab.com/',
    'https://GitLab.com',
    'https://gitlab.com:443',
    'https://GITLAB.COM:443/',
    'https://ghes.example.org/_services/token/',
    'https://GHES.example.org/_services/token',
  ])('is detected in %s', (issuer) => {
    expect(issuerUrlFault(issuer, deployed)).toBeUndefined();
    expect(configured).toContain(lookAlikeOf(issuer, configured));
  });

  test.each(['https://gitlab.com/group', 'https://gitlab.com:8443', 'https://ghes.example.org/_Services/token'])(
    'is not detected in %s',
    (issuer) => {
      expect(lookAlikeOf(issuer, configured)).toBeUndefined();
    },
  );
});

test('fetched keys are valid for 24 hours', () => {
  const now = Date.parse('2030-01-02T00:00:00.000Z');
  const jwks = [{ kid: 'a', kty: 'RSA', alg: 'RS256', n: 'n', e: 'AQAB' } as const];
  const fetched = (age: number) => ({ jwks, keys_fetched_at: toTimestamp(now - age) });
  expect(currentKeys(fetched(dayMs - 1), now)).toEqual(jwks);
  expect(currentKeys(fetched(dayMs), now)).toEqual([]);
  expect(currentKeys({ jwks, keys_fetched_at: null }, now)).toEqual([]);
});

test('the interval of the fetches is 15 minutes after a use in the last 30 days, and otherwise 6 hours', () => {
  const now = Date.parse('2030-02-01T00:00:00.000Z');
  const used = (age: number) => fetchEveryMs({ last_used_at: toTimestamp(now - age) }, now);
  expect([used(30 * dayMs - 1), used(30 * dayMs), fetchEveryMs({ last_used_at: null }, now)]).toEqual([
    15 * 60_000,
    6 * 3_600_000,
    6 * 3_600_000,
  ]);
  expect(nextEarlyFetchAt({ last_attempt_at: toTimestamp(now) })).toBe(now + 5 * 60_000);
});
