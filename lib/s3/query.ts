import type { HeaderFields } from '../domain/data/decision.ts';
import { ServiceError } from '../domain/errors.ts';
import { encodedParameters, encodeStrictly } from '../sigv4/canonical.ts';

/** Decoded parameters by name. The signature check decodes them in the same way, so both see the same request. */
export type Query = ReadonlyMap<string, string>;

/**
 * Parses the query. Leaves out `x-id`, a label of the AWS SDKs, and returns `x-amz-` parameters as headers, because
 * clients move these headers into the query of a presigned URL.
 *
 * Throws ServiceError `invalid_request` for a repeated parameter, broken UTF-8, and a header value that is not visible
 * ASCII. With a repeated parameter, the proxy and storage might use different values.
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
    // A line break would let the client add headers to the request that the proxy signs.
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

/** Decodes percent-encoded text. Throws ServiceError `invalid_request` when it is not UTF-8. */
export function decodeUtf8(encoded: string): string {
  return decodeOrUndefined(encoded) ?? notUtf8();
}

/** Returns undefined for percent-encoded text that is not UTF-8. */
export function decodeOrUndefined(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

export function notUtf8(): never {
  throw new ServiceError('invalid_request', 'The path and the query must be UTF-8, percent-encoded.');
}
