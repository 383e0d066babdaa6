import { createHash, hash } from 'node:crypto';
import { type CrcAlgorithm, combineCrc, crc } from '../../domain/crc.ts';
import type { HeaderFields } from '../../domain/data/decision.ts';
import { invalidRequest, notImplemented } from './errors.ts';
import type { XmlFields } from './xml.ts';

export const checksumAlgorithms = ['crc32', 'crc32c', 'crc64nvme', 'sha1', 'sha256', 'sha512', 'md5'] as const;
export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number];
export const checksumTypes = ['FULL_OBJECT', 'COMPOSITE'] as const;
export type ChecksumType = (typeof checksumTypes)[number];

const headerPrefix = 'x-amz-checksum-';
/** Headers that begin like checksum headers but contain no checksum. */
const settings: readonly string[] = ['x-amz-checksum-algorithm', 'x-amz-checksum-mode', 'x-amz-checksum-type'];

export interface ChecksumHash {
  update(bytes: Uint8Array): unknown;
  digest(): Buffer;
}

export function createChecksum(algorithm: ChecksumAlgorithm): ChecksumHash {
  if (!isCrc(algorithm)) return createHash(algorithm);
  let value = 0n;
  return {
    update(bytes) {
      value = crc(algorithm, bytes, value);
    },
    digest: () => bytesOf(algorithm, value),
  };
}

/** Returns the bytes of a CRC in big-endian order, the order in which S3 writes checksums. */
function bytesOf(algorithm: CrcAlgorithm, value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(algorithm === 'crc64nvme' ? 16 : 8, '0'), 'hex');
}

export function parseChecksumAlgorithm(name: string): ChecksumAlgorithm {
  const algorithm = checksumAlgorithms.find((known) => known === name.toLowerCase());
  if (algorithm !== undefined) return algorithm;
  if (name.toLowerCase().startsWith('xxhash')) throw notImplemented(`the checksum ${name}`);
  throw invalidRequest('Checksum algorithm provided is unsupported.');
}

/**
 * Returns the checksum that the headers declare for the body. `value` is undefined when the checksum follows the body
 * as a trailer.
 */
export function findChecksum(
  headers: HeaderFields,
): { algorithm: ChecksumAlgorithm; value: string | undefined } | undefined {
  const trailers = (headers['x-amz-trailer'] ?? '').toLowerCase().split(',');
  const names = [...Object.keys(headers), ...trailers.map((name) => name.trim())].filter(
    (name) => name.startsWith(headerPrefix) && !settings.includes(name),
  );
  const [name, ...others] = names;
  if (others.length > 0) {
    throw invalidRequest('Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.');
  }
  if (name === undefined) {
    if (headers['x-amz-sdk-checksum-algorithm'] === undefined) return undefined;
    throw invalidRequest(
      'x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.',
    );
  }
  return { algorithm: parseChecksumAlgorithm(name.slice(headerPrefix.length)), value: headers[name] };
}

export function checksumHeader(algorithm: ChecksumAlgorithm): string {
  return `${headerPrefix}${algorithm}`;
}

export function checksumElement(algorithm: ChecksumAlgorithm): string {
  return `Checksum${algorithm.toUpperCase()}`;
}

interface Checksum {
  algorithm: ChecksumAlgorithm;
  type?: ChecksumType;
  /** The checksum of the object or part in base64. */
  value: string;
}

export function checksumHeaders(checksum: Checksum | undefined): Record<string, string> {
  if (checksum === undefined) return {};
  const { algorithm, type, value } = checksum;
  return { [checksumHeader(algorithm)]: value, ...(type === undefined ? {} : { 'x-amz-checksum-type': type }) };
}

export function checksumFields(checksum: Checksum | undefined): XmlFields {
  return checksum === undefined
    ? {}
    : { [checksumElement(checksum.algorithm)]: checksum.value, ChecksumType: checksum.type };
}

/** Returns the XML elements for the entries of lists. They contain the algorithm but not the checksum. */
export function algorithmFields(checksum: Omit<Checksum, 'value'> | undefined): XmlFields {
  return checksum === undefined
    ? {}
    : { ChecksumAlgorithm: checksum.algorithm.toUpperCase(), ChecksumType: checksum.type };
}

/**
 * Returns the checksum type of a multipart upload: composite or of the full object (S3 user guide, "Checking object
 * integrity"). Throws InvalidRequest.
 */
export function multipartChecksumType(algorithm: ChecksumAlgorithm, requested: string | undefined): ChecksumType {
  const type = checksumTypes.find((known) => known === requested?.toUpperCase());
  if (requested !== undefined && type === undefined) {
    throw invalidRequest('Value for x-amz-checksum-type header is invalid.');
  }
  const resolved = type ?? (algorithm === 'crc64nvme' ? 'FULL_OBJECT' : 'COMPOSITE');
  const isPossible = resolved === 'FULL_OBJECT' ? isCrc(algorithm) : algorithm !== 'crc64nvme';
  if (!isPossible) {
    throw invalidRequest(`The ${resolved} checksum type cannot be used with the ${algorithm} checksum algorithm.`);
  }
  return resolved;
}

/**
 * Computes an object's checksum from the checksums of its parts, in base64. A composite checksum ends with the number
 * of parts.
 */
export function combineChecksums(
  algorithm: ChecksumAlgorithm,
  type: ChecksumType,
  parts: readonly { checksum: string; size_bytes: number }[],
): string {
  const values = parts.map(({ checksum }) => Buffer.from(checksum, 'base64'));
  if (type === 'COMPOSITE') {
    const composite = createChecksum(algorithm);
    composite.update(Buffer.concat(values));
    return `${composite.digest().toString('base64')}-${parts.length}`;
  }
  if (!isCrc(algorithm)) throw new TypeError(`no full-object ${algorithm} from parts`);
  const whole = values.reduce(
    (sum, value, index) =>
      combineCrc(algorithm, sum, BigInt(`0x${value.toString('hex')}`), parts[index]?.size_bytes ?? 0),
    0n,
  );
  return bytesOf(algorithm, whole).toString('base64');
}

/**
 * Returns the ETag of a multipart object without quotes: the MD5 of the parts' MD5s, followed by the number of parts.
 */
export function multipartEtag(partEtags: readonly string[]): string {
  return `${hash('md5', Buffer.from(partEtags.join(''), 'hex'), 'hex')}-${partEtags.length}`;
}

function isCrc(algorithm: ChecksumAlgorithm): algorithm is CrcAlgorithm {
  return algorithm === 'crc32' || algorithm === 'crc32c' || algorithm === 'crc64nvme';
}
