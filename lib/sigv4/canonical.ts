import { hash } from 'node:crypto';
import type { HeaderFields } from '../domain/data/decision.ts';

/** The parts of a request that a signature covers. Text is as on the wire: one character for each byte. */
export interface SignableRequest {
  method: string;
  /** Percent-encoded as it came, with its leading slash. */
  rawPath: string;
  /** As it came, without `?`. */
  rawQuery: string;
  /** By lower-case name. */
  headers: HeaderFields;
}

export interface CanonicalOptions {
  signedHeaders: readonly string[];
  payloadHash: string;
  /** Resolve dot segments and drop empty ones, as every service but S3 does. */
  normalizePath: boolean;
}

/** Name and value, both strictly percent-encoded. */
export type EncodedParameter = readonly [name: string, value: string];

/** SHA-256 of the canonical request in lower-case hex (AWS Signature Version 4, "Create a canonical request"). */
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
 * The path decoded once and encoded strictly, `/` kept: clients differ in what they leave unencoded (`=`, `+`, `:`), and
 * AWS compares what the path means. S3 takes the rest literally, `//`, `.` and `..` too.
 */
export function canonicalPath(rawPath: string, normalize: boolean): string {
  const encoded = reencode(rawPath, path);
  return normalize ? resolveDotSegments(encoded) : encoded;
}

/** The query's parameters, sorted, without `X-Amz-Signature`, which cannot cover itself. */
export function canonicalQuery(rawQuery: string): string {
  if (rawQuery === '') return '';
  return encodedParameters(rawQuery)
    .filter(([name]) => name !== 'X-Amz-Signature')
    .sort(compareParameters)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/** Parameters in the order they came. A `+` is a plus: signing clients send a space as `%20` and sign it so. */
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

/** RFC 3986 unreserved characters stay, everything else becomes `%XX` of its UTF-8. */
export function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** A field's value; names come from clients, so that `constructor` must not find what every object inherits. */
export function headerValue(headers: HeaderFields, name: string): string | undefined {
  return Object.hasOwn(headers, name) ? headers[name] : undefined;
}

function reencodeComponent(raw: string): string {
  return reencode(raw, component);
}

/** Tables rather than rules for each byte: this runs several times for every request. */
interface Encoding {
  plain: RegExp;
  others: RegExp;
  ofBytes: readonly string[];
}

const component = encodingThatKeeps('A-Za-z0-9\\-._~');
const path = encodingThatKeeps('A-Za-z0-9\\-._~/');

function encodingThatKeeps(kept: string): Encoding {
  const plain = new RegExp(`^[${kept}]*$`);
  const ofBytes = Array.from({ length: 256 }, (_, byte) => {
    const character = String.fromCharCode(byte);
    return plain.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });
  return { plain, others: new RegExp(`%[0-9A-Fa-f]{2}|[^${kept}]`, 'gu'), ofBytes };
}

function reencode(raw: string, { plain, others, ofBytes }: Encoding): string {
  if (plain.test(raw)) return raw;
  return raw.replace(others, (match) => {
    // Nothing else that matches is three code units long.
    const bytes = match.length === 3 ? [Number.parseInt(match.slice(1), 16)] : wireBytes(match);
    let encoded = '';
    for (const byte of bytes) encoded += ofBytes[byte] ?? '';
    return encoded;
  });
}

// Node hands over header bytes as Latin-1 characters; text that holds others was decoded by someone and is UTF-8 again.
function wireBytes(text: string): Buffer {
  return Buffer.from(text, /[^\u0000-\u00ff]/.test(text) ? 'utf8' : 'latin1');
}

// Not \s: 0xA0 is no space here but the second byte of many a UTF-8 character.
function foldSpace(value: string): string {
  if (!/[\t\r\n]|^ | $| {2}/.test(value)) return value;
  return value.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '');
}

function resolveDotSegments(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  const resolved = `/${kept.join('/')}`;
  return kept.length > 0 && path.endsWith('/') ? `${resolved}/` : resolved;
}

function compareParameters([nameA, valueA]: EncodedParameter, [nameB, valueB]: EncodedParameter): number {
  if (nameA !== nameB) return nameA < nameB ? -1 : 1;
  if (valueA === valueB) return 0;
  return valueA < valueB ? -1 : 1;
}
