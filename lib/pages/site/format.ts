const units = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** Formats a number of bytes as `980 bytes` or `3.4 MB`. Units are powers of 1000, as in the prices of storage. */
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

/** Formats a count as `1,204`. The format does not depend on the reader's language. */
export function formatCount(count: number | bigint): string {
  return count.toLocaleString('en');
}

/** Returns a count with its noun, such as `1 file` or `1,204 files`. */
export function counted(count: number | bigint, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${Number(count) === 1 ? noun : plural}`;
}

/** Returns `The first` or `The first 50`, as the beginning of a sentence such as "The first 50 of 1,204 files". */
export function firstOf(count: number | bigint): string {
  return count === 1 ? 'The first' : `The first ${formatCount(count)}`;
}

/**
 * Formats a day as `2026-03-09`. The format does not depend on the reader's language. Returns an empty string for an
 * unknown time.
 */
export function formatDay(time: number | string | undefined): string {
  if (time === undefined || time === '') return '';
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10);
}

export function formatMinute(time: number | undefined): string {
  return time === undefined ? '' : `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/**
 * Replaces each character that changes the direction of text (Unicode's UAX #9) with its code point as text. Without
 * this, `report\u202Egnp.exe` would appear to end with `exe.png`.
 */
export function shownName(name: string): string {
  return name.replace(
    /[\u202a-\u202e\u2066-\u2069]/g,
    (mark) => `‹U+${mark.charCodeAt(0).toString(16).toUpperCase()}›`,
  );
}

/**
 * Returns a checksum in hexadecimal digits, as command line tools show it. Storage returns base64. For an object that
 * was uploaded in parts, storage adds `-` and the number of parts.
 */
export function checksumHex(checksum: string): string {
  const [base64 = '', ...parts] = checksum.split('-');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 !== 0) return checksum;
  const digits = [...atob(base64)].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0'));
  return [digits.join(''), ...parts].join('-');
}
