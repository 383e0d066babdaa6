import type { HeaderFields } from '../domain/data/decision.ts';
import { ServiceError } from '../domain/errors.ts';
import { encodedParameters, encodeStrictly } from '../sigv4/canonical.ts';

/** Decoded parameters by name. Decoding is the signature's, so that what is done is what was signed. */
export type Query = ReadonlyMap<string, string>;

/**
 * The parameters of a request, without `x-id` (a label of the AWS SDKs), and apart from them those that are headers:
 * clients put every `x-amz-` header into the query of a URL that they presign. Throws ServiceError `invalid_request` for
 * a repeated parameter (which of the two counts?), broken UTF-8, and a header value that is not visible ASCII.
 */
export function parseQuery(rawQuery: string): { query: Query; hoistedHeaders: HeaderFields } {
  const query = new Map<string, string>();
  const hoisted = new Map<string, string>();
  for (const [encodedName, encodedValue] of encodedParameters(rawQuery)) {
    const name = decodeUtf8(encodedName);
    const value = decodeUtf8(encodedValue);
    const isHeader = /^x-amz-/i.test(name);
    const [target, key] = isHeader ? [hoisted, name.toLowerCase()] : [query, name];
    if (target.has(key)) throw new ServiceError('invalid_request', 'A query parameter must not be given twice.');
    // A line break would add headers of the client's choice to the request that is signed anew.
    if (isHeader && !/^[a-z0-9-]+ [ -~]*$/.test(`${key} ${value}`)) {
      throw new ServiceError('invalid_request', 'A header in the query must consist of visible ASCII characters.');
    }
    target.set(key, value);
  }
  query.delete('x-id');
  return { query, hoistedHeaders: Object.fromEntries(hoisted) };
}

export function formatQuery(parameters: Iterable<readonly [name: string, value: string]>): string {
  return Array.from(parameters, ([name, value]) => `${encodeStrictly(name)}=${encodeStrictly(value)}`).join('&');
}

/** Text that was percent-encoded; throws ServiceError `invalid_request` when it is not UTF-8. */
export function decodeUtf8(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw new ServiceError('invalid_request', 'The path and the query must be UTF-8, percent-encoded.');
  }
}
