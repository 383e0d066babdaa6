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
 * They are constant, because CloudFront answers ranges and refreshed objects with the headers of an earlier response.
 */
const cors = { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' };

/**
 * Anyone may upload objects, and all objects share one origin. This policy gives each object an origin of its own in a
 * browser: no scripts, no forms, no requests to other hosts, and no access to other objects.
 */
const sandboxed = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'";

/**
 * Browsers do not show a PDF in a sandbox, because their viewer counts as a plug-in. The viewer runs scripts of the PDF
 * separately from the page.
 */
const forPdf = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'";

/**
 * Adds the policy to every response that a browser can show, including errors. A 304 gets no policy: it has no content
 * type to identify a PDF, and browsers apply its headers to the cached response.
 */
export function withPolicy(status: number, headers: HeaderFields): HeaderFields {
  const nosniff = { 'x-content-type-options': 'nosniff' };
  if (status === 304) return { ...headers, ...nosniff };
  const policy = headers['content-type'] === 'application/pdf' ? forPdf : sandboxed;
  return { ...headers, ...nosniff, 'content-security-policy': policy };
}

/** Adds the headers for browsers: pages of every origin may read the response, and the response itself is sandboxed. */
export function forBrowsers<Answer extends { status: number; headers: HeaderFields }>(answer: Answer): Answer {
  return { ...answer, headers: withPolicy(answer.status, { ...answer.headers, ...cors }) };
}
