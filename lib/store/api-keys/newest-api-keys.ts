import * as z from 'zod';
import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { daySeconds } from '../../domain/time.ts';
import { decode } from '../codec.ts';
import { keys } from '../keys.ts';
import type { Item, Write } from '../table.ts';

/**
 * The list of a scope's keys is an index, which lags behind. The keys that it may not show yet are stored here, strongly
 * consistent, in an item that every creation changes: so that no limit is passed by being quick.
 */
const newestRecord = z.object({ revision: z.number().optional(), ids: z.array(z.string()).default([]) });

export const changedMeanwhile = new ServiceError(
  'concurrent_change',
  'Other keys were created at the same time; look at the keys there are and try again',
);

export function newestKeysIn(item: Item | undefined) {
  const { revision, ids } = decode(newestRecord, item ?? {});
  return {
    ids,
    /** Part of the transaction that creates the key; those that are listed by now need no note. */
    with(id: string, unlisted: readonly string[], { scope, now }: { scope: string; now: number }): Write {
      const ttl = Math.ceil(now / 1000) + daySeconds;
      return {
        kind: 'update',
        key: keys.newestApiKeys(scope),
        change: { set: { entity: 'newest_api_keys', ids: [...unlisted, id], ttl }, add: { revision: 1 } },
        condition: { equalsOrAbsent: { revision } },
        refusal: changedMeanwhile,
      };
    },
  };
}

export function tooManyKeys(scope: string): ServiceError {
  return new ServiceError(
    'limit_reached',
    `${scope} has at most ${limits.apiKeysMax} API keys that are neither revoked nor expired; revoke one first`,
  );
}
