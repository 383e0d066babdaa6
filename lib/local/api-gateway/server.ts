import type { IncomingMessage, ServerResponse } from 'node:http';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { RandomSource } from '../../domain/random.ts';
import type { Clock } from '../../domain/time.ts';
import {
  type AccessLogEntry,
  createWebServer,
  isLoopbackHost,
  misdirectedSentence,
  readBody,
  type ServerCertificate,
  type StartedServer,
  splitTarget,
  startServer,
} from '../web-server.ts';
import { buildEvent, type GatewayRequest } from './event.ts';
import { compileRoutes, type GatewayRoute, type RouteFinder } from './routes.ts';

interface GatewayOptions {
  port: number;
  /** The name of the setting for the port. If another process uses the port, the error message contains this name. */
  portSetting?: string;
  /** The certificate of the server. If it is present, the server uses https. */
  certificate?: ServerCertificate | undefined;
  onAccess?: ((answered: AccessLogEntry) => void) | undefined;
  routes: readonly GatewayRoute[];
  invoke: (name: string, event: APIGatewayProxyEventV2) => Promise<APIGatewayProxyStructuredResultV2>;
  cors?: GatewayCors;
  /** Returns a file that the distribution serves without the API. Returns undefined for all other requests. */
  serveFile?: (request: IncomingMessage) => Promise<Answer | undefined>;
  /** The distribution in front of the API. It answers a request from its cache, or forwards it to the API. */
  distribution?: (request: IncomingMessage, passOn: (passed: GatewayRequest) => Promise<Answer>) => Promise<Answer>;
  clock: Clock;
  random: RandomSource;
  /** Called with the error that a Lambda function threw. The client gets a plain 500 response. */
  onError: (name: string, error: unknown) => void;
  timeoutMs?: number;
}

export interface Answer {
  status: number;
  headers: ResponseHeaders;
  body: string | Buffer;
  /** The length of the response body that a HEAD response leaves out. */
  lengthBytes?: number | undefined;
}

/** Reads the whole request body. Returns undefined if the body is too large. */
type ReadWhole = () => Promise<Buffer | undefined>;

/** The quotas of API Gateway's HTTP APIs. */
const bodyBytesMax = 10 * 1024 * 1024;
const headBytesMax = 10_240;
const integrationTimeoutMs = 30_000;

class Gateway {
  readonly #options: GatewayOptions;
  readonly #findRoute: RouteFinder;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#findRoute = compileRoutes(options.routes);
  }

  async answer(request: IncomingMessage): Promise<Answer> {
    const { serveFile, distribution } = this.#options;
    const [host, ...otherHosts] = request.headersDistinct['host'] ?? [];
    if (otherHosts.length > 0 || !isLoopbackHost(host)) return message(421, misdirectedSentence);
    const file = await serveFile?.(request);
    if (file !== undefined) return file;
    const passOn = (passed: GatewayRequest) => this.#answerPassed(passed, () => readBody(request, bodyBytesMax));
    return distribution === undefined ? passOn(request) : distribution(request, passOn);
  }

  async #answerPassed(request: GatewayRequest, readWhole: ReadWhole): Promise<Answer> {
    const { cors } = this.#options;
    if (cors === undefined) return this.#answerRoute(request, readWhole);
    const origin = request.headersDistinct['origin']?.[0];
    const answered = await this.#answerRoute(request, readWhole);
    const headers = isPreflight(request)
      ? { ...answered.headers, ...preflightHeaders(cors, origin) }
      : applyCors(answered.headers, cors, origin);
    return { ...answered, headers };
  }

  async #answerRoute(request: GatewayRequest, readWhole: ReadWhole): Promise<Answer> {
    const { random, clock, invoke, onError, timeoutMs = integrationTimeoutMs } = this.#options;
    const match = this.#findRoute(request.method ?? '', splitTarget(request.url).rawPath);
    if (match === undefined) return message(404, 'Not Found');
    const body = await readWhole();
    if (body === undefined) return message(413, 'Request Entity Too Large');

    const requestId = random.uuid();
    let event: APIGatewayProxyEventV2;
    try {
      event = buildEvent({ request, match, body, requestId, now: clock() });
    } catch (error) {
      if (error instanceof URIError) return message(400, 'Bad Request');
      throw error;
    }
    const { promise: late, resolve: giveUp } = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => giveUp('late'), timeoutMs);
    try {
      const result = await Promise.race([invoke(match.route.name, event), late]);
      return result === 'late' ? message(503, 'Service Unavailable') : toAnswer(result, requestId);
    } catch (error) {
      onError(match.route.name, error);
      return message(500, 'Internal Server Error');
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * Starts an HTTP server on 127.0.0.1. It handles requests and results in the same way as an API Gateway HTTP API with
 * Lambda functions.
 */
export async function startGateway(options: GatewayOptions): Promise<StartedServer> {
  const { certificate, onAccess, clock, onError } = options;
  const gateway = new Gateway(options);
  const server = createWebServer(certificate, { maxHeaderSize: headBytesMax, onAccess, clock }, (request, response) => {
    gateway
      .answer(request)
      .then((answered) => send(request, response, answered))
      // Sending failed. Either the client has closed the connection, or the function returned a header that cannot be
      // sent.
      .catch((error) => {
        if (response.headersSent || request.socket.destroyed) return response.destroy();
        onError('gateway', error);
        send(request, response, message(500, 'Internal Server Error'));
      });
  });
  return startServer(server, options.port, options.portSetting);
}

function message(status: number, text: string): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ message: text }) };
}

function toAnswer(result: APIGatewayProxyStructuredResultV2, requestId: string): Answer {
  // In payload format 2.0, a result without a status code is itself the response body.
  if (result.statusCode === undefined) {
    return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(result) };
  }
  const { statusCode, headers = {}, cookies = [], body = '', isBase64Encoded = false } = result;
  const fields = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
  return {
    status: statusCode,
    headers: {
      ...Object.fromEntries(fields),
      ...(cookies.length === 0 ? {} : { 'set-cookie': cookies }),
      'apigw-requestid': requestId,
    },
    body: isBase64Encoded ? Buffer.from(body, 'base64') : body,
  };
}

function send(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  const { status, headers, body, lengthBytes = Buffer.byteLength(body) } = answer;
  // Read the rest of a refused request body and drop it. If the server closed the connection during the upload, the
  // client would lose the response.
  if (!request.complete) request.resume();
  const length = status === 204 || status === 304 ? {} : { 'content-length': lengthBytes };
  // Set the headers one by one, because the access log could not read headers that `writeHead` sets.
  for (const [name, value] of Object.entries({ ...headers, ...length })) response.setHeader(name, value);
  response.writeHead(status);
  response.end(body);
}

/** The CORS configuration of an HTTP API. With it, the default route answers preflight requests. */
export interface GatewayCors {
  origins: readonly string[];
  methods: readonly string[];
  headers: readonly string[];
  exposedHeaders: readonly string[];
  maxAgeSeconds: number;
}

export type ResponseHeaders = Record<string, string | string[]>;

function isPreflight({ method, headersDistinct }: GatewayRequest): boolean {
  const names = ['origin', 'access-control-request-method'];
  return method === 'OPTIONS' && names.every((name) => headersDistinct[name] !== undefined);
}

/**
 * Returns the headers of a preflight response. Returns no headers for an origin that is not allowed, so that the
 * browser refuses the request.
 */
function preflightHeaders(cors: GatewayCors, origin: string | undefined): ResponseHeaders {
  const allowed = originHeaders(cors, origin);
  if (Object.keys(allowed).length === 0) return {};
  return {
    ...allowed,
    'access-control-allow-methods': cors.methods.join(','),
    'access-control-allow-headers': cors.headers.join(','),
    'access-control-max-age': String(cors.maxAgeSeconds),
  };
}

/** Replaces the CORS headers that a function returned by the CORS headers of the gateway. */
function applyCors(headers: ResponseHeaders, cors: GatewayCors, origin: string | undefined): ResponseHeaders {
  const own = Object.entries(headers).filter(([name]) => !name.toLowerCase().startsWith('access-control-'));
  return {
    ...Object.fromEntries(own),
    ...originHeaders(cors, origin),
  };
}

function originHeaders(cors: GatewayCors, origin: string | undefined): ResponseHeaders {
  const everyone = cors.origins.includes('*');
  if (origin === undefined || !(everyone || cors.origins.includes(origin))) return {};
  return {
    'access-control-allow-origin': everyone ? '*' : origin,
    ...(everyone ? {} : { vary: 'origin' }),
    'access-control-expose-headers': cors.exposedHeaders.join(','),
  };
}
