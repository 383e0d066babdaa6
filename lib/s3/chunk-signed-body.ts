import type { KeyObject } from 'node:crypto';
import type { BodyDecoding, HeaderFields } from '../domain/data/decision.ts';
import { ServiceError } from '../domain/errors.ts';
import { ChunkSignatures, decodeAwsChunked, incompleteBody, malformedTrailer } from '../sigv4/aws-chunked.ts';
import type { PresentedSignature } from '../sigv4/presented-signature.ts';

const trailerModes = new Map([
  ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD', false],
  ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER', true],
]);

/** The size of the blocks that are sent to storage. S3 accepts chunks of 8 KiB or more. */
const blockBytes = 65_536;

export interface DecodedBody {
  /** The headers of the request, changed so that they describe the decoded body. */
  headers: HeaderFields;
  /** The value of `x-amz-content-sha256` that is sent to storage. */
  payloadHash: string;
  decoding: BodyDecoding;
}

/**
 * Decodes a request body in signed chunks before the proxy sends it to storage. Returns undefined for any other body.
 *
 * The client's key signed the chunks, so storage cannot verify them. Storage gets a plain body, or unsigned chunks if
 * there are trailers. Throws ServiceError `signature_mismatch`, `incomplete_body`, or an error about the chunks.
 *
 * The decoder sends the last block only after it has verified every signature. Storage knows the length of the body, so
 * it never stores an object from a request that fails.
 */
export function decodeChunkSignedBody(
  headers: HeaderFields,
  signature: PresentedSignature,
  signingKey: () => KeyObject,
): DecodedBody | undefined {
  const hasTrailers = trailerModes.get(signature.payload_hash ?? '');
  if (hasTrailers === undefined) return undefined;
  const decodedBytes = readDecodedLength(headers);
  const key = signingKey();
  const trailerNames = (headers['x-amz-trailer'] ?? '').split(',').map((name) => name.trim().toLowerCase());

  async function* verified(source: AsyncIterable<Uint8Array>, trailers: Map<string, string>) {
    const signatures = new ChunkSignatures(signature, key, hasTrailers === true);
    let block: Uint8Array[] = [];
    let heldBytes = 0;
    let receivedBytes = 0;
    for await (const piece of decodeAwsChunked(source, trailers, signatures)) {
      receivedBytes += piece.length;
      if (receivedBytes > decodedBytes) throw incompleteBody();
      if (heldBytes >= blockBytes) {
        yield Buffer.concat(block);
        block = [];
        heldBytes = 0;
      }
      block.push(piece);
      heldBytes += piece.length;
    }
    if (receivedBytes !== decodedBytes) throw incompleteBody();
    checkTrailers(trailers, trailerNames);
    if (heldBytes > 0) yield Buffer.concat(block);
  }

  if (!hasTrailers) {
    const decode = (source: AsyncIterable<Uint8Array>) => verified(source, new Map());
    const plain = withoutFraming(headers);
    return { headers: plain, payloadHash: 'UNSIGNED-PAYLOAD', decoding: { lengthBytes: decodedBytes, decode } };
  }
  async function* decode(source: AsyncIterable<Uint8Array>) {
    const trailers = new Map<string, string>();
    for await (const block of verified(source, trailers)) {
      yield Buffer.concat([Buffer.from(`${block.length.toString(16)}\r\n`), block, Buffer.from('\r\n')]);
    }
    yield Buffer.from(`0\r\n${[...trailers].map(([name, value]) => `${name}:${value}\r\n`).join('')}\r\n`);
  }
  return {
    headers: withoutLength(headers),
    payloadHash: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
    decoding: { lengthBytes: undefined, decode },
  };
}

function readDecodedLength(headers: HeaderFields): number {
  const text = headers['x-amz-decoded-content-length'];
  if (text !== undefined && /^\d{1,15}$/.test(text)) return Number(text);
  throw new ServiceError('invalid_request', 'A body in signed chunks needs the header x-amz-decoded-content-length.');
}

/**
 * Rejects trailers that the client did not announce, and trailers that are not ASCII. Such trailers could add headers
 * or data to the request that the proxy sends to storage.
 */
function checkTrailers(trailers: ReadonlyMap<string, string>, names: readonly string[]): void {
  for (const [name, value] of trailers) {
    if (!names.includes(name) || !/^[\x21-\x7e]+$/.test(value)) throw malformedTrailer();
  }
}

function withoutLength({ 'content-length': _framed, ...headers }: HeaderFields): HeaderFields {
  return headers;
}

function withoutFraming(headers: HeaderFields): HeaderFields {
  const {
    'content-encoding': encoding = '',
    'x-amz-decoded-content-length': _decoded,
    'x-amz-trailer': _trailer,
    ...others
  } = withoutLength(headers);
  const encodings = encoding.split(',').map((name) => name.trim());
  const left = encodings.filter((name) => name !== '' && name.toLowerCase() !== 'aws-chunked');
  return left.length === 0 ? others : { ...others, 'content-encoding': left.join(',') };
}
