import { hash } from 'node:crypto';
import type { HeaderFields } from '../domain/data/decision.ts';

/** The parts of a request that a signature covers. Text is as received: one character for each byte. */
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
  /** True to resolve dot segments and drop empty ones, as every service except S3 does. */
  normalizePath: boolean;
}

/** A strictly percent-encoded name and value. */
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
 * Decodes the path once and encodes it strictly, except for `/`. Clients leave different characters unencoded (`=`,
 * `+`, `:`), and AWS compares the decoded path. S3 takes `//`, `.`, and `..` literally.
 */
export function canonicalPath(rawPath: string, normalize: boolean): string {
  const encoded = reencode(rawPath, path);
  return normalize ? resolveDotSegments(encoded) : encoded;
}

/** Returns the sorted parameters without `X-Amz-Signature`, which cannot cover itself. */
function canonicalQuery(rawQuery: string): string {
  if (rawQuery === '') return '';
  return encodedParameters(rawQuery)
    .filter(([name]) => name !== 'X-Amz-Signature')
    .sort(compareParameters)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/** Returns the parameters in their original order. A `+` is a plus, because signing clients encode a space as `%20`. */
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

/** Encodes everything except RFC 3986 unreserved characters as `%XX` of its UTF-8. */
export function encodeStrictly(text: string): string {
  const encoded = encodeURIComponent(text);
  if (!/[!'()*]/.test(encoded)) return encoded;
  return encoded
    .replaceAll('!', '%21')
    .replaceAll("'", '%27')
    .replaceAll('(', '%28')
    .replaceAll(')', '%29')
    .replaceAll('*', '%2A');
}

/** Returns a header's value. Clients choose the names, so `constructor` must not find an inherited property. */
export function headerValue(headers: HeaderFields, name: string): string | undefined {
  return Object.hasOwn(headers, name) ? headers[name] : undefined;
}

function reencodeComponent(raw: string): string {
  return reencode(raw, component);
}

/** Precomputed tables, because this code runs several times for every request. */
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
    // No other match has three code units.
    const bytes = match.length === 3 ? [Number.parseInt(match.slice(1), 16)] : wireBytes(match);
    let encoded = '';
    for (const byte of bytes) encoded += ofBytes[byte] ?? '';
    return encoded;
  });
}

// Node returns header bytes as Latin-1 characters. Text with other characters is already decoded and is encoded as
// UTF-8.
function wireBytes(text: string): Buffer {
  return Buffer.from(text, /[^\u0000-\u00ff]/.test(text) ? 'utf8' : 'latin1');
}

// Does not use \s, because 0xA0 is not a space here. It is the second byte of many UTF-8 characters.
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

function compareParameters([nameA, valueA]: EncodedParameter, [nameB, valueB]: EncodedParameter): number {
  if (nameA !== nameB) return nameA < nameB ? -1 : 1;
  if (valueA === valueB) return 0;
  return valueA < valueB ? -1 : 1;
}
