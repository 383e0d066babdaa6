import type { HeaderFields } from '../domain/data/decision.ts';
import { withCorsHeaders } from '../s3/cors.ts';

/**
 * Objects are what anybody uploaded, and all of them share one origin. In a browser they are shown without one: no
 * script, no form, no request of theirs to anywhere else, and nothing that others have stored here.
 */
const sandboxed = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'";

/** Browsers show no PDF in a sandbox: the viewer is a plug-in to them. What it runs, it runs apart from the page. */
const forPdf = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'";

/**
 * For every answer that can be shown in a browser, errors too. Not for 304: it has no type to tell a PDF by, and a
 * browser takes over its headers for what it cached.
 */
export function withPolicy(status: number, headers: HeaderFields): HeaderFields {
  const nosniff = { 'x-content-type-options': 'nosniff' };
  if (status === 304) return { ...headers, ...nosniff };
  const policy = headers['content-type'] === 'application/pdf' ? forPdf : sandboxed;
  return { ...headers, ...nosniff, 'content-security-policy': policy };
}

/** What an answer about objects carries for browsers: pages of every origin may read it, and it may do nothing itself. */
export function forBrowsers<Answer extends { status: number; headers: HeaderFields }>(answer: Answer): Answer {
  return { ...answer, headers: withPolicy(answer.status, withCorsHeaders(answer.headers)) };
}
