import type { HeaderFields } from '../domain/data/decision.ts';
import { withCorsHeaders } from '../s3/cors.ts';

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
  return { ...answer, headers: withPolicy(answer.status, withCorsHeaders(answer.headers)) };
}
