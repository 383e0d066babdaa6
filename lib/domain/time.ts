/**
 * Returns the current time in milliseconds since the Unix epoch. Functions take the clock as a parameter, so that
 * tests can set the time.
 */
export type Clock = () => number;

export const dayMs = 86_400_000;
export const daySeconds = dayMs / 1000;

/** Formats a time as RFC 3339 in UTC with milliseconds, the only format of times in responses. */
export function toTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

export function parseTimestamp(timestamp: string): number {
  return Date.parse(timestamp);
}
