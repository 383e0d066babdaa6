import { generateKeyPairSync } from 'node:crypto';
import { parseUsableKeys } from '../../lib/domain/ci/key-sets.ts';
import { createIssuerFetcher, type FetchIssuerKeys } from '../../lib/issuers/fetch-keys.ts';
import type { ResolveHost } from '../../lib/s3/connection-test/probe.ts';

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwks = parseUsableKeys({ keys: [{ kid: '4f2a', ...publicKey.export({ format: 'jwk' }) }] }) ?? [];

/** Returns fixed keys for the issuers of examples, whose hosts do not exist. Fetches the keys of all other issuers. */
export function fetchExampleIssuers(resolveHost: ResolveHost): FetchIssuerKeys {
  const fetchIssuerKeys = createIssuerFetcher({ resolveHost, allowsLoopback: true });
  return async (issuer) => (issuer.endsWith('.tides.example') ? { jwks } : fetchIssuerKeys(issuer));
}
