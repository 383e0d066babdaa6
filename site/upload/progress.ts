const windowMs = 15_000;
const shownAfterMs = 2000;
const samplesEveryMs = 250;

/** Measures how many bytes per second were sent recently. */
export function createRate() {
  let samples: { time: number; sentBytes: number }[] = [];
  return {
    /** @param sentBytes the number of bytes sent so far, including bytes that were sent again after a failure */
    add(time: number, sentBytes: number) {
      const last = samples.at(-1);
      if (last !== undefined && time - last.time < samplesEveryMs && samples.length > 1) {
        last.sentBytes = sentBytes;
        return;
      }
      samples.push({ time, sentBytes });
      samples = samples.filter((sample) => time - sample.time <= windowMs);
    },
    /** Returns the upload rate, or undefined until there are enough samples. */
    bytesPerSecond(time: number): number | undefined {
      const first = samples.find((sample) => time - sample.time <= windowMs);
      const last = samples.at(-1);
      if (first === undefined || last === undefined || time - first.time < shownAfterMs) return undefined;
      return ((last.sentBytes - first.sentBytes) * 1000) / (time - first.time);
    },
    reset() {
      samples = [];
    },
  };
}

export type Rate = ReturnType<typeof createRate>;

/** Returns the remaining upload time in seconds, or undefined if the rate is unknown or zero. */
export function restSeconds(restBytes: number, bytesPerSecond: number | undefined): number | undefined {
  if (bytesPerSecond === undefined || bytesPerSecond < 1) return undefined;
  return restBytes / bytesPerSecond;
}
