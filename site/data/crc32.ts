/**
 * CRC-32 as S3 uses it (ISO 3309, `x-amz-checksum-crc32`), computed incrementally. The checksum of an object is
 * combined from those of its parts. Browsers have no such function.
 */

const polynomial = 0xedb88320;
const slices = 8;

/** Tables for eight bytes at once, which is several times as fast as byte by byte. */
const tables = makeTables();

function makeTables(): Int32Array[] {
  const made = Array.from({ length: slices }, () => new Int32Array(256));
  const [first = new Int32Array(256)] = made;
  for (let byte = 0; byte < 256; byte += 1) {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
    first[byte] = value;
  }
  for (let slice = 1; slice < slices; slice += 1) {
    for (let byte = 0; byte < 256; byte += 1) {
      const before = made[slice - 1]?.[byte] ?? 0;
      (made[slice] ?? first)[byte] = (before >>> 8) ^ (first[before & 0xff] ?? 0);
    }
  }
  return made;
}

/** Extends the checksum of the earlier bytes (0 for none) by these bytes. */
export function crc32(bytes: Uint8Array, before = 0): number {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = tables as [
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
  ];
  const at = (table: Int32Array, index: number) => table[index] as number;
  let crc = ~before;
  let index = 0;
  const eights = bytes.length - (bytes.length % slices);
  while (index < eights) {
    const low =
      crc ^
      (byteAt(bytes, index) |
        (byteAt(bytes, index + 1) << 8) |
        (byteAt(bytes, index + 2) << 16) |
        (byteAt(bytes, index + 3) << 24));
    crc =
      at(t7, low & 0xff) ^
      at(t6, (low >>> 8) & 0xff) ^
      at(t5, (low >>> 16) & 0xff) ^
      at(t4, low >>> 24) ^
      at(t3, byteAt(bytes, index + 4)) ^
      at(t2, byteAt(bytes, index + 5)) ^
      at(t1, byteAt(bytes, index + 6)) ^
      at(t0, byteAt(bytes, index + 7));
    index += slices;
  }
  while (index < bytes.length) {
    crc = (crc >>> 8) ^ at(t0, (crc ^ byteAt(bytes, index)) & 0xff);
    index += 1;
  }
  return ~crc >>> 0;
}

function byteAt(bytes: Uint8Array, index: number): number {
  return bytes[index] as number;
}

/**
 * Combines the checksums of two consecutive pieces. The result depends only on the length of the second, so no data is
 * read again.
 */
export function combineCrc32(first: number, next: number, nextBytes: number): number {
  if (nextBytes === 0) return first;
  // A matrix of 32 rows that shifts a checksum over zero bits. Its square shifts over twice as many (zlib,
  // crc32_combine).
  let power = Array.from({ length: 32 }, (_, bit) => (bit === 0 ? polynomial : 1 << (bit - 1)));
  power = square(square(square(power)));
  let crc = first;
  for (let rest = nextBytes; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) crc = times(power, crc);
    power = square(power);
  }
  return (crc ^ next) >>> 0;
}

function times(matrix: readonly number[], vector: number): number {
  let sum = 0;
  for (let bit = 0, rest = vector; rest !== 0; bit += 1, rest >>>= 1) if (rest & 1) sum ^= matrix[bit] ?? 0;
  return sum;
}

function square(matrix: readonly number[]): number[] {
  return matrix.map((row) => times(matrix, row));
}

/** Encodes a checksum as in headers and in XML. */
export function toBase64(crc: number): string {
  return btoa(String.fromCharCode(crc >>> 24, (crc >>> 16) & 0xff, (crc >>> 8) & 0xff, crc & 0xff));
}

/** Size of one read: much smaller than a part, so that the page stays responsive. */
const pieceBytes = 1024 * 1024;

/**
 * Computes the checksum of a file or part without loading all of it into memory. Rejects with the signal's reason, or
 * when the file cannot be read.
 */
export async function crc32Of(blob: Blob, signal?: AbortSignal, onRead?: (bytes: number) => void): Promise<number> {
  let crc = 0;
  for (let start = 0; start < blob.size; start += pieceBytes) {
    signal?.throwIfAborted();
    const bytes = new Uint8Array(await blob.slice(start, start + pieceBytes).arrayBuffer());
    // If a file became shorter, Firefox returns only the remaining bytes.
    if (bytes.length < Math.min(pieceBytes, blob.size - start)) throw new DOMException('cut short', 'NotReadableError');
    crc = crc32(bytes, crc);
    onRead?.(bytes.length);
  }
  return crc;
}

/** Converts a base64 checksum of S3 to hexadecimal, which other programs print. */
export function hexOf(base64: string): string {
  return Array.from(atob(base64), (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}
