import { isOpenToAnyone, type RepositoryRecord } from '../../domain/data/repositories.ts';
import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { dayMs, parseTimestamp } from '../../domain/time.ts';
import { encode } from '../codec.ts';
import { keys } from '../keys.ts';
import type { Table, Write } from '../table.ts';
import { countedInWindow, windowOf } from '../tallies.ts';

/** The caller who opens data. An opening that only the flag `admin` allows is an act of the platform and is not counted. */
export interface Opener {
  asAdmin?: boolean;
}

/** Counts one reopening against the budget of an account. Refused with `throttled` above the limit of the hour. */
export function countedReopening(accountId: string, time: string): Write {
  const { reopeningsPerHourMax } = limits;
  return countedInWindow({
    key: keys.reopenings(accountId, windowOf(time, 'hour')),
    entity: 'reopenings_tally',
    counter: 'reopenings',
    max: reopeningsPerHourMax,
    window: 'hour',
    time,
    sentence: (endsAt) =>
      `${accountId} has made data public again ${reopeningsPerHourMax} times in this hour, which is the limit; try again after ${endsAt}. Making data private, disabling and deleting always work`,
  });
}

/** Records that the data under a path was closed, so that opening the path again is counted. */
export function closedPath({ account_id, repository_id }: RepositoryRecord, time: string): Write {
  return {
    kind: 'put',
    item: encode(
      'closed_path',
      { account_id, repository_id, closed_at: time },
      {
        key: keys.closedPath(account_id, repository_id),
        deleteAfter: parseTimestamp(time) + limits.closedPathRetentionDays * dayMs,
      },
    ),
  };
}

const closedMeanwhile = new ServiceError(
  'concurrent_change',
  'The repository was closed at the same time; read it and try again',
);

/**
 * The part of a transaction that a change of openness needs. An opening of a path that was closed before draws on the
 * budget of its account; the first opening of a path is free. One read before the transaction where data opens.
 */
export async function opennessWrites(
  table: Pick<Table, 'get'>,
  before: RepositoryRecord | undefined,
  after: RepositoryRecord,
  time: string,
  { asAdmin = false }: Opener = {},
): Promise<Write[]> {
  const wasOpen = before !== undefined && isOpenToAnyone(before);
  if (wasOpen === isOpenToAnyone(after)) return [];
  if (wasOpen) return [closedPath(after, time)];
  if (asAdmin) return [];
  const { account_id, repository_id } = after;
  const key = keys.closedPath(account_id, repository_id);
  if ((await table.get(key)) !== undefined) return [countedReopening(account_id, time)];
  return [{ kind: 'check', key, condition: { exists: false }, refusal: closedMeanwhile }];
}
