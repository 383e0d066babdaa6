import middy from '@middy/core';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { carriesServiceAccountKey, keyInUrlMessage } from '../domain/service-accounts/key-in-url.ts';
import { htmlPageSchema, htmlType } from '../operations/html-page.ts';
import type { Operation, SignedBody } from '../operations/operation.ts';
import { accountIdOf, type Credential } from './authenticate.ts';
import { authenticateFor, type PipelineServices, type Run, runOperation } from './pipeline.ts';
import { type Problem, toProblem } from './problem.ts';

/** The log line of one request. No field contains the URL, headers, or body of the request. */
export interface RequestLogEntry {
  request_id: string;
  operation: string;
  caller_account_id: string | null;
  /** The kind of credential: a user's session, an API key, or none. */
  caller_kind: Credential['kind'];
  status: number;
  duration_ms: number;
  /** The internal error. Only responses with status 500 have one. */
  cause?: unknown;
}

export interface ApiServices extends PipelineServices {
  log(entry: RequestLogEntry): void;
}

export type ApiHandler = (
  event: APIGatewayProxyEventV2,
  context: Context,
) => Promise<APIGatewayProxyStructuredResultV2>;

/** State that the steps of one request share. It is middy's `internal`, which is new for each request. */
interface RequestState extends Record<string, unknown> {
  startedAt?: number;
  credential?: Credential;
}

/**
 * Creates the Lambda of one operation, for API Gateway's HTTP API with payload format 2.0. The order of refusals is: a
 * key in the URL, no identity, a body that is too large, a body that is not JSON, and then the pipeline's refusals.
 */
export function createApiHandler<Op extends Operation, Services extends ApiServices>(
  operation: Op,
  run: Run<Op, Services>,
  services: Services,
): ApiHandler {
  const bytesMax = operation.signedBody?.bytesMax ?? operation.bodyBytesMax ?? limits.requestBodyBytesMax;
  const takesBody = operation.body !== undefined || operation.signedBody !== undefined;

  const steps = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Error, Context, RequestState>();
  steps.before(({ internal }) => {
    internal.startedAt = services.clock();
  });
  steps.before(({ event }) => refuseKeyInUrl(event));
  steps.before(async ({ event, internal }) => {
    internal.credential = await authenticateFor(operation, event.headers['authorization'], services);
  });
  if (takesBody) steps.before(({ event }) => refuseLargeBody(event, bytesMax));
  if (operation.body !== undefined) steps.use(httpJsonBodyParser());
  // middy passes no state to its handler, so the operation runs as an `after` step. middy runs `after` steps in reverse
  // order, so `log` is registered first and runs last.
  steps.after((request) => log(request, request.response?.statusCode ?? 200));
  steps.after(async (request) => {
    request.response = await answer(request.event, request.internal.credential ?? anonymous);
  });
  steps.onError((request) => {
    const refusal = toServiceError(request.error);
    const problem = toProblem(refusal, request.event.requestContext.requestId);
    request.response = problemResult(problem, refusal.retryAfterSeconds);
    log(request, problem.status, refusal.cause);
  });
  return (event, context) => steps(event, context);

  async function answer(
    event: APIGatewayProxyEventV2,
    credential: Credential,
  ): Promise<APIGatewayProxyStructuredResultV2> {
    // API Gateway answers a preflight request only when no route matches, but the `ANY` route matches every request. A
    // browser stops without a 2xx response. API Gateway adds the CORS headers to this response for the configured
    // origins.
    if (operation.method === 'ANY' && isPreflight(event)) return { statusCode: 204 };
    const location = operation.method === 'ANY' ? withoutFinalSlash(event) : undefined;
    if (location !== undefined) return { statusCode: 308, headers: { location, 'cache-control': 'no-store' } };
    const { status, headers, body } = await runOperation(
      operation,
      run,
      {
        requestId: event.requestContext.requestId,
        credential,
        idempotencyKey: event.headers['idempotency-key'],
        preconditions: { ifMatch: event.headers['if-match'], ifNoneMatch: event.headers['if-none-match'] },
        path: event.pathParameters ?? {},
        query: event.queryStringParameters ?? {},
        body: bodyOf(operation, event),
        url: event.rawPath,
      },
      services,
    );
    const content = contentOf(operation, body);
    return { statusCode: status, ...content, headers: { ...content.headers, ...headers } };
  }

  function log(
    { event, internal }: { event: APIGatewayProxyEventV2; internal: RequestState },
    status: number,
    cause?: unknown,
  ) {
    const { startedAt, credential = anonymous } = internal;
    const now = services.clock();
    services.log({
      request_id: event.requestContext.requestId,
      operation: operation.name,
      caller_account_id: accountIdOf(credential) ?? null,
      caller_kind: credential.kind,
      status,
      duration_ms: now - (startedAt ?? now),
      ...(cause === undefined ? {} : { cause }),
    });
  }
}

function isPreflight({ headers, requestContext }: APIGatewayProxyEventV2): boolean {
  return requestContext.http.method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/**
 * Returns the redirect target of a page URL that ends in a slash, because no route matches such a path. The target is
 * always on the same host. It starts with one slash and a character that no browser reads as the start of another host.
 */
function withoutFinalSlash({ rawPath, rawQueryString, requestContext }: APIGatewayProxyEventV2): string | undefined {
  const { method } = requestContext.http;
  if ((method !== 'GET' && method !== 'HEAD') || rawPath.startsWith('/api/')) return undefined;
  if (!/^(?:\/[\w.~%-]+)+\/$/.test(rawPath)) return undefined;
  return rawPath.slice(0, -1) + (rawQueryString === '' ? '' : `?${rawQueryString}`);
}

const anonymous: Credential = { kind: 'anonymous' };

function refuseKeyInUrl({ rawPath, rawQueryString }: APIGatewayProxyEventV2): void {
  if (carriesServiceAccountKey(`${rawPath}?${rawQueryString}`))
    throw new ServiceError('secret_in_url', keyInUrlMessage);
}

function refuseLargeBody({ body, isBase64Encoded }: APIGatewayProxyEventV2, bytesMax: number): void {
  const bytes = body === undefined ? 0 : Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');
  if (bytes > bytesMax) throw new ServiceError('payload_too_large', `The body must be at most ${bytesMax} bytes`);
}

function bodyOf({ body, signedBody }: Operation, event: APIGatewayProxyEventV2): unknown {
  return signedBody === undefined ? body && event.body : readSignedBody(event, signedBody.headers);
}

function readSignedBody(event: APIGatewayProxyEventV2, names: readonly string[]): SignedBody {
  return {
    bytes: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
    headers: Object.fromEntries(names.map((name) => [name, event.headers[name]])),
  };
}

/** Returns the body as JSON, or as an HTML page with its own headers. */
function contentOf(
  operation: Operation,
  body: unknown,
): { statusCode?: number; headers: Record<string, string>; body?: string } {
  if (body === undefined) return { headers: {} };
  if (operation.kind !== 'page') return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const { html, headers, status } = htmlPageSchema.parse(body);
  return {
    ...(status === undefined ? {} : { statusCode: status }),
    headers: { 'content-type': htmlType, ...headers },
    body: html,
  };
}

function problemResult(problem: Problem, retryAfterSeconds: number | undefined): APIGatewayProxyStructuredResultV2 {
  return {
    statusCode: problem.status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...(problem.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    },
    body: JSON.stringify(problem),
  };
}

function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  // Errors of the JSON parser have the body in their cause. The body must not reach the response or the log.
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  if (status === 415) {
    return new ServiceError('unsupported_media_type', 'Send the body as JSON with "content-type: application/json"');
  }
  if (status === 422) return new ServiceError('body_malformed', 'The body is not valid JSON; check its syntax');
  return new ServiceError('internal', 'Internal error', { cause: error });
}
