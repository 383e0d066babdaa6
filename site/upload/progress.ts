/** The recent rate in bytes per second. */
export interface Rate {
  /** @param sentBytes all bytes sent so far, including repeated ones */
  add(time: number, sentBytes: number): void;
  /** Returns undefined until there are enough samples. */
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

/** Returns the remaining time in seconds; undefined if the rate is unknown or zero. */
export function restSeconds(restBytes: number, bytesPerSecond: number | undefined): number | undefined {
  if (bytesPerSecond === undefined || bytesPerSecond < 1) return undefined;
  return restBytes / bytesPerSecond;
}
