import type { GatewayRequest } from './event.ts';

/** The CORS configuration of an HTTP API. */
export interface GatewayCors {
  origins: readonly string[];
  methods?: readonly string[];
  headers?: readonly string[];
  exposedHeaders?: readonly string[];
  maxAgeSeconds?: number;
}

export type ResponseHeaders = Record<string, string | string[]>;

/** With CORS configured the gateway answers preflights itself, but for those that the `$default` route takes. */
export function isPreflight({ method, headersDistinct }: GatewayRequest): boolean {
  const names = ['origin', 'access-control-request-method'];
  return method === 'OPTIONS' && names.every((name) => headersDistinct[name] !== undefined);
}

/** Empty for an origin that is not allowed: the browser then refuses. */
export function preflightHeaders(cors: GatewayCors, origin: string | undefined): ResponseHeaders {
  const allowed = originHeaders(cors, origin);
  if (Object.keys(allowed).length === 0) return {};
  return {
    ...allowed,
    ...listHeader('access-control-allow-methods', cors.methods),
    ...listHeader('access-control-allow-headers', cors.headers),
    ...(cors.maxAgeSeconds === undefined ? {} : { 'access-control-max-age': String(cors.maxAgeSeconds) }),
  };
}

/** The gateway's own headers take the place of those that a function returned. */
export function applyCors(headers: ResponseHeaders, cors: GatewayCors, origin: string | undefined): ResponseHeaders {
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
    ...listHeader('access-control-expose-headers', cors.exposedHeaders),
  };
}

function listHeader(name: string, values: readonly string[] | undefined): ResponseHeaders {
  return values === undefined || values.length === 0 ? {} : { [name]: values.join(',') };
}
