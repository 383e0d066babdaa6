import type { IncomingMessage } from 'node:http';
import type { HeaderFields } from '../../domain/data/decision.ts';
import { encodedParameters } from '../../sigv4/canonical.ts';
import { splitTarget } from '../web-server.ts';
import { invalidArgument, ObjectStoreError } from './errors.ts';

export interface ObjectStoreRequest {
  method: string;
  /** The path of the request, percent-encoded as received. */
  rawPath: string;
  rawQuery: string;
  headers: HeaderFields;
  /** The decoded query parameters. A repeated parameter has its first value. */
  query: ReadonlyMap<string, string>;
  /** The bucket of the request. Empty if the request names no bucket. */
  bucket: string;
  /**
   * The object key of the request. Empty if the request names no object. The key has exactly the bytes in the path:
   * `..`, `//`, and `+` have no special meaning.
   */
  key: string;
}

/**
 * Parses a path-style request. The path is never resolved, because `a/../b` and `a//b` are different keys. Throws
 * InvalidURI.
 */
export function readRequest({ method = '', url, rawHeaders }: IncomingMessage): ObjectStoreRequest {
  const { rawPath, rawQuery } = splitTarget(url);
  if (!rawPath.startsWith('/')) throw invalidUri();
  const [, bucket = '', key = ''] = /^\/([^/]*)\/?(.*)$/s.exec(rawPath) ?? [];
  return {
    method,
    rawPath,
    rawQuery,
    headers: readHeaders(rawHeaders),
    query: readQuery(rawQuery),
    bucket: percentDecode(bucket),
    key: percentDecode(key),
  };
}

// Read the raw headers. Node drops repeated values of some headers, but the signature covers all values.
function readHeaders(rawHeaders: readonly string[]): HeaderFields {
  const headers = new Map<string, string>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? value : `${earlier},${value}`);
  }
  return Object.fromEntries(headers);
}

function readQuery(rawQuery: string): ReadonlyMap<string, string> {
  const query = new Map<string, string>();
  for (const [name, value] of encodedParameters(rawQuery).map((pair) => pair.map(percentDecode))) {
    if (name !== undefined && !query.has(name)) query.set(name, value ?? '');
  }
  return query;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes percent-encoding only, so a plus sign stays a plus sign. Throws InvalidURI for a `%` without two hexadecimal
 * digits, and for invalid UTF-8.
 */
export function percentDecode(raw: string): string {
  if (/%(?![0-9A-Fa-f]{2})/.test(raw)) throw invalidUri();
  const bytes = raw.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  try {
    return utf8.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    throw invalidUri();
  }
}

/**
 * Parses an integer in the query. Throws InvalidArgument for a text that is not an integer, and for a number outside
 * the limits.
 */
export function integerParameter(
  query: ReadonlyMap<string, string>,
  name: string,
  { fallback, min = 0, max = 2_147_483_647 }: { fallback: number; min?: number; max?: number },
): number {
  const text = query.get(name);
  if (text === undefined || text === '') return fallback;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : -1;
  if (value < min || value > max) {
    throw invalidArgument(`Argument ${name} must be an integer between ${min} and ${max}`, name, text);
  }
  return value;
}

function invalidUri(): ObjectStoreError {
  return new ObjectStoreError('InvalidURI', "Couldn't parse the specified URI.");
}
