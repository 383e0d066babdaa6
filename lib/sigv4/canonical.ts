import { hash } from 'node:crypto';
import type { HeaderFields } from '../domain/data/decision.ts';

/** The parts of a request that a signature covers. All text is as received, with one character for each byte. */
export interface SignableRequest {
  method: string;
  /** The percent-encoded path as received, with its leading slash. */
  rawPath: string;
  /** The query as received, without `?`. */
  rawQuery: string;
  /** Header values by lower-case name. */
  headers: HeaderFields;
}

export interface CanonicalOptions {
  signedHeaders: readonly string[];
  payloadHash: string;
  /** If true, resolves dot segments and removes empty segments in the path. Every AWS service except S3 does this. */
  normalizePath: boolean;
}

/** A name and a value in which everything except unreserved characters is percent-encoded. */
export type EncodedParameter = readonly [name: string, value: string];

/**
 * Returns the SHA-256 of the canonical request in lower-case hex (AWS Signature Version 4, "Create a canonical
 * request").
 */
export function hashCanonicalRequest(request: SignableRequest, options: CanonicalOptions): string {
  return hash('sha256', wireBytes(canonicalRequest(request, options)), 'hex');
}

export function canonicalRequest(request: SignableRequest, options: CanonicalOptions): string {
  let fields = '';
  for (const name of options.signedHeaders)
    fields += `${name}:${foldSpace(headerValue(request.headers, name) ?? '')}\n`;
  const encodedPath = canonicalPath(request.rawPath, options.normalizePath);
  const query = canonicalQuery(request.rawQuery);
  return `${request.method}\n${encodedPath}\n${query}\n${fields}\n${options.signedHeaders.join(';')}\n${options.payloadHash}`;
}

/**
 * Decodes the path once, and then percent-encodes everything except unreserved characters and `/`. AWS compares the
 * decoded path, and clients leave different characters unencoded (`=`, `+`, `:`). Without `normalize`, keeps `//`, `.`,
 * and `..` unchanged, as S3 does.
 */
export function canonicalPath(rawPath: string, normalize: boolean): string {
  const encoded = reencode(rawPath, path);
  return normalize ? resolveDotSegments(encoded) : encoded;
}

/** Returns the sorted query parameters. Leaves out `X-Amz-Signature`, because a signature cannot cover itself. */
function canonicalQuery(rawQuery: string): string {
  // Sort by names, then by values. A space sorts before every character of an encoded name, but `=` does not.
  return encodedParameters(rawQuery)
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${name} ${value}`)
    .sort()
    .join('&')
    .replaceAll(' ', '=');
}

/**
 * Returns the parameters in their original order. A `+` means a plus sign, because clients that sign encode a space as
 * `%20`.
 */
export function encodedParameters(rawQuery: string): EncodedParameter[] {
  const parameters: EncodedParameter[] = [];
  for (const part of rawQuery.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = equals < 0 ? part : part.slice(0, equals);
    parameters.push([reencodeComponent(name), equals < 0 ? '' : reencodeComponent(part.slice(equals + 1))]);
  }
  return parameters;
}

/** Percent-encodes the UTF-8 bytes of all characters except the unreserved characters of RFC 3986. */
export function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Returns the value of a header. Checks for an own property, because clients choose header names, and the name
 * `constructor` would find an inherited property.
 */
export function headerValue(headers: HeaderFields, name: string): string | undefined {
  return Object.hasOwn(headers, name) ? headers[name] : undefined;
}

function reencodeComponent(raw: string): string {
  return reencode(raw, component);
}

/** Precomputed data for percent-encoding, because this code runs several times for every request. */
interface Encoding {
  plain: RegExp;
  others: RegExp;
  ofBytes: readonly string[];
}

const component = encodingExcept('A-Za-z0-9\\-._~');
const path = encodingExcept('A-Za-z0-9\\-._~/');

function encodingExcept(plainCharacters: string): Encoding {
  const plain = new RegExp(`^[${plainCharacters}]*$`);
  const ofBytes = Array.from({ length: 256 }, (_, byte) => {
    const character = String.fromCharCode(byte);
    return plain.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });
  return { plain, others: new RegExp(`%[0-9A-Fa-f]{2}|[^${plainCharacters}]`, 'gu'), ofBytes };
}

function reencode(raw: string, { plain, others, ofBytes }: Encoding): string {
  if (plain.test(raw)) return raw;
  return raw.replace(others, (match) => {
    // A match of three code units is a percent-escape, because no other match has this length.
    const bytes = match.length === 3 ? [Number.parseInt(match.slice(1), 16)] : wireBytes(match);
    let encoded = '';
    for (const byte of bytes) encoded += ofBytes[byte] ?? '';
    return encoded;
  });
}

// Converts text back to its bytes. Node returns header bytes as Latin-1 characters. Text with other characters is
// already decoded, so its bytes are UTF-8.
function wireBytes(text: string): Buffer {
  return Buffer.from(text, /[^\u0000-\u00ff]/.test(text) ? 'utf8' : 'latin1');
}

// Removes white space at both ends, and replaces each run of white space by one space. The pattern is not \s, because
// \s matches 0xA0. In a Latin-1 text, 0xA0 is the second byte of many UTF-8 characters, and not a space.
function foldSpace(value: string): string {
  if (!/[\t\r\n]|^ | $| {2}/.test(value)) return value;
  return value.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '');
}

function resolveDotSegments(path: string): string {
  const resolvedSegments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') resolvedSegments.pop();
    else if (segment !== '' && segment !== '.') resolvedSegments.push(segment);
  }
  const resolved = `/${resolvedSegments.join('/')}`;
  return resolvedSegments.length > 0 && path.endsWith('/') ? `${resolved}/` : resolved;
}
