import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import type { CloudFrontHeaders } from 'aws-lambda';
import type { BuiltSite } from '../assets/build-site.ts';
import type { Logo } from '../assets/logo.ts';
import { assetCaching, assetPolicy, assetsPath, type SiteEntries } from '../domain/site-assets.ts';
import type { Clock } from '../domain/time.ts';
import { apiPathPatterns } from '../edge/cache-policy.ts';
import type { GatewayRequest } from './api-gateway/event.ts';
import type { Answer } from './api-gateway/server.ts';
import { pageCacheKey, type ViewerResponse } from './cloudfront/cache/cached-responses.ts';
import { ObjectCache } from './cloudfront/cache/object-cache.ts';
import { toNodeHeaders, visibleHeaders } from './cloudfront/event-headers.ts';
import { createPageViewerFunctions } from './cloudfront/viewer-functions.ts';
import type { ViewerRequest } from './cloudfront/viewer-request.ts';
import { splitTarget } from './web-server.ts';

export interface SiteDistribution {
  /** The cache of the public pages. */
  cache: ObjectCache;
  serve(request: IncomingMessage, passOn: (passed: GatewayRequest) => Promise<Answer>): Promise<Answer>;
}

/** The host names of this machine, without ports. */
const hosts = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Creates the distribution of the site and the API. It caches public pages in the same way as CloudFront, and forwards
 * all other requests.
 */
export function createSiteDistribution(clock: Clock): SiteDistribution {
  const cache = new ObjectCache({ clock, keyOf: pageCacheKey });
  const functions = createPageViewerFunctions(hosts);
  return {
    cache,
    async serve(request, passOn) {
      const { rawPath, rawQuery } = splitTarget(request.url);
      if (isOfApi(rawPath)) return passOn(request);
      const { method = '' } = request;
      const headers = visibleHeaders(request.rawHeaders);
      const viewer: ViewerRequest = { method, rawPath, rawQuery, headers, clientIp: '', hasBody: false };
      const passed = functions.onRequest(viewer, randomUUID());
      if ('status' in passed) return toAnswer(passed);
      const requestOrigin = async (requested: ViewerRequest) => ({
        answer: toShown(await passOn(passedOf(request, requested))),
      });
      const isCacheable = method === 'GET' || method === 'HEAD';
      const { answer } = await (isCacheable ? cache.serve(passed, requestOrigin) : requestOrigin(passed));
      return toAnswer({ ...answer, headers: functions.onResponse(answer.status, answer.headers) });
    },
  };
}

function isOfApi(rawPath: string): boolean {
  return apiPathPatterns.some((pattern) =>
    pattern.endsWith('*') ? rawPath.startsWith(pattern.slice(0, -1)) : rawPath === pattern,
  );
}

function passedOf(request: IncomingMessage, { rawPath, rawQuery, headers }: ViewerRequest): GatewayRequest {
  const { method, httpVersion, socket } = request;
  const lines = Object.entries(headers).map(([name, fields]) => [name, (fields ?? []).map(({ value }) => value)]);
  const url = rawQuery === '' ? rawPath : `${rawPath}?${rawQuery}`;
  return { method, httpVersion, socket, url, headersDistinct: Object.fromEntries(lines) };
}

function toShown({ status, headers, body }: Answer): ViewerResponse {
  const fields: CloudFrontHeaders = Object.create(null);
  for (const [name, value] of Object.entries(headers)) {
    fields[name] = [value].flat().map((line) => ({ key: name, value: line }));
  }
  const bytes = Buffer.from(body);
  fields['content-length'] = [{ key: 'content-length', value: String(bytes.length) }];
  return { status, headers: fields, body: bytes };
}

function toAnswer({ status, headers, body, lengthBytes }: ViewerResponse): Answer {
  const { 'content-length': _length, ...shown } = toNodeHeaders(headers);
  return { status, headers: shown, body: body ?? '', lengthBytes };
}

let built: Promise<BuiltSite> | undefined;

/** Builds the site at its first use, once per process. The build takes 0.1 s, and the start does not wait for it. */
function loadSite(): Promise<BuiltSite> {
  built ??= import('../assets/build-site.ts').then(({ buildSite }) => buildSite());
  // If the build has failed, build again at the next request, because a developer may have corrected the code by then.
  built.catch(() => {
    built = undefined;
  });
  return built;
}

export async function loadSiteEntries(): Promise<SiteEntries> {
  return (await loadSite()).entries;
}

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
};

/**
 * Returns a file of the site, as the distribution of a deployment serves it from its bucket. Returns undefined for any
 * other path.
 */
export async function serveAsset(request: IncomingMessage, logo?: Logo): Promise<Answer | undefined> {
  const { rawPath } = splitTarget(request.url);
  if (!rawPath.startsWith(assetsPath) || !['GET', 'HEAD'].includes(request.method ?? '')) return undefined;
  const name = rawPath.slice(assetsPath.length);
  const file = name === logo?.name ? logo.bytes : (await loadSite()).files.get(name);
  if (file === undefined) return { status: 404, headers: { 'cache-control': 'no-store' }, body: '' };
  return {
    status: 200,
    headers: {
      'content-type': types[path.extname(name)] ?? 'application/octet-stream',
      'cache-control': assetCaching,
      'content-security-policy': assetPolicy,
      'x-content-type-options': 'nosniff',
    },
    body: Buffer.from(file),
  };
}
