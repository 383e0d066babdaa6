import { carriesServiceAccountKey } from '../../domain/service-accounts/key-in-url.ts';
import {
  dropOurHeaders,
  fixedHeaders,
  type ViewerRequest,
  type ViewerRequestEvent,
  type ViewerSettings,
  valuesOf,
} from './events.ts';

/**
 * A header of the cache key of public pages. Only the viewer function sets it. The value is the host for a page that
 * may be shared, and otherwise the request's ID, which never produces a cache hit.
 */
export const siteHostHeader = 'x-sluice-host';

/** The parameters of cacheable pages by path. Other paths are not cached. */
export const cacheablePages = [
  { path: /^\/$/, parameters: [] },
  { path: /^\/-\/search$/, parameters: ['q', 'tag', 'account_id', 'license', 'sort', 'cursor'] },
  { path: /^\/sitemap[.]xml$/, parameters: ['cursor'] },
  { path: /^\/[a-z0-9-]{3,40}$/, parameters: ['cursor'] },
  { path: /^\/[a-z0-9-]{3,40}\/[a-z0-9-]{3,40}$/, parameters: ['path', 'cursor'] },
] satisfies readonly { path: RegExp; parameters: readonly string[] }[];

/** The headers that remain in a request for a cacheable page. */
const pageHeaders = ['host', 'if-none-match'].concat(fixedHeaders);

/**
 * The viewer-request function of the site's pages. It decides by syntax alone whether a page may be cached. It removes
 * everything from a cacheable request that is not in the cache key.
 */
export function handle(event: ViewerRequestEvent, settings: ViewerSettings): ViewerRequest {
  const request = event.request;
  const headers = request.headers;
  const query = request.querystring;
  dropOurHeaders(headers);
  const host = siteHostOf(event, settings);
  const page = cacheablePages.find((one) => one.path.test(request.uri));
  if (host === undefined || page === undefined || !isForAll(request)) {
    headers[siteHostHeader] = { value: event.context.requestId };
    return request;
  }
  const parameters: readonly string[] = page.parameters;
  for (const name in query) if (parameters.indexOf(name) < 0) delete query[name];
  // A file has a single page: a cursor would make each view of it a cache miss.
  if (query['path'] && !/^$|(?:\/|%2f)$/i.test(valuesOf(query['path']).pop() ?? '')) delete query['cursor'];
  for (const name in headers) if (pageHeaders.indexOf(name) < 0) delete headers[name];
  headers[siteHostHeader] = { value: host };
  return request;
}

function siteHostOf(event: ViewerRequestEvent, settings: ViewerSettings): string | undefined {
  const host = (event.request.headers['host']?.value ?? '').toLowerCase().replace(/:\d+$/, '');
  const isOurs = host === event.context.distributionDomainName || (settings.siteHosts ?? []).indexOf(host) >= 0;
  return host !== '' && isOurs ? host : undefined;
}

function isForAll(request: ViewerRequest): boolean {
  const headers = request.headers;
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  if (headers['authorization'] || headers['cookie'] || Object.keys(request.cookies).length > 0) return false;
  if (headers['transfer-encoding'] || (headers['content-length']?.value ?? '0') !== '0') return false;
  for (const name in request.querystring) {
    const field = request.querystring[name];
    // The origin refuses a key in the URL in every parameter.
    if (field && valuesOf(field).some((value) => carriesServiceAccountKey(`${name}=${value}`))) return false;
  }
  return true;
}
