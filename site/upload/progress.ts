/** Bytes a second over the last while, and how long the rest takes at that. */
export interface Rate {
  /** @param sentBytes all that went over the line so far, what was sent twice included */
  add(time: number, sentBytes: number): void;
  /** Undefined until there is enough to tell. */
  bytesPerSecond(time: number): number | undefined;
  reset(): void;
}

const windowMs = 15_000;
const toldAfterMs = 2000;
const samplesEveryMs = 250;

export function createRate(): Rate {
  let samples: { time: number; sentBytes: number }[] = [];
  return {
    add(time, sentBytes) {
      const last = samples.at(-1);
      if (last !== undefined && time - last.time < samplesEveryMs && samples.length > 1) {
        last.sentBytes = sentBytes;
        return;
      }
      samples.push({ time, sentBytes });
      samples = samples.filter((sample) => time - sample.time <= windowMs);
    },
    bytesPerSecond(time) {
      const first = samples.find((sample) => time - sample.time <= windowMs);
      const last = samples.at(-1);
      if (first === undefined || last === undefined || time - first.time < toldAfterMs) return undefined;
      return ((last.sentBytes - first.sentBytes) * 1000) / (time - first.time);
    },
    reset() {
      samples = [];
    },
  };
}

/** In seconds; undefined where nothing moves, or not yet long enough. */
export function restSeconds(restBytes: number, bytesPerSecond: number | undefined): number | undefined {
  if (bytesPerSecond === undefined || bytesPerSecond < 1) return undefined;
  return restBytes / bytesPerSecond;
}
