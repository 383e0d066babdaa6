import type { ParquetParsers } from 'hyparquet';

/** Times keep the digits that they have in the file. */
export const parsers: Partial<ParquetParsers> = {
  timestampFromMilliseconds: (value) => timeOf(value, 3),
  timestampFromMicroseconds: (value) => timeOf(value, 6),
  timestampFromNanoseconds: (value) => timeOf(value, 9),
  dateFromDays: (days) => dateOf(days * 86_400_000)?.slice(0, 10) ?? `day ${days}`,
  // JSON text stays unchanged, and geometries stay bytes.
  jsonFromBytes: (bytes) => bytes && new TextDecoder().decode(bytes),
  geometryFromBytes: (bytes) => bytes,
  geographyFromBytes: (bytes) => bytes,
};

function timeOf(value: bigint, digits: number): string {
  const unit = 10n ** BigInt(digits);
  const seconds = (value - (((value % unit) + unit) % unit)) / unit;
  const rest = value - seconds * unit;
  const text = dateOf(Number(seconds) * 1000);
  if (text === undefined) return String(value);
  const fraction =
    rest === 0n
      ? ''
      : `.${rest
          .toString()
          .padStart(digits, '0')
          .replace(/(?<!0)0+$/, '')}`;
  return text.slice(0, 19).replace('T', ' ') + fraction;
}

function dateOf(milliseconds: number): string | undefined {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace(/^\+0+/, '');
}
