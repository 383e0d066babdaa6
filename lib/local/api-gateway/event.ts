import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { splitTarget } from '../web-server.ts';
import type { RouteMatch } from './routes.ts';

/** A request to the API, as the viewer sent it or as the distribution forwards it. */
export type GatewayRequest = Pick<IncomingMessage, 'method' | 'url' | 'headersDistinct' | 'httpVersion' | 'socket'>;

interface EventParts {
  request: GatewayRequest;
  match: RouteMatch;
  body: Buffer;
  requestId: string;
  /** Milliseconds since the Unix epoch. */
  now: number;
}

/**
 * Builds an event in API Gateway's payload format 2.0. Despite its name, `rawPath` is percent-decoded. The query string
 * is not.
 *
 * @throws URIError for an invalid percent-encoding in path or query
 */
export function buildEvent({ request, match, body, requestId, now }: EventParts): APIGatewayProxyEventV2 {
  const { rawPath, rawQuery } = splitTarget(request.url);
  const path = decodeURIComponent(rawPath);
  const query = readQuery(rawQuery);
  const parameters = Object.entries(match.parameters).map(
    ([name, value]) => [name, decodeURIComponent(value)] as const,
  );
  const host = request.headersDistinct['host']?.[0] ?? '';
  const sourceIp = request.socket.remoteAddress ?? '';
  const routeKey = match.route.path === '$default' ? '$default' : `${match.route.method} ${match.route.path}`;
  const cookies = request.headersDistinct['cookie']?.flatMap((field) => field.split(/;\s*/));
  const isText = isTextType(request.headersDistinct['content-type']?.[0]);
  return {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString: rawQuery,
    ...(cookies === undefined ? {} : { cookies }),
    headers: {
      ...readHeaders(request),
      'x-forwarded-for': sourceIp,
      'x-forwarded-port': String(request.socket.localPort),
      'x-forwarded-proto': 'http',
    },
    ...(query === undefined ? {} : { queryStringParameters: query }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: host.replace(/:\d+$/, ''),
      domainPrefix: 'local',
      http: {
        method: request.method ?? '',
        path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp,
        userAgent: request.headersDistinct['user-agent']?.[0] ?? '',
      },
      requestId,
      routeKey,
      stage: '$default',
      time: toLogTime(now),
      timeEpoch: now,
    },
    ...(body.length === 0 ? {} : { body: body.toString(isText ? 'utf8' : 'base64') }),
    ...(parameters.length === 0 ? {} : { pathParameters: Object.fromEntries(parameters) }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

/**
 * Returns headers with lower-case names. Repeated fields are joined by commas. Cookies are left out, because the event
 * has a separate field for them.
 */
function readHeaders({ headersDistinct }: GatewayRequest): Record<string, string> {
  const { cookie: _cookie, ...fields } = headersDistinct;
  return Object.fromEntries(Object.entries(fields).map(([name, values]) => [name, (values ?? []).join(',')]));
}

function readQuery(rawQuery: string): Record<string, string> | undefined {
  if (rawQuery === '') return undefined;
  const values = new Map<string, string>();
  for (const pair of rawQuery.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decodeQuery(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decodeQuery(pair.slice(equals + 1));
    const earlier = values.get(name);
    values.set(name, earlier === undefined ? value : `${earlier},${value}`);
  }
  return Object.fromEntries(values);
}

function decodeQuery(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

/**
 * Returns true if API Gateway sends a body of this content type as text. It sends all other bodies in base64, including
 * forms and bodies without a content type.
 */
function isTextType(contentType: string | undefined): boolean {
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  return type.startsWith('text/') || ['application/json', 'application/xml', 'application/javascript'].includes(type);
}

/** Formats a time as access logs do, for example `12/Mar/2020:19:03:58 +0000`. */
function toLogTime(milliseconds: number): string {
  const [, day, month, year, time] = new Date(milliseconds).toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}
