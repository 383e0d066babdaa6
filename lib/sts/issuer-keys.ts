import * as z from 'zod';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { Clock } from '../domain/time.ts';
import { type IssuerKey, parseKeySet } from './issuer-key.ts';

/** Fetches a JSON document; throws when it cannot within the bounds. Must not follow redirects. */
export type FetchJson = (url: string, bounds: { timeoutMs: number; bytesMax: number }) => Promise<unknown>;

/**
 * The issuer's keys of that id, none when it publishes no such key. Throws ServiceError
 * `identity_provider_unreachable` when its keys cannot be fetched and none are kept.
 */
export type FindIssuerKeys = (issuer: string, kid: string) => Promise<readonly IssuerKey[]>;

interface CachedIssuer {
  keys: readonly IssuerKey[];
  /** When `keys` were fetched; -Infinity before that. In milliseconds, like the next two. */
  fetchedAt: number;
  attemptedAt: number;
  failedAt: number;
  failure: unknown;
  fetching: Promise<void> | undefined;
}

const discoverySchema = z.object({ issuer: z.string(), jwks_uri: z.url() });
const bounds = { timeoutMs: limits.issuerFetchTimeoutMs, bytesMax: limits.issuerFetchBytesMax };

/**
 * Keys of issuers as their discovery documents publish them (OpenID Connect Discovery 1.0), kept for an hour, and for a
 * day while the issuer does not answer. Ask only for configured issuers: what a token claims must not choose an address.
 */
export function issuerKeyCache({ fetchJson, now }: { fetchJson: FetchJson; now: Clock }): FindIssuerKeys {
  const issuers = new Map<string, CachedIssuer>();

  async function refresh(issuer: string, cached: CachedIssuer): Promise<void> {
    cached.attemptedAt = now();
    try {
      cached.keys = await fetchKeys(issuer, fetchJson);
      // Counted from before the fetch, so that a slow one does not let a withdrawn key live longer.
      cached.fetchedAt = cached.attemptedAt;
    } catch (error) {
      cached.failedAt = now();
      cached.failure = error;
    } finally {
      cached.fetching = undefined;
    }
  }

  return async (issuer, kid) => {
    let cached = issuers.get(issuer);
    if (cached === undefined) {
      cached = neverFetched();
      issuers.set(issuer, cached);
    }
    // Who holds a known key does not wait for a fetch that another token's unknown one set off.
    const isAwaited = cached.fetching !== undefined && keysOf(cached, kid).length === 0;
    if (isAwaited || isDue(cached, kid, now())) {
      cached.fetching ??= refresh(issuer, cached);
      await cached.fetching;
    }
    if (ageSeconds(cached.fetchedAt, now()) >= limits.issuerKeysKeptInOutageSeconds) {
      throw new ServiceError(
        'identity_provider_unreachable',
        "The token's issuer does not hand out its keys at the moment; try again in a minute",
        { cause: cached.failure },
      );
    }
    return keysOf(cached, kid);
  };
}

function isDue(cached: CachedIssuer, kid: string, now: number): boolean {
  if (ageSeconds(cached.failedAt, now) < limits.issuerFailureRememberedSeconds) return false;
  if (ageSeconds(cached.fetchedAt, now) >= limits.issuerKeysRefreshSeconds) return true;
  const isKnown = keysOf(cached, kid).length > 0;
  return !isKnown && ageSeconds(cached.attemptedAt, now) >= limits.issuerUnknownKidFetchEverySeconds;
}

function keysOf({ keys }: CachedIssuer, kid: string): readonly IssuerKey[] {
  return keys.filter((key) => key.kid === kid);
}

function ageSeconds(since: number, now: number): number {
  return (now - since) / 1000;
}

function neverFetched(): CachedIssuer {
  const never = Number.NEGATIVE_INFINITY;
  return { keys: [], fetchedAt: never, attemptedAt: never, failedAt: never, failure: undefined, fetching: undefined };
}

async function fetchKeys(issuer: string, fetchJson: FetchJson): Promise<readonly IssuerKey[]> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const discovery = discoverySchema.parse(await fetchJson(address, bounds));
  if (discovery.issuer !== issuer) throw new Error('the discovery document names another issuer');
  // Plain http is for issuers that are themselves configured with it, which only local ones are.
  const { protocol } = new URL(discovery.jwks_uri);
  if (protocol !== 'https:' && protocol !== new URL(issuer).protocol) throw new Error('the keys are not behind https');
  const keys = parseKeySet(await fetchJson(discovery.jwks_uri, bounds));
  // An empty set is an outage of the issuer's, not the withdrawal of every key.
  if (keys === undefined || keys.length === 0) throw new Error('the issuer publishes no usable key');
  return keys;
}
