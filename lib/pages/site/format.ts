const units = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** Formats bytes as `980 bytes` or `3.4 MB`, in powers of 1000 as storage is sold. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  if (unit === 0) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** Formats a count as `1,204`, the same for every reader. */
export function formatCount(count: number | bigint): string {
  return count.toLocaleString('en');
}

/** Returns `1 file` or `1,204 files`. */
export function counted(count: number | bigint, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${Number(count) === 1 ? noun : plural}`;
}

/** Returns `The first` or `The first 50`, before a plural that has the total. */
export function firstOf(count: number | bigint): string {
  return count === 1 ? 'The first' : `The first ${formatCount(count)}`;
}

/** Formats a day as `2026-03-09`, the same for every reader. Returns an empty string for an unknown time. */
export function formatDay(time: number | string | undefined): string {
  if (time === undefined || time === '') return '';
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10);
}

export function formatMinute(time: number | undefined): string {
  return time === undefined ? '' : `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Splits a tag list: `a, b,, c` has three tags. */
export function tagsOf(tags: string): string[] {
  return tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

/**
 * Replaces each character that changes the direction of text (Unicode's UAX #9) with its number. Without this,
 * `report\u202Egnp.exe` would appear to end with `exe.png`.
 */
export function shownName(name: string): string {
  return name.replace(
    /[\u202a-\u202e\u2066-\u2069]/g,
    (mark) => `‹U+${mark.charCodeAt(0).toString(16).toUpperCase()}›`,
  );
}
