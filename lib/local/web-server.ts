import http from 'node:http';
import https from 'node:https';

/** The certificate and key that a server shows, as PEM. */
export interface ServerCertificate {
  certificate: string;
  key: string;
}

/** A server that speaks https when it is given a certificate, and http otherwise. */
export function createWebServer(
  shown: ServerCertificate | undefined,
  options: http.ServerOptions,
  answer: http.RequestListener,
): http.Server | https.Server {
  if (shown === undefined) return http.createServer(options, answer);
  return https.createServer({ ...options, cert: shown.certificate, key: shown.key }, answer);
}

export function loopbackUrl(shown: ServerCertificate | undefined, port: number): string {
  return `${shown === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
}
