import type { BufferedResponse, EdgeRequest, HeaderFields } from '../domain/data/decision.ts';
import { daySeconds } from '../domain/time.ts';

const methods = 'GET, HEAD, PUT, POST, DELETE';

/** Browsers keep a preflight for as long as they allow, two hours at most in Chromium; nothing in it ever changes. */
const preflightCachedSeconds = daySeconds;

/** Whether a browser asks what a page of another origin may send (Fetch, "CORS-preflight fetch"). It sends no credentials. */
export function isPreflight({ method, headers }: Pick<EdgeRequest, 'method' | 'headers'>): boolean {
  return (
    method === 'OPTIONS' && headers['origin'] !== undefined && headers['access-control-request-method'] !== undefined
  );
}

/** What pages may send here: everything, since what a request may do is in its signature. */
export function answerPreflight({ headers, requestId }: Pick<EdgeRequest, 'headers' | 'requestId'>): BufferedResponse {
  const requested = headers['access-control-request-headers'] ?? '';
  // Named one by one: a `*` does not stand for Authorization, and older browsers take it literally.
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
 * Lets pages of every origin read an answer, with all its headers. That gives a page nothing that its author could not
 * fetch without a browser: the proxy takes no cookie and no client certificate, browsers attach no signature by
 * themselves, and `*` forbids them to attach anything.
 *
 * It is on every answer, requested by a page or not: a browser that keeps an answer from a plain link shows it to pages too.
 */
export function withCorsHeaders(headers: HeaderFields): HeaderFields {
  return {
    ...headers,
    'access-control-allow-origin': '*',
    // Date is set on the way; SDKs correct the clock that they sign with by it.
    'access-control-expose-headers': [...Object.keys(headers), 'date'].join(', '),
  };
}
