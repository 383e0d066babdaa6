import { crc32 } from 'node:zlib';

/** Reflected polynomials. All three start from all ones and are inverted at the end. */
const polynomials = {
  crc32: { polynomial: 0xedb88320n, widthBits: 32 },
  crc32c: { polynomial: 0x82f63b78n, widthBits: 32 },
  crc64nvme: { polynomial: 0x9a6c9329ac4bc9b5n, widthBits: 64 },
} as const;
export type CrcAlgorithm = keyof typeof polynomials;

export interface Crc {
  update(bytes: Uint8Array): void;
  /** Big-endian, as S3 writes checksums. */
  digest(): Buffer;
}

export function createCrc(algorithm: CrcAlgorithm): Crc {
  if (algorithm === 'crc64nvme') return createCrc64(tableOf('crc64nvme'));
  if (algorithm === 'crc32c') return createCrc32c(tableOf('crc32c').low);
  let value = 0;
  return {
    update(bytes) {
      value = crc32(bytes, value);
    },
    digest: () => bytesOf(BigInt(value), 32),
  };
}

/** Returns the checksum of two concatenated byte strings, from their checksums and the length of the second. */
export function combineCrc(algorithm: CrcAlgorithm, first: Buffer, second: Buffer, secondSizeBytes: number): Buffer {
  const { polynomial, widthBits } = polynomials[algorithm];
  const one = 1n << BigInt(widthBits - 1);
  // Computes x to the power of the second length in bits, by squaring.
  let power = one;
  let square = one >> 1n;
  for (let exponent = BigInt(secondSizeBytes) * 8n; exponent > 0n; exponent >>= 1n) {
    if ((exponent & 1n) === 1n) power = multiply(power, square, polynomial, one);
    square = multiply(square, square, polynomial, one);
  }
  return bytesOf(multiply(power, integerOf(first), polynomial, one) ^ integerOf(second), widthBits);
}

function multiply(a: bigint, b: bigint, polynomial: bigint, one: bigint): bigint {
  let product = 0n;
  let shifted = b;
  for (let bit = one; bit > 0n; bit >>= 1n) {
    if ((a & bit) !== 0n) product ^= shifted;
    shifted = (shifted & 1n) === 1n ? (shifted >> 1n) ^ polynomial : shifted >> 1n;
  }
  return product;
}

interface Table {
  low: Int32Array;
  high: Int32Array;
}

const tables = new Map<CrcAlgorithm, Table>();

function tableOf(algorithm: CrcAlgorithm): Table {
  let table = tables.get(algorithm);
  if (table === undefined) {
    table = { low: new Int32Array(256), high: new Int32Array(256) };
    const { polynomial } = polynomials[algorithm];
    for (let byte = 0; byte < 256; byte += 1) {
      let value = BigInt(byte);
      for (let bit = 0; bit < 8; bit += 1) value = (value & 1n) === 1n ? (value >> 1n) ^ polynomial : value >> 1n;
      table.low[byte] = Number(BigInt.asIntN(32, value));
      table.high[byte] = Number(BigInt.asIntN(32, value >> 32n));
    }
    tables.set(algorithm, table);
  }
  return table;
}

function createCrc32c(table: Int32Array): Crc {
  let value = -1;
  return {
    update(bytes) {
      for (const byte of bytes) value = (value >>> 8) ^ (table[(value ^ byte) & 0xff] ?? 0);
    },
    digest: () => bytesOf(BigInt(~value >>> 0), 32),
  };
}

// Two 32-bit halves: arithmetic on 64-bit BigInts is about fifty times slower.
function createCrc64(table: Table): Crc {
  let low = -1;
  let high = -1;
  return {
    update(bytes) {
      for (const byte of bytes) {
        const index = (low ^ byte) & 0xff;
        low = ((low >>> 8) | (high << 24)) ^ (table.low[index] ?? 0);
        high = (high >>> 8) ^ (table.high[index] ?? 0);
      }
    },
    digest: () => bytesOf((BigInt(~high >>> 0) << 32n) | BigInt(~low >>> 0), 64),
  };
}

function bytesOf(value: bigint, widthBits: number): Buffer {
  return Buffer.from(value.toString(16).padStart(widthBits / 4, '0'), 'hex');
}

function integerOf(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex')}`);
}
