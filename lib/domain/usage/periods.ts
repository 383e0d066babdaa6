import { dayMs, toTimestamp } from '../time.ts';

// Returns the day of a time, such as `2026-11-28`, in UTC. Days and months are the periods of usage.

export function dayOf(time: number): string {
  return toTimestamp(time).slice(0, 'yyyy-mm-dd'.length);
}

export function monthOf(day: string): string {
  return day.slice(0, 'yyyy-mm'.length);
}

export function isDay(period: string): boolean {
  return period.length === 'yyyy-mm-dd'.length;
}

/** Returns the period that is `count` days or months later, or earlier if `count` is negative. */
export function laterPeriod(period: string, count: number): string {
  if (isDay(period)) return dayOf(Date.parse(period) + count * dayMs);
  const [year = 0, month = 0] = period.split('-').map(Number);
  return monthOf(toTimestamp(Date.UTC(year, month - 1 + count)));
}

export function lastDayOf(month: string): string {
  return laterPeriod(`${laterPeriod(month, 1)}-01`, -1);
}
