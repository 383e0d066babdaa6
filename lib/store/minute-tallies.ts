import { ServiceError } from '../domain/errors.ts';
import { parseTimestamp } from '../domain/time.ts';
import type { Key } from './keys.ts';
import type { Write } from './table.ts';

/** Some readers compare times by themselves, and for a tally of a minute nobody has to: an hour is long enough. */
const cacheSeconds = 3600;

/** The minute of a timestamp, as keys name it. */
export function minuteOf(time: string): string {
  return time.slice(0, 16);
}

/**
 * Counts one more of what one account does in a minute, wherever it does it. Past `max` it is refused with `throttled` and
 * the seconds that are left of the minute.
 */
export function countedInMinute(one: {
  /** With `minuteOf(time)` in it. */
  key: Key;
  entity: string;
  counter: string;
  max: number;
  time: string;
  sentence: string;
}): Extract<Write, { kind: 'update' }> & { refusal: ServiceError } {
  const seconds = Math.floor(parseTimestamp(one.time) / 1000);
  return {
    kind: 'update',
    key: one.key,
    change: { set: { entity: one.entity, ttl: seconds + cacheSeconds }, add: { [one.counter]: 1 } },
    condition: { absentOrLessThan: { [one.counter]: one.max } },
    refusal: new ServiceError('throttled', one.sentence, { retryAfterSeconds: 60 - (seconds % 60) }),
  };
}
