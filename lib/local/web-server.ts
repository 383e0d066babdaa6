import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { carriesServiceAccountKey } from '../domain/service-accounts/key-in-url.ts';
import { listenOnLoopback } from './ports.ts';

/** The certificate and key of a server, as PEM. */
export interface ServerCertificate {
  certificate: string;
  key: string;
}

/**
 * The time after which an idle connection is closed. Node's default is five seconds. A busy client may reuse a
 * connection at the very moment when it is closed, and would then report an error.
 */
const keepAliveTimeout = 75_000;

/** Creates an https server if there is a certificate, and otherwise an http server. */
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
    // Clients set their clock by the `Date` header. Without this line, Node would send the machine's time in it.
    if (clock !== Date.now) response.setHeader('date', new Date(clock()).toUTCString());
    if (onAccess !== undefined) reportWhenClosed(request, response, onAccess);
    respond(request, response);
  };
  if (shown === undefined) return http.createServer({ keepAliveTimeout, ...options }, answer);
  return https.createServer({ keepAliveTimeout, ...options, cert: shown.certificate, key: shown.key }, answer);
}

export interface StartedServer {
  /** The URL of the server, without a final slash. */
  url: string;
  port: number;
  /** Closes all connections of the server. Resolves when all of them are closed. */
  close(): Promise<void>;
}

/** Starts a server on 127.0.0.1. Throws the same errors as `listenOnLoopback`. */
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

/** Splits the target of a request at its first question mark, without decoding it. */
export function splitTarget(target = '/'): { rawPath: string; rawQuery: string } {
  const mark = target.indexOf('?');
  return mark < 0
    ? { rawPath: target, rawQuery: '' }
    : { rawPath: target.slice(0, mark), rawQuery: target.slice(mark + 1) };
}

/**
 * An entry of the access log: a completed request. It contains no query and no headers, because these may contain
 * secrets.
 */
export interface AccessLogEntry {
  method: string;
  /**
   * The path of the request, percent-encoded as received. If it contains a service account key, a fixed text replaces
   * it.
   */
  path: string;
  status: number;
  duration_ms: number;
  /** The request ID of a request to the management API. The response contains the same ID. */
  request_id: string | undefined;
  /** The access key ID in a signed or presigned request. The signature may be invalid. */
  access_key_id: string | undefined;
}

const pathLengthMax = 200;

/** Adds a request to the access log when its response is complete, or when the client has closed the connection. */
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
 * Reports whether a Host header contains a name of this machine.
 * The owner of a web page can let its own host name resolve to 127.0.0.1. The browser then allows the page to read from
 * a local server (DNS rebinding). Such a request can be recognized only by its Host header.
 *
 * @param subdomains also allows `<name>.localhost`, which always resolves to this machine (RFC 6761, section 6.3)
 */
export function isLoopbackHost(host: string | undefined, { subdomains = false } = {}): boolean {
  if (host === undefined) return false;
  const name = host.toLowerCase().replace(/:\d{1,5}$/, '');
  if (name === '127.0.0.1' || name === 'localhost' || name === '[::1]') return true;
  return subdomains && /^[a-z0-9.-]+\.localhost$/.test(name);
}

/** Returns the origins that this URL can have in a browser on this machine: one for each name of the loopback host. */
export function originsOnThisMachine(url: string): string[] {
  return ['127.0.0.1', 'localhost'].map((host) => Object.assign(new URL(url), { hostname: host }).origin);
}

export const misdirectedSentence =
  'This server answers on this machine only: use 127.0.0.1 or localhost as the host of the URL.';

/** Reads the complete body of a request. Returns undefined as soon as the body is larger than allowed. */
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
