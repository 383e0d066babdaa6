import http from 'node:http';
import https from 'node:https';
import { type AccessLogEntry, reportWhenClosed } from './access-log.ts';

/** Certificate and key of a server, as PEM. */
export interface ServerCertificate {
  certificate: string;
  key: string;
}

/**
 * Node's default of five seconds ends connections that a busy client is about to reuse, and the client reports a
 * failure.
 */
const keepAliveTimeout = 75_000;

/** Creates an https server when it gets a certificate, and an http server otherwise. */
export function createWebServer(
  shown: ServerCertificate | undefined,
  {
    onAccess,
    clock = Date.now,
    ...options
  }: http.ServerOptions & {
    onAccess?: ((answered: AccessLogEntry) => void) | undefined;
    clock?: (() => number) | undefined;
  },
  respond: http.RequestListener,
): http.Server | https.Server {
  const answer: http.RequestListener = (request, response) => {
    // Clients set their clocks by this header. Node's own date follows the machine.
    if (clock !== Date.now) response.setHeader('date', new Date(clock()).toUTCString());
    if (onAccess !== undefined) reportWhenClosed(request, response, onAccess);
    respond(request, response);
  };
  if (shown === undefined) return http.createServer({ keepAliveTimeout, ...options }, answer);
  return https.createServer({ keepAliveTimeout, ...options, cert: shown.certificate, key: shown.key }, answer);
}

export function loopbackUrl(shown: ServerCertificate | undefined, port: number): string {
  return `${shown === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
}
