import { combineCrc, crc32 } from '../../lib/domain/crc.ts';

/**
 * Computes the CRC-32 of two consecutive pieces from their checksums and the length of the second piece. The data need
 * not be read again.
 */
export function combineCrc32(first: number, next: number, nextBytes: number): number {
  return Number(combineCrc('crc32', BigInt(first), BigInt(next), nextBytes));
}

/** Encodes a CRC-32 in base64, as S3 does in headers and in XML. */
export function toBase64(crc: number): string {
  return btoa(String.fromCharCode(crc >>> 24, (crc >>> 16) & 0xff, (crc >>> 8) & 0xff, crc & 0xff));
}

/** The number of bytes read at once. It is much smaller than an upload part, so that the page stays responsive. */
const pieceBytes = 1024 * 1024;

/**
 * Computes the CRC-32 of a file piece by piece. Rejects with the signal's reason after an abort, and with a
 * DOMException if the file cannot be read.
 */
export async function crc32Of(blob: Blob, signal?: AbortSignal, onRead?: (bytes: number) => void): Promise<number> {
  let crc = 0;
  for (let start = 0; start < blob.size; start += pieceBytes) {
    signal?.throwIfAborted();
    const bytes = new Uint8Array(await blob.slice(start, start + pieceBytes).arrayBuffer());
    // If the file became shorter since the user chose it, Firefox reports no error and returns only the remaining
    // bytes.
    if (bytes.length < Math.min(pieceBytes, blob.size - start)) throw new DOMException('cut short', 'NotReadableError');
    crc = crc32(bytes, crc);
    onRead?.(bytes.length);
  }
  return crc;
}

/** Converts a base64 checksum of S3 to hexadecimal, which command-line tools print. */
export function hexOf(base64: string): string {
  return Array.from(atob(base64), (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}
