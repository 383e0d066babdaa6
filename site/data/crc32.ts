import { combineCrc, crc32 } from '../../lib/domain/crc.ts';

/** Combines the CRC-32 of two consecutive pieces. Needs only the length of the second, so no data is read again. */
export function combineCrc32(first: number, next: number, nextBytes: number): number {
  return Number(combineCrc('crc32', BigInt(first), BigInt(next), nextBytes));
}

/** Encodes a checksum as in headers and in XML. */
export function toBase64(crc: number): string {
  return btoa(String.fromCharCode(crc >>> 24, (crc >>> 16) & 0xff, (crc >>> 8) & 0xff, crc & 0xff));
}

/** Size of one read: much smaller than a part, so that the page stays responsive. */
const pieceBytes = 1024 * 1024;

/** Computes the checksum of a file piece by piece. Rejects with the signal's reason, or if the file is unreadable. */
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
