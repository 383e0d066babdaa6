import { createPublicKey, type KeyObject } from 'node:crypto';
import * as z from 'zod';
import { type PublicJwk, parseUsableKeys } from '../domain/ci/key-sets.ts';
import type { TokenAlgorithm } from '../domain/ci/provider.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { createRefreshedValues, secondsAfter } from '../domain/refreshed.ts';
import type { Clock } from '../domain/time.ts';

/** Fetches a JSON document. Rejects if it exceeds a limit. An implementation must not follow redirects. */
export type FetchJson = (url: string, bounds: { timeoutMs: number; bytesMax: number }) => Promise<unknown>;

/**
 * Returns the issuer's keys with this ID, or an empty list. Throws ServiceError `identity_provider_unreachable` when
 * the keys cannot be fetched and none are cached.
 */
export type FindIssuerKeys = (issuer: string, kid: string) => Promise<readonly IssuerKey[]>;

const discoverySchema = z.object({ issuer: z.string(), jwks_uri: z.url() });
const bounds = { timeoutMs: limits.issuerFetchTimeoutMs, bytesMax: limits.issuerFetchBytesMax };

/**
 * Returns a function that finds issuers' keys through their discovery documents (OpenID Connect Discovery 1.0). Caches
 * the keys for an hour, and for a day while the issuer does not respond. Pass only configured issuers, so that an
 * unverified token cannot choose a URL to fetch.
 */
export function createIssuerKeyCache({ fetchJson, clock }: { fetchJson: FetchJson; clock: Clock }): FindIssuerKeys {
  const keysOf = createRefreshedValues<string, readonly IssuerKey[]>(
    (issuer) => fetchKeys(issuer, fetchJson),
    {
      dueAt: secondsAfter(limits.issuerKeysRefreshSeconds),
      endsAt: secondsAfter(limits.issuerKeysCachedInOutageSeconds),
      failureRememberedSeconds: limits.issuerFailureRememberedSeconds,
      missEverySeconds: limits.issuerUnknownKidFetchEverySeconds,
      keysMax: 100,
      unavailable: (cause) =>
        new ServiceError(
          'identity_provider_unreachable',
          "The token's issuer did not return its keys; try again in a minute",
          { cause },
        ),
    },
    clock,
  );
  return async (issuer, kid) => {
    const named = (keys: readonly IssuerKey[]) => keys.filter((key) => key.kid === kid);
    return named(await keysOf(issuer)((keys) => named(keys).length > 0));
  };
}

async function fetchKeys(issuer: string, fetchJson: FetchJson): Promise<readonly IssuerKey[]> {
  const discoveryUrl = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const discovery = discoverySchema.parse(await fetchJson(discoveryUrl, bounds));
  if (discovery.issuer !== issuer) throw new Error('the discovery document names another issuer');
  // Allow http only if the configured issuer's own URL has it, as with a local issuer.
  const { protocol } = new URL(discovery.jwks_uri);
  if (protocol !== 'https:' && protocol !== new URL(issuer).protocol) throw new Error('the keys are not behind https');
  const keys = parseKeySet(await fetchJson(discovery.jwks_uri, bounds));
  // Treat an empty key set as a failure of the issuer, not as the revocation of all keys.
  if (keys === undefined || keys.length === 0) throw new Error('the issuer publishes no usable key');
  return keys;
}

export interface IssuerKey {
  kid: string;
  algorithm: TokenAlgorithm;
  key: KeyObject;
}

/** Parses the keys of a JWK set that can verify tokens. Returns undefined if the document is not a key set. */
export function parseKeySet(document: unknown): readonly IssuerKey[] | undefined {
  return parseUsableKeys(document)?.map(importKey);
}

export function importKey({ kid, alg, ...jwk }: PublicJwk): IssuerKey {
  return { kid, algorithm: alg, key: createPublicKey({ key: jwk, format: 'jwk' }) };
}
