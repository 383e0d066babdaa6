import type { KeyObject } from 'node:crypto';
import { parsePartnerKeys } from '../domain/changes/leaked-key-reports.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { createRefreshedValue, secondsAfter } from '../domain/refreshed.ts';
import type { Clock } from '../domain/time.ts';
import type { FetchJson } from './issuer-keys.ts';

/**
 * Finds a public key of GitHub secret scanning by its identifier, or returns undefined. Throws `unavailable` if no
 * keys are cached and the fetch fails. GitHub then sends its report again.
 */
export type FindPartnerKey = (identifier: string) => Promise<KeyObject | undefined>;

/**
 * Returns a function that finds GitHub's public keys. It fetches them once an hour, and because of an unknown key
 * identifier at most once a minute. If a fetch fails, it uses the cached keys for a day.
 */
export function createPartnerKeyCache({
  keysUrl,
  fetchJson,
  clock,
}: {
  keysUrl: string;
  fetchJson: FetchJson;
  clock: Clock;
}): FindPartnerKey {
  const fetchKeys = async () => {
    const bounds = { timeoutMs: limits.issuerFetchTimeoutMs, bytesMax: limits.issuerFetchBytesMax };
    const fetched = parsePartnerKeys(await fetchJson(keysUrl, bounds));
    if (fetched === undefined || fetched.size === 0) throw new Error('the partner publishes no usable key');
    return fetched;
  };
  const keys = createRefreshedValue<ReadonlyMap<string, KeyObject>>(
    fetchKeys,
    {
      dueAt: secondsAfter(limits.partnerKeysRefreshSeconds),
      endsAt: secondsAfter(limits.partnerKeysCachedInOutageSeconds),
      failureRememberedSeconds: limits.partnerKeysFetchEverySeconds,
      missEverySeconds: limits.partnerKeysFetchEverySeconds,
      unavailable: (cause) =>
        new ServiceError('unavailable', "The partner's keys cannot be fetched at the moment; send the report again", {
          cause,
        }),
    },
    clock,
  );
  return async (identifier) => (await keys((cached) => cached.has(identifier))).get(identifier);
}
