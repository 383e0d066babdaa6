import http from 'node:http';
import https from 'node:https';
import { type AnsweredRequest, whenAnswered } from './access-log.ts';

/** The certificate and key that a server shows, as PEM. */
export interface ServerCertificate {
  certificate: string;
  key: string;
}

/** Node's five seconds end connections that a busy client is about to use again, which it then takes for a failure. */
const keepAliveTimeout = 75_000;

/** A server that speaks https when it is given a certificate, and http otherwise. */
export function createWebServer(
  shown: ServerCertificate | undefined,
  {
    onAnswered,
    clock = Date.now,
    ...options
  }: http.ServerOptions & {
    onAnswered?: ((answered: AnsweredRequest) => void) | undefined;
    clock?: (() => number) | undefined;
  },
  answerRequest: http.RequestListener,
): http.Server | https.Server {
  const answer: http.RequestListener = (request, response) => {
    // Clients set their clocks by it. Node's own date is cheaper, and is of the machine.
    if (clock !== Date.now) response.setHeader('date', new Date(clock()).toUTCString());
    if (onAnswered !== undefined) whenAnswered(request, response, onAnswered);
    answerRequest(request, response);
  };
  if (shown === undefined) return http.createServer({ keepAliveTimeout, ...options }, answer);
  return https.createServer({ keepAliveTimeout, ...options, cert: shown.certificate, key: shown.key }, answer);
}

export function loopbackUrl(shown: ServerCertificate | undefined, port: number): string {
  return `${shown === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
}
