import { ServiceError } from '../domain/errors.ts';
import { parseTimestamp, toTimestamp } from '../domain/time.ts';
import type { Key } from './keys.ts';
import { type Update, update } from './writes.ts';

const windowSeconds = { minute: 60, hour: 3600, day: 24 * 3600 } as const;
const nameLengths = { minute: 16, hour: 13, day: 10 } as const;
/** Seconds from the end of a window to the deletion of its tally. The clocks of the readers differ by less. */
const retentionSeconds = 3600;

type TallyWindow = keyof typeof windowSeconds;

/** Returns the name of a timestamp's window in keys, such as `2026-11-23T18` for an hour. Windows are in UTC. */
export function windowOf(time: string, window: TallyWindow): string {
  return time.slice(0, nameLengths[window]);
}

interface Tally {
  /** Contains `windowOf(time, window)`. */
  key: Key;
  entity: string;
  counter: string;
  max: number;
  window: TallyWindow;
  time: string;
  /** The message of the refusal. */
  sentence: (endsAt: string) => string;
}

/**
 * Returns a conditional update that counts one use in a window. Above `max`, it throws `throttled` with the remaining
 * seconds of the window.
 */
export function countedInWindow(tally: Tally): Update & { refusal: ServiceError } {
  const { key, entity, counter, max, window, time, sentence } = tally;
  const seconds = Math.floor(parseTimestamp(time) / 1000);
  const endsAt = seconds - (seconds % windowSeconds[window]) + windowSeconds[window];
  const message = sentence(toTimestamp(endsAt * 1000));
  const refusal = new ServiceError('throttled', message, { retryAfterSeconds: endsAt - seconds });
  const change = { set: { entity, ttl: endsAt + retentionSeconds }, add: { [counter]: 1 } };
  return { ...update(key, change, { absentOrLessThan: { [counter]: max } }), refusal };
}
