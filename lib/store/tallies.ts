import { ServiceError } from '../domain/errors.ts';
import { parseTimestamp, toTimestamp } from '../domain/time.ts';
import type { Key } from './keys.ts';
import type { Write } from './table.ts';

const windowSeconds = { minute: 60, hour: 3600, day: 24 * 3600 } as const;
const nameLengths = { minute: 16, hour: 13, day: 10 } as const;
/** A tally is deleted this long after its window: the clocks of its readers differ by less. */
const retentionSeconds = 3600;

type TallyWindow = keyof typeof windowSeconds;

/** The name of the window of a timestamp in keys, such as `2026-11-23T18` for an hour. Windows are those of UTC. */
export function windowOf(time: string, window: TallyWindow): string {
  return time.slice(0, nameLengths[window]);
}

interface Tally {
  /** Holds `windowOf(time, window)`. */
  key: Key;
  entity: string;
  counter: string;
  max: number;
  window: TallyWindow;
  time: string;
  /** The sentence of the refusal. */
  sentence: (endsAt: string) => string;
}

/**
 * A conditional update that counts one use in a window. Above `max` it is refused with `throttled` and the seconds that
 * are left of the window.
 */
export function countedInWindow(tally: Tally): Extract<Write, { kind: 'update' }> & { refusal: ServiceError } {
  const { key, entity, counter, max, window, time, sentence } = tally;
  const seconds = Math.floor(parseTimestamp(time) / 1000);
  const endsAt = seconds - (seconds % windowSeconds[window]) + windowSeconds[window];
  return {
    kind: 'update',
    key,
    change: { set: { entity, ttl: endsAt + retentionSeconds }, add: { [counter]: 1 } },
    condition: { absentOrLessThan: { [counter]: max } },
    refusal: new ServiceError('throttled', sentence(toTimestamp(endsAt * 1000)), {
      retryAfterSeconds: endsAt - seconds,
    }),
  };
}
