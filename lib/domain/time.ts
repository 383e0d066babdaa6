/** Milliseconds since the Unix epoch. Everything that asks the time is handed one of these, so that a test can move it. */
export type Clock = () => number;

export const dayMs = 86_400_000;
export const daySeconds = dayMs / 1000;

/** RFC 3339 in UTC with milliseconds, the one form in which times leave the service. */
export function toTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

export function parseTimestamp(timestamp: string): number {
  return Date.parse(timestamp);
}
