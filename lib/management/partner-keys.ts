import type { KeyObject } from 'node:crypto';
import { parsePartnerKeys } from '../domain/changes/found-key-reports.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { Clock } from '../domain/time.ts';
import type { FetchJson } from '../sts/issuer-keys.ts';

/**
 * The public key that a partner publishes under an identifier; undefined when it publishes none. Throws `unavailable`
 * when its keys cannot be fetched and none are kept, so that the partner sends its report again.
 */
export type FindPartnerKey = (identifier: string) => Promise<KeyObject | undefined>;

/** Keys are fetched once an hour, for an unknown identifier at most once a minute, and kept for a day in an outage. */
export function partnerKeyCache({
  keysUrl,
  fetchJson,
  now,
}: {
  keysUrl: string;
  fetchJson: FetchJson;
  now: Clock;
}): FindPartnerKey {
  let keys: ReadonlyMap<string, KeyObject> = new Map();
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let attemptedAt = Number.NEGATIVE_INFINITY;
  let failure: unknown;
  let fetching: Promise<void> | undefined;

  async function refresh(): Promise<void> {
    attemptedAt = now();
    try {
      const bounds = { timeoutMs: limits.issuerFetchTimeoutMs, bytesMax: limits.issuerFetchBytesMax };
      const fetched = parsePartnerKeys(await fetchJson(keysUrl, bounds));
      if (fetched === undefined || fetched.size === 0) throw new Error('the partner publishes no usable key');
      keys = fetched;
      fetchedAt = attemptedAt;
    } catch (error) {
      failure = error;
    } finally {
      fetching = undefined;
    }
  }

  const ageSeconds = (since: number) => (now() - since) / 1000;
  const isDue = (identifier: string) =>
    ageSeconds(attemptedAt) >= limits.partnerKeysFetchEverySeconds &&
    (!keys.has(identifier) || ageSeconds(fetchedAt) >= limits.partnerKeysRefreshSeconds);

  return async (identifier) => {
    if (fetching === undefined && isDue(identifier)) fetching = refresh();
    await fetching;
    if (ageSeconds(fetchedAt) >= limits.partnerKeysKeptInOutageSeconds) {
      throw new ServiceError(
        'unavailable',
        "The partner's keys cannot be fetched at the moment; send the report again",
        {
          cause: failure,
        },
      );
    }
    return keys.get(identifier);
  };
}
