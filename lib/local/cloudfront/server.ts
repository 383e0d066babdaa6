import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import https from 'node:https';
import type { CloudFrontHeaders, CloudFrontResponse } from 'aws-lambda';
import type { BodyDecoding } from '../../domain/data/decision.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { RandomSource } from '../../domain/random.ts';
import { carriesServiceAccountKey } from '../../domain/service-accounts/key-in-url.ts';
import { type Clock, toTimestamp } from '../../domain/time.ts';
import type { LogLine } from '../../domain/usage/log-records.ts';
import { toCloudFrontHeaders } from '../../edge/cloudfront-events.ts';
import type { ViewerSettings } from '../../edge/viewer/events.ts';
import { forBrowsers, withPolicy } from '../../s3/browser-headers.ts';
import { renderError } from '../../s3/errors.ts';
import {
  type AccessLogEntry,
  createWebServer,
  type ServerCertificate,
  type StartedServer,
  splitTarget,
  startServer,
} from '../web-server.ts';
import type { ViewerResponse } from './cache/cached-responses.ts';
import { type Arrived, ObjectCache } from './cache/object-cache.ts';
import { EdgeFailure, renderFailure } from './edge-failure.ts';
import { toNodeHeaders, visibleHeaders } from './event-headers.ts';
import {
  buildRequestEvent,
  buildResponseEvent,
  checkGeneratedResponse,
  checkRequestResult,
  checkResponseResult,
  type EventContext,
  type FunctionResponse,
  type OriginBoundRequest,
  type OriginRequestFunction,
  type OriginResponseFunction,
  readOnlyInRequest,
  readOnlyInResponse,
  runFunction,
} from './functions.ts';
import { decodedBody, type IncludedBody, includeBody, noBody } from './included-body.ts';
import { OriginAgent, type OriginAgents, type OriginResponse, sendToOrigin, writeBody } from './origin.ts';
import { createViewerFunctions, type ViewerFunctions } from './viewer-functions.ts';
import { readViewerRequest, type ViewerRequest, withEdgeHeaders } from './viewer-request.ts';

export interface EdgeOptions {
  port: number;
  /** The name of the setting for the port. If another process uses the port, the error message contains this name. */
  portSetting?: string;
  /** The certificate of the server. If it is present, the server uses https. */
  certificate?: ServerCertificate | undefined;
  onAccess?: ((answered: AccessLogEntry) => void) | undefined;
  /** Called with a line of the distribution's access log for each request. */
  onLogged?: ((line: LogLine) => void) | undefined;
  handlers: {
    exchangeCredentials: OriginRequestFunction;
    serveObject: OriginRequestFunction;
    shapeResponse: OriginResponseFunction;
  };
  viewerSettings?: ViewerSettings | undefined;
  /** The distribution's domain name in events. The default is 127.0.0.1 with the port. */
  distributionDomainName?: string;
  random: RandomSource;
  /** The clock of the cache. */
  clock?: Clock;
  /** Called with the cause of a 5xx response. The response itself does not contain the cause. */
  onError: (error: unknown) => void;
  functionTimeoutMs?: number;
  /** Returns a function that decodes the body of the request with this ID. Real CloudFront has no such feature. */
  takeDecoding?: (requestId: string) => BodyDecoding | undefined;
}

export interface Edge extends StartedServer {
  /** The cache of responses. Tests and the invalidation queue invalidate its entries. */
  cache: ObjectCache;
}

const headBytesMax = 20_480;
const includedBytesMax = 1024 * 1024;
const idleTimeoutMs = 600_000;

/** Runs the edge functions before and after an origin and streams bodies, as a CloudFront distribution does. */
class Distribution {
  readonly cache: ObjectCache;
  /** The domain name in events. */
  domainName: string;
  readonly #options: EdgeOptions;
  readonly #functionTimeoutMs: number;
  readonly #agents: OriginAgents = {
    http: new OriginAgent({ keepAlive: true }),
    https: new https.Agent({ keepAlive: true }),
  };
  readonly #viewerFunctions: ViewerFunctions;

  constructor(options: EdgeOptions) {
    this.#options = options;
    this.#functionTimeoutMs = options.functionTimeoutMs ?? 30_000;
    this.#viewerFunctions = createViewerFunctions(options.viewerSettings ?? {});
    this.cache = new ObjectCache({ clock: options.clock ?? Date.now });
    this.domainName = options.distributionDomainName ?? '';
  }

  async serve(viewer: IncomingMessage, response: ServerResponse, requestId: string): Promise<void> {
    const context = { requestId, distributionDomainName: this.domainName };
    const received = readViewerRequest(viewer);
    const isHealth = received.rawPath === '/.health' && !carriesServiceAccountKey(received.rawQuery);
    if (isHealth) return sendAnswer(response, health, context);
    const isExchange = received.rawPath === '/.sts' || received.rawPath === '/.sts/';
    const request = this.#viewerFunctions.onRequest(received, isExchange ? 'exchange' : 'objects', requestId);
    if ('status' in request) return sendAnswer(response, request, context);
    const mayBeExchange = request.method === 'POST' && request.rawPath === '/' && request.rawQuery === '';
    // AWS STS sends this header. In a deployment, the response has the ID only in `x-amz-request-id`, because
    // CloudFront does not let functions set this header.
    if (isExchange || mayBeExchange) response.setHeader('x-amzn-requestid', requestId);
    const handler = isExchange ? this.#options.handlers.exchangeCredentials : this.#options.handlers.serveObject;

    // If the response was sent before the upload has ended, read the rest of the upload and drop it. If the server
    // closed the connection during the upload, the client would lose the response.
    if (request.hasBody) response.once('finish', () => viewer.resume());
    const body = request.hasBody ? await includeBody(viewer, includedBytesMax) : noBody;
    const requestOrigin = (requested: ViewerRequest) =>
      this.#runFunctions(handler, withEdgeHeaders(requested), body, { context, viewer, response });
    const isCacheable = !isExchange && (request.method === 'GET' || request.method === 'HEAD');
    const { answer, origin } = await (isCacheable ? this.cache.serve(request, requestOrigin) : requestOrigin(request));
    const headers = isExchange ? answer.headers : this.#viewerFunctions.onResponse(answer.status, answer.headers);
    if (origin === undefined) return sendAnswer(response, { ...answer, headers }, context);
    try {
      // The headers are sent only with the first byte of the body. Before that, an error response can still be sent
      // instead.
      await writeBody(response, origin.body, () => writeHead(response, answer.status, headers, context));
    } finally {
      origin.discard();
    }
  }

  /** Runs the edge functions. Returns their response and, if they forwarded the request, the origin's response. */
  async #runFunctions(
    handler: OriginRequestFunction,
    request: ViewerRequest,
    body: IncludedBody,
    { context, viewer, response }: { context: EventContext; viewer: IncomingMessage; response: ServerResponse },
  ): Promise<Arrived> {
    const outcome = await this.#runRequestFunction(handler, request, body, context);
    if ('status' in outcome) return { answer: outcome };
    const { requestId } = context;
    const sent = decodeOnTheWay(outcome, body, this.#options.takeDecoding?.(requestId));
    const exchange = { ...sent, requestId, viewer, response };
    const origin = await sendToOrigin(exchange, this.#agents);
    try {
      const answer = await this.#runResponseFunction(outcome, origin, context);
      if (answer.body === undefined) return { answer, origin };
      origin.discard();
      return { answer };
    } catch (failure) {
      origin.discard();
      throw failure;
    }
  }

  async #runRequestFunction(
    handler: OriginRequestFunction,
    viewer: ViewerRequest,
    body: IncludedBody,
    context: EventContext,
  ): Promise<OriginBoundRequest | FunctionResponse> {
    const given = readOnlyInRequest(viewer.method, viewer.headers);
    const event = buildRequestEvent(viewer, body, context);
    const result = await runFunction(handler, event, this.#functionTimeoutMs);
    return 'uri' in result ? checkRequestResult(result, given) : checkGeneratedResponse(result);
  }

  async #runResponseFunction(
    { request }: OriginBoundRequest,
    { status, rawHeaders }: OriginResponse,
    context: EventContext,
  ): Promise<FunctionResponse> {
    const response: CloudFrontResponse = {
      status: String(status),
      statusDescription: STATUS_CODES[status] ?? '',
      headers: visibleHeaders(rawHeaders),
    };
    const given = readOnlyInResponse(request.method, response.headers);
    const event = buildResponseEvent(request, response, context);
    const result = await runFunction(this.#options.handlers.shapeResponse, event, this.#functionTimeoutMs);
    return checkResponseResult(result, given);
  }

  fail(error: unknown, viewer: IncomingMessage, response: ServerResponse, requestId: string): void {
    // A part of the response was already sent. Destroy the connection, because a normal end would make the client
    // believe that the response is complete.
    if (response.headersSent || viewer.socket.destroyed) {
      response.destroy();
      return;
    }
    if (error instanceof ServiceError) {
      const { method = '' } = viewer;
      const refusal = forBrowsers(renderError(error, { method, resource: '', requestId }));
      const shown = toCloudFrontHeaders(refusal.headers);
      sendAnswer(response, { ...refusal, headers: shown, body: Buffer.from(refusal.body) }, { requestId });
      return;
    }
    const failure =
      error instanceof EdgeFailure
        ? error
        : new EdgeFailure(500, 'InternalError', 'The local edge failed.', { cause: error });
    if (failure.status >= 500) this.#options.onError(error);
    const headers = toCloudFrontHeaders(withPolicy(failure.status, { 'content-type': 'application/xml' }));
    const body = Buffer.from(renderFailure(failure, requestId));
    sendAnswer(response, { status: failure.status, headers, body }, { requestId });
  }

  close(): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }
}

/** Starts an HTTP server on 127.0.0.1 that passes requests to a distribution. */
export async function startEdge(options: EdgeOptions): Promise<Edge> {
  const { random, onAccess, clock, certificate } = options;
  const distribution = new Distribution(options);
  // Creates request IDs of the same form as CloudFront's.
  const nextRequestId = () => Buffer.from(random.bytes(42)).toString('base64url');
  const server = createWebServer(
    certificate,
    // Limit the time for the request headers only, because an upload may take any time.
    { maxHeaderSize: headBytesMax, requestTimeout: 0, headersTimeout: 30_000, onAccess, clock },
    (viewer, response) => {
      const requestId = nextRequestId();
      if (options.onLogged !== undefined) logWhenClosed(viewer, response, { requestId, ...options });
      distribution
        .serve(viewer, response, requestId)
        .catch((error) => distribution.fail(error, viewer, response, requestId));
    },
  );
  server.on('checkExpectation', (viewer: IncomingMessage, response: ServerResponse) => {
    // Treat an empty `Expect` header like a missing one.
    if (viewer.headers.expect === '') server.emit('request', viewer, response);
    else distribution.fail(unknownExpectation(), viewer, response, nextRequestId());
  });
  server.setTimeout(idleTimeoutMs);
  const started = await startServer(server, options.port, options.portSetting);
  distribution.domainName ||= `127.0.0.1:${started.port}`;
  return {
    ...started,
    cache: distribution.cache,
    async close() {
      await started.close();
      distribution.close();
    },
  };
}

/**
 * Adds the line of a request to the access log when its response is complete, or when the client has closed the
 * connection.
 */
function logWhenClosed(
  { method = '', url, headers, socket }: IncomingMessage,
  response: ServerResponse,
  { requestId, clock = Date.now, onLogged }: Pick<EdgeOptions, 'clock' | 'onLogged'> & { requestId: string },
): void {
  const [bytesBefore, startedAt] = [socket.bytesWritten, clock()];
  const agent = encodeURI(headers['user-agent'] ?? '-');
  response.once('close', () => {
    const [date, time] = toTimestamp(startedAt).split('T') as [string, string];
    onLogged?.({
      date,
      time: time.slice(0, 8),
      x_edge_location: '-',
      sc_bytes: String(socket.bytesWritten - bytesBefore),
      c_ip: socket.remoteAddress ?? '-',
      cs_method: method,
      x_host_header: (headers.host ?? '-').replace(/:\d+$/, ''),
      cs_uri_stem: splitTarget(url).rawPath,
      sc_status: String(response.statusCode),
      cs_user_agent: agent,
      x_edge_result_type: '-',
      x_edge_request_id: requestId,
      time_taken: ((clock() - startedAt) / 1000).toFixed(3),
      sc_range_start: '-',
      sc_range_end: '-',
      c_country: '-',
    });
  });
}

function decodeOnTheWay(
  outcome: OriginBoundRequest,
  body: IncludedBody,
  decoding: BodyDecoding | undefined,
): OriginBoundRequest & { body: IncludedBody } {
  if (decoding === undefined) return { ...outcome, body };
  const { 'content-length': _framed, 'transfer-encoding': _framing, ...headers } = outcome.request.headers;
  if (decoding.lengthBytes !== undefined) {
    headers['content-length'] = [{ key: 'content-length', value: String(decoding.lengthBytes) }];
  }
  return { ...outcome, request: { ...outcome.request, headers }, body: decodedBody(body, decoding) };
}

function unknownExpectation(): EdgeFailure {
  const sentence = 'The header Expect has an unknown value; send 100-continue, or leave the header out.';
  return new EdgeFailure(417, 'ExpectationFailed', sentence);
}

const health: FunctionResponse = {
  status: 200,
  headers: { 'content-type': [{ value: 'application/json' }], 'cache-control': [{ value: 'no-store' }] },
  body: Buffer.from('{"status":"ok"}'),
};

type Ids = Pick<EventContext, 'requestId'>;

function sendAnswer(response: ServerResponse, answer: ViewerResponse, ids: Ids): void {
  const { status, headers, body, lengthBytes = body?.length ?? 0 } = answer;
  const hasLength = status !== 204 && status !== 304;
  const length = hasLength ? { 'content-length': [{ value: String(lengthBytes) }] } : {};
  writeHead(response, status, { ...headers, ...length }, ids);
  response.end(body);
}

function writeHead(response: ServerResponse, status: number, headers: CloudFrontHeaders, { requestId }: Ids): void {
  const { 'transfer-encoding': _framing, ...fields } = headers;
  response.writeHead(status, toNodeHeaders({ ...fields, 'x-amz-cf-id': [{ value: requestId }] }));
}
