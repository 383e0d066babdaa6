import middy, { type MiddlewareObj } from '@middy/core';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { carriesServiceAccountKey, keyInUrlMessage } from '../domain/service-accounts/key-in-url.ts';
import { htmlPageSchema, htmlType } from '../operations/html-page.ts';
import type { Operation, SignedBody } from '../operations/operation.ts';
import { accountIdOf, authenticateFor, type Credential } from './authenticate.ts';
import {
  createPipeline,
  type ManagementAnswer,
  type ManagementRequest,
  type PipelineServices,
  type Run,
} from './pipeline.ts';
import { problemResult, toServiceError } from './problem.ts';
import { readPreconditions } from './target-versions.ts';
import { validate } from './validate.ts';

/** The log line of one request. It contains no URL, headers, or body of the request. */
export interface RequestLogEntry {
  request_id: string;
  operation: string;
  caller_account_id: string | null;
  /** The type of credential: a user's session, an API key, or none. */
  caller_kind: Credential['kind'];
  status: number;
  duration_ms: number;
  /** The internal error behind a response with status 500 or 503. */
  cause?: unknown;
}

export interface ApiServices extends PipelineServices {
  log(entry: RequestLogEntry): void;
}

export type ApiHandler = (
  event: APIGatewayProxyEventV2,
  context: Context,
) => Promise<APIGatewayProxyStructuredResultV2>;

/** The Lambda context with the fields that the middlewares add. */
interface RequestContext extends Context {
  startedAt: number;
  credential: Credential;
  request: ManagementRequest;
}

type ApiMiddleware = MiddlewareObj<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Error, RequestContext>;

/**
 * Creates the Lambda handler of one operation, for API Gateway's HTTP API with payload format 2.0. The handler refuses,
 * in this order: a key in the URL, an invalid identity, a body that is too large, a body that is not JSON, and invalid
 * fields. Then the checks of the pipeline follow.
 */
export function createApiHandler<Op extends Operation, Services extends ApiServices>(
  operation: Op,
  run: Run<Op, Services>,
  services: Services,
): ApiHandler {
  const runPipeline = createPipeline(operation, run, services);
  const handler = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Error, RequestContext>()
    .use(requestLog(operation, services))
    .use(problems)
    .use(keysInUrl)
    .use(authentication(operation, services))
    .use(bodyParsing(operation))
    .use(validation(operation, services))
    .handler(async (event: APIGatewayProxyEventV2, { request }: RequestContext) => {
      const redirect = operation.kind === 'fallback' ? preflightOrRedirect(event) : undefined;
      return redirect ?? toResult(operation, await runPipeline(request));
    });
  // The type cast is safe, because the middlewares set the other fields.
  return (event, context) => handler(event, { ...context, credential: { kind: 'anonymous' } } as RequestContext);
}

/** Logs every request. This middleware is registered first, because the first middleware's `after` step runs last. */
function requestLog({ name }: Operation, services: ApiServices): ApiMiddleware {
  const log = ({ event, context, response, error }: Parameters<NonNullable<ApiMiddleware['after']>>[0]): void => {
    const { startedAt, credential } = context;
    services.log({
      request_id: event.requestContext.requestId,
      operation: name,
      caller_account_id: accountIdOf(credential) ?? null,
      caller_kind: credential.kind,
      status: response?.statusCode ?? 200,
      duration_ms: services.clock() - startedAt,
      ...(error?.cause === undefined ? {} : { cause: error.cause }),
    });
  };
  return {
    before: ({ context }) => {
      context.startedAt = services.clock();
    },
    after: log,
    onError: log,
  };
}

/** Converts every error to a problem document (RFC 9457). */
const problems: ApiMiddleware = {
  onError: (request) => {
    const refusal = toServiceError(request.error);
    request.error = refusal;
    request.response = problemResult(refusal, request.event.requestContext.requestId);
  },
};

const keysInUrl: ApiMiddleware = {
  before: ({ event: { rawPath, rawQueryString } }) => {
    if (carriesServiceAccountKey(`${rawPath}?${rawQueryString}`))
      throw new ServiceError('secret_in_url', keyInUrlMessage);
  },
};

function authentication(operation: Operation, services: ApiServices): ApiMiddleware {
  return {
    before: async ({ event, context }) => {
      context.credential = await authenticateFor(operation, event.headers['authorization'], services);
    },
  };
}

/** Refuses large bodies, and parses the body as JSON. A signed body stays as bytes. */
function bodyParsing({ signedBody, bodyBytesMax, body: schema }: Operation): ApiMiddleware[] {
  if (schema === undefined && signedBody === undefined) return [];
  const bytesMax = signedBody?.bytesMax ?? bodyBytesMax ?? limits.requestBodyBytesMax;
  const bodyLimit: ApiMiddleware = {
    before: ({ event: { body, isBase64Encoded } }) => {
      const bytes = body === undefined ? 0 : Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');
      if (bytes > bytesMax) throw new ServiceError('payload_too_large', `The body must be at most ${bytesMax} bytes`);
    },
  };
  if (schema === undefined) return [bodyLimit];
  const { before } = httpJsonBodyParser() as ApiMiddleware;
  const isOptional = schema.safeParse(undefined).success;
  return [bodyLimit, { before: (request) => (isOptional && !request.event.body ? undefined : before?.(request)) }];
}

function validation(operation: Operation, { clock }: ApiServices): ApiMiddleware {
  return {
    before: ({ event, context }) => {
      const { headers, pathParameters = {}, queryStringParameters = {}, rawPath: url } = event;
      context.request = {
        requestId: event.requestContext.requestId,
        credential: context.credential,
        now: clock(),
        url,
        idempotencyKey: headers['idempotency-key'],
        input: validate(operation, {
          path: pathParameters,
          query: queryStringParameters,
          body: readBody(operation, event),
        }),
        preconditions: readPreconditions(operation, headers),
      };
    },
  };
}

/** Returns the parsed JSON body. For an operation with a signed body, returns its bytes and headers. */
function readBody({ body, signedBody }: Operation, event: APIGatewayProxyEventV2): unknown {
  if (signedBody === undefined) return body && event.body;
  return {
    bytes: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
    headers: Object.fromEntries(signedBody.headers.map((name) => [name, event.headers[name]])),
  } satisfies SignedBody;
}

/**
 * Answers a CORS preflight request. Redirects a page URL that ends in a slash, because no route matches such a path.
 *
 * API Gateway answers a preflight only if no route matches, but the `ANY` route matches every request. Without a 2xx
 * response, a browser does not send the actual request. API Gateway adds the CORS headers for the configured origins.
 *
 * The redirect always stays on the same host. Its target starts with a single slash, and no browser reads the second
 * character as the start of another host.
 */
function preflightOrRedirect({
  headers,
  rawPath,
  rawQueryString,
  requestContext,
}: APIGatewayProxyEventV2): APIGatewayProxyStructuredResultV2 | undefined {
  const { method } = requestContext.http;
  if (method === 'OPTIONS' && headers['access-control-request-method'] !== undefined) return { statusCode: 204 };
  if ((method !== 'GET' && method !== 'HEAD') || rawPath.startsWith('/api/')) return undefined;
  if (!/^(?:\/[\w.~%-]+)+\/$/.test(rawPath)) return undefined;
  const location = rawPath.slice(0, -1) + (rawQueryString === '' ? '' : `?${rawQueryString}`);
  return { statusCode: 308, headers: { location, 'cache-control': 'no-store' } };
}

/** Renders the body as JSON, as a text of another media type, or as an HTML page with its own headers. */
function toResult(
  operation: Operation,
  { status, headers, body }: ManagementAnswer,
): APIGatewayProxyStructuredResultV2 {
  if (body === undefined) return { statusCode: status, headers };
  if (operation.mediaType !== undefined) {
    return { statusCode: status, headers: { 'content-type': operation.mediaType, ...headers }, body: String(body) };
  }
  if (operation.kind !== 'page') {
    const json = { 'content-type': 'application/json', ...headers };
    return { statusCode: status, headers: json, body: JSON.stringify(body) };
  }
  const page = htmlPageSchema.parse(body);
  const html = { 'content-type': htmlType, ...page.headers, ...headers };
  return { statusCode: page.status ?? status, headers: html, body: page.html };
}
