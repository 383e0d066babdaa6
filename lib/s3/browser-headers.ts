import type { BufferedResponse, EdgeRequest, HeaderFields } from '../domain/data/decision.ts';
import { daySeconds } from '../domain/time.ts';

const methods = 'GET, HEAD, PUT, POST, DELETE';

/**
 * The time for which browsers may cache the response to a preflight. It can be long, because the response never
 * changes. Browsers have their own maximum, which is two hours in Chromium.
 */
const preflightCachedSeconds = daySeconds;

/**
 * Returns true for a CORS preflight of a browser (Fetch, "CORS-preflight fetch"). A preflight contains no credentials.
 */
export function isPreflight({ method, headers }: Pick<EdgeRequest, 'method' | 'headers'>): boolean {
  return (
    method === 'OPTIONS' && headers['origin'] !== undefined && headers['access-control-request-method'] !== undefined
  );
}

/**
 * Answers a preflight. Allows every method and header, because the signature of the actual request decides about
 * access.
 */
export function answerPreflight({ headers, requestId }: Pick<EdgeRequest, 'headers' | 'requestId'>): BufferedResponse {
  const requested = headers['access-control-request-headers'] ?? '';
  // The response lists each requested header by name. `*` would not include Authorization, and older browsers read `*`
  // as the name of a header.
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
 * These headers let web pages of every origin read each response of the data proxy. A page gets nothing that its author
 * could not fetch without a browser. Browsers send no credentials with these headers, and the proxy accepts no cookies
 * and no client certificates.
 *
 * Every response has the headers, because a browser may cache the response to a plain link and later return it to a
 * page. They are constant, because CloudFront may answer with the headers of an earlier response.
 */
const cors = { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' };

/**
 * The Content Security Policy of objects. Anyone may upload objects, and all objects have the same origin. With this
 * policy, the browser treats each object as if it had an origin of its own: no scripts, no forms, no requests to other
 * hosts, and no access to other objects.
 */
const sandboxed = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'";

/**
 * The Content Security Policy of PDF files, without a sandbox. Browsers do not show a PDF in a sandbox, because they
 * treat their PDF viewer as a plug-in. The viewer runs the scripts of a PDF separately from the page.
 */
const forPdf = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'";

/**
 * Adds the Content Security Policy to every response that a browser can show, including errors. A 304 response gets no
 * policy: browsers would apply it to the cached response, and a 304 has no content type that identifies a PDF.
 */
export function withPolicy(status: number, headers: HeaderFields): HeaderFields {
  const nosniff = { 'x-content-type-options': 'nosniff' };
  if (status === 304) return { ...headers, ...nosniff };
  const policy = headers['content-type'] === 'application/pdf' ? forPdf : sandboxed;
  return { ...headers, ...nosniff, 'content-security-policy': policy };
}

/**
 * Adds the headers for browsers. With them, pages of every origin may read the response, and the browser shows the
 * response in a sandbox.
 */
export function forBrowsers<Answer extends { status: number; headers: HeaderFields }>(answer: Answer): Answer {
  return { ...answer, headers: withPolicy(answer.status, { ...answer.headers, ...cors }) };
}
