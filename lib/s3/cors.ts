import type { BufferedResponse, EdgeRequest, HeaderFields } from '../domain/data/decision.ts';
import { daySeconds } from '../domain/time.ts';

const methods = 'GET, HEAD, PUT, POST, DELETE';

/**
 * Browsers cache a preflight for up to their own maximum, which is two hours in Chromium. The response never changes.
 */
const preflightCachedSeconds = daySeconds;

/** Returns true for a browser's preflight (Fetch, "CORS-preflight fetch"). A preflight has no credentials. */
export function isPreflight({ method, headers }: Pick<EdgeRequest, 'method' | 'headers'>): boolean {
  return (
    method === 'OPTIONS' && headers['origin'] !== undefined && headers['access-control-request-method'] !== undefined
  );
}

/** Allows every method and header. The signature of the request that follows decides about access. */
export function answerPreflight({ headers, requestId }: Pick<EdgeRequest, 'headers' | 'requestId'>): BufferedResponse {
  const requested = headers['access-control-request-headers'] ?? '';
  // Lists each name: `*` does not include Authorization, and older browsers read it literally.
  const areNames = /^[\w!#$%&'*+.^`|~-]+(?: ?, ?[\w!#$%&'*+.^`|~-]+)*$/.test(requested);
  return {
    status: 204,
    headers: {
      'access-control-allow-methods': methods,
      ...(areNames ? { 'access-control-allow-headers': requested } : {}),
      'access-control-max-age': String(preflightCachedSeconds),
      vary: 'access-control-request-method, access-control-request-headers',
      'x-amz-request-id': requestId,
    },
    body: '',
  };
}

/**
 * Lets pages of every origin read a response and all its headers. This is safe, because a page gets nothing that its
 * author could not fetch without a browser. The proxy accepts no cookies and no client certificates, browsers do not
 * sign requests, and `*` forbids browser credentials.
 *
 * Every response has these headers. A browser may cache the response to a plain link and later return it to a page.
 */
export function withCorsHeaders(headers: HeaderFields): HeaderFields {
  return {
    ...headers,
    'access-control-allow-origin': '*',
    // CloudFront or the server adds Date. SDKs use it to correct the clock that they sign with.
    'access-control-expose-headers': [...Object.keys(headers), 'date'].join(', '),
  };
}
