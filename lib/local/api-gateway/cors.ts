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

/**
 * Reports whether the gateway answers the preflight. With CORS configured it answers all of them, except those that the
 * `$default` route matches.
 */
export function isPreflight({ method, headersDistinct }: GatewayRequest): boolean {
  const names = ['origin', 'access-control-request-method'];
  return method === 'OPTIONS' && names.every((name) => headersDistinct[name] !== undefined);
}

/** Returns no headers for an origin that is not allowed, so that the browser refuses. */
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

/** Replaces CORS headers that a function returned by the gateway's own. */
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
