import * as z from 'zod';
import { conflict, ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { daySeconds } from '../../domain/time.ts';
import { decode } from '../codec.ts';
import { type Item, keys } from '../keys.ts';
import { update, type Write } from '../writes.ts';

/**
 * The newest keys of a scope. The list of keys is an eventually consistent index. This strongly consistent item
 * contains the keys that the index may not have yet, and every create changes it. Concurrent creates therefore cannot
 * exceed the limit.
 */
const newestRecord = z.object({ revision: z.number().optional(), ids: z.array(z.string()).default([]) });

export const changedMeanwhile = conflict(
  'Other keys were created at the same time; look at the keys there are and try again',
);

export function newestKeysIn(item: Item | undefined) {
  const { revision, ids } = decode(newestRecord, item ?? {});
  return {
    ids,
    /** Returns the write for the create's transaction. It keeps only those IDs that the index does not list yet. */
    with(id: string, unlisted: readonly string[], { scope, now }: { scope: string; now: number }): Write {
      const ttl = Math.ceil(now / 1000) + daySeconds;
      return update(
        keys.newestApiKeys(scope),
        { set: { entity: 'newest_api_keys', ids: [...unlisted, id], ttl }, add: { revision: 1 } },
        { equalsOrAbsent: { revision } },
        changedMeanwhile,
      );
    },
  };
}

export function tooManyKeys(scope: string): ServiceError {
  return new ServiceError(
    'limit_reached',
    `${scope} has at most ${limits.apiKeysMax} API keys that are neither revoked nor expired; revoke one first`,
  );
}
