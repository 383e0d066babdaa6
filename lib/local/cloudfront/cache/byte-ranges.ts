/** The bytes `from` to `to`, both included. */
export interface ByteRange {
  from: number;
  to: number;
}

/**
 * A parsed Range header. It is undefined without a header, and for a value that a server may ignore (RFC 9110, section
 * 14.2).
 */
export interface RequestedRange {
  /** Undefined for a suffix range, which means the last `last` bytes. */
  from: number | undefined;
  to: number | undefined;
  last: number | undefined;
}

export function readRange(value: string | undefined): RequestedRange | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(value ?? '') ?? [];
  if (from === '') return to === '' ? undefined : { from: undefined, to: undefined, last: Number(to) };
  if (to !== '' && Number(to) < Number(from)) return undefined;
  return { from: Number(from), to: to === '' ? undefined : Number(to), last: undefined };
}

/** Returns the bytes of an object of this length, or undefined when the range has none of them. */
export function resolveRange({ from, to, last }: RequestedRange, lengthBytes: number): ByteRange | undefined {
  if (from === undefined) {
    return last === undefined || last === 0 || lengthBytes === 0
      ? undefined
      : { from: Math.max(0, lengthBytes - last), to: lengthBytes - 1 };
  }
  return from >= lengthBytes ? undefined : { from, to: Math.min(to ?? lengthBytes - 1, lengthBytes - 1) };
}

/** Parses `Content-Range` of a 206 response. */
export function readContentRange(value: string | undefined): (ByteRange & { lengthBytes: number }) | undefined {
  const [, from, to, length] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(value ?? '') ?? [];
  return length === undefined ? undefined : { from: Number(from), to: Number(to), lengthBytes: Number(length) };
}

const blockBytes = 64 * 1024;
const widenedBytesMax = 1024 * 1024;

/**
 * Returns a wider range for the origin request. CloudFront may request more than the viewer did and return the viewer's
 * part. The emulator widens small ranges only.
 */
export function widenedRange({ from, to }: RequestedRange): string | undefined {
  if (from === undefined || to === undefined || to - from >= widenedBytesMax) return undefined;
  const start = from - (from % blockBytes);
  return `bytes=${start}-${to - (to % blockBytes) + blockBytes - 1}`;
}
