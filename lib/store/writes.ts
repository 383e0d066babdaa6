import { ServiceError } from '../domain/errors.ts';
import { parseTimestamp, toTimestamp } from '../domain/time.ts';
import type { Change, Condition } from './expressions.ts';
import type { Item, Key } from './keys.ts';

/** One write of a transaction. If its condition does not hold, the transaction throws `refusal`. */
export type Write = Put | Update | Remove | Check;

interface Conditional {
  condition?: Condition | undefined;
  refusal?: ServiceError | undefined;
}
export type Put = Conditional & { kind: 'put'; item: Item };
export type Update = Conditional & { kind: 'update'; key: Key; change: Change };
type Remove = Conditional & { kind: 'delete'; key: Key };
type Check = { kind: 'check'; key: Key; condition: Condition; refusal: ServiceError };

export function put(item: Item, condition?: Condition, refusal?: ServiceError): Put {
  return { kind: 'put', item, condition, refusal };
}

export function update(key: Key, change: Change, condition?: Condition, refusal?: ServiceError): Update {
  return { kind: 'update', key, change, condition, refusal };
}

export function remove(key: Key, condition?: Condition, refusal?: ServiceError): Remove {
  return { kind: 'delete', key, condition, refusal };
}

export function check(key: Key, condition: Condition, refusal: ServiceError): Check {
  return { kind: 'check', key, condition, refusal };
}

const windowSeconds = { minute: 60, hour: 3600, day: 24 * 3600 } as const;
const nameLengths = { minute: 16, hour: 13, day: 10 } as const;
/**
 * Seconds from the end of a time window to the deletion of its counter. The clocks of instances differ by less than
 * this.
 */
const retentionSeconds = 3600;

type TallyWindow = keyof typeof windowSeconds;

/**
 * Returns the name of the UTC time window that contains a timestamp, for use in keys. The name of an hour is, for
 * example, `2026-11-23T18`.
 */
export function windowOf(time: string, window: TallyWindow): string {
  return time.slice(0, nameLengths[window]);
}

interface Tally {
  /** The key of the item that counts. It must contain `windowOf(time, window)`. */
  key: Key;
  entity: string;
  counter: string;
  max: number;
  window: TallyWindow;
  time: string;
  /** Creates the error message of the limit. The argument is the time at which the window ends. */
  sentence: (endsAt: string) => string;
}

/**
 * Returns the update that counts one use in a time window. If the count is already `max`, the write throws
 * `throttled`.
 */
export function countInWindow(tally: Tally): Update & { refusal: ServiceError } {
  const { key, entity, counter, max, window, time, sentence } = tally;
  const seconds = Math.floor(parseTimestamp(time) / 1000);
  const endsAt = seconds - (seconds % windowSeconds[window]) + windowSeconds[window];
  const message = sentence(toTimestamp(endsAt * 1000));
  const refusal = new ServiceError('throttled', message, { retryAfterSeconds: endsAt - seconds });
  const change = { set: { entity, ttl: endsAt + retentionSeconds }, add: { [counter]: 1 } };
  return { ...update(key, change, { absentOrLessThan: { [counter]: max } }), refusal };
}
