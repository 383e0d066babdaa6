import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { carriesServiceAccountKey } from '../domain/service-accounts/key-in-url.ts';
import { listenOnLoopback } from './ports.ts';

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

export interface StartedServer {
  /** Without a trailing slash. */
  url: string;
  port: number;
  /** Ends every connection. Settles when all are closed. */
  close(): Promise<void>;
}

/** Listens on 127.0.0.1, as `listenOnLoopback` does. */
export async function startServer(server: http.Server | https.Server, wanted: number, setting?: string) {
  const port = await listenOnLoopback(server, wanted, setting);
  const started: StartedServer = {
    url: `${server instanceof https.Server ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
  return started;
}

/** Splits a request target at its first question mark, without decoding. */
export function splitTarget(target = '/'): { rawPath: string; rawQuery: string } {
  const mark = target.indexOf('?');
  return mark < 0
    ? { rawPath: target, rawQuery: '' }
    : { rawPath: target.slice(0, mark), rawQuery: target.slice(mark + 1) };
}

/** A completed request, without its query and without headers that hold secrets. */
export interface AccessLogEntry {
  method: string;
  /** Percent-encoded, as received. A fixed text replaces a path with a service-account key. */
  path: string;
  status: number;
  duration_ms: number;
  /** Request id of a management request, as sent to the client. */
  request_id: string | undefined;
  /** Access key id that a signed or presigned request claims. */
  access_key_id: string | undefined;
}

const pathLengthMax = 200;

/** Reports a request when its response is complete or its client has gone. */
function reportWhenClosed(
  request: IncomingMessage,
  response: ServerResponse,
  onAccess: (answered: AccessLogEntry) => void,
): void {
  const startedAt = performance.now();
  const { method = '', url = '' } = request;
  response.once('close', () =>
    onAccess({
      method,
      path: shownPath(url),
      status: response.statusCode,
      duration_ms: Math.round(performance.now() - startedAt),
      request_id: response.getHeader('apigw-requestid')?.toString(),
      access_key_id: accessKeyIdOf(request),
    }),
  );
}

function shownPath(url: string): string {
  if (carriesServiceAccountKey(url)) return '(a URL with a key in it)';
  const [path = ''] = url.split('?');
  const visible = path.replace(/[^\x21-\x7e]/g, '?');
  return visible.length > pathLengthMax ? `${visible.slice(0, pathLengthMax)}…` : visible;
}

function accessKeyIdOf({ headers, url = '' }: IncomingMessage): string | undefined {
  const credential = /\bCredential=([A-Z0-9]{8,32})\//.exec(headers.authorization ?? '');
  return (credential ?? /[?&]X-Amz-Credential=([A-Z0-9]{8,32})(?:\/|%2F)/i.exec(url))?.[1];
}

/**
 * Reports whether a Host header names this machine.
 *
 * A web page can point its own host name at 127.0.0.1 and would then share an origin with a local server (DNS
 * rebinding). Only the Host header reveals that name.
 *
 * @param subdomains also allows `<name>.localhost`, which always resolves to this machine (RFC 6761, section 6.3)
 */
export function isLoopbackHost(host: string | undefined, { subdomains = false } = {}): boolean {
  if (host === undefined) return false;
  const name = host.toLowerCase().replace(/:\d{1,5}$/, '');
  if (name === '127.0.0.1' || name === 'localhost' || name === '[::1]') return true;
  return subdomains && /^[a-z0-9.-]+\.localhost$/.test(name);
}

/** Returns the origins under which a browser on this machine can have opened a page. */
export function originsOnThisMachine(url: string): string[] {
  return ['127.0.0.1', 'localhost'].map((host) => Object.assign(new URL(url), { hostname: host }).origin);
}

export const misdirectedSentence =
  'This server answers on this machine only: use 127.0.0.1 or localhost as the host of the URL.';

/** Reads the whole body. Returns undefined as soon as it is larger than allowed. */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += chunk.length;
    if (length > bytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
