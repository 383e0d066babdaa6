import { isOpenToAnyone, type RepositoryRecord } from '../../domain/data/repositories.ts';
import { conflict } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { dayMs, parseTimestamp } from '../../domain/time.ts';
import { encode } from '../codec.ts';
import { keys } from '../keys.ts';
import type { Table } from '../table.ts';
import { check, countInWindow, put, type Write, windowOf } from '../writes.ts';

/** The caller who makes data public. A change that only the flag `admin` permits is not counted. */
export interface Opener {
  asAdmin?: boolean;
}

/** Counts one reopening for an account. Throws `throttled` above the limit of the hour. */
export function countReopening(accountId: string, time: string): Write {
  const { reopeningsPerHourMax } = limits;
  return countInWindow({
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

/** Records that the data under a path is no longer public, so that the next opening of the path is counted. */
export function closedPath({ account_id, repository_id }: RepositoryRecord, time: string): Write {
  return put(
    encode(
      'closed_path',
      { account_id, repository_id, closed_at: time },
      {
        key: keys.closedPath(account_id, repository_id),
        deleteAfter: parseTimestamp(time) + limits.closedPathRetentionDays * dayMs,
      },
    ),
  );
}

const closedMeanwhile = conflict('The repository was closed at the same time; read it and try again');

/** Returns the writes for a change of public access. Except for a path's first time, making it public is counted. */
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
  if ((await table.get(key)) !== undefined) return [countReopening(account_id, time)];
  return [check(key, { exists: false }, closedMeanwhile)];
}
