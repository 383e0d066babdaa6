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
 * A header in the cache key of public pages, which only the viewer function sets. Its value is the host if the cached
 * page may be shared. Otherwise it is the ID of the request, so that no other request gets the cached page.
 */
export const siteHostHeader = 'x-sluice-host';

/** The query parameters of cacheable pages, by path. Pages with other paths are not cached. */
export const cacheablePages = [
  { path: /^\/$/, parameters: [] },
  { path: /^\/-\/search$/, parameters: ['q', 'tag', 'account_id', 'license', 'sort', 'cursor'] },
  { path: /^\/sitemap[.]xml$/, parameters: ['cursor'] },
  { path: /^\/[a-z0-9-]{3,40}$/, parameters: ['cursor'] },
  { path: /^\/[a-z0-9-]{3,40}\/[a-z0-9-]{3,40}$/, parameters: ['path', 'cursor', 'version'] },
] satisfies readonly { path: RegExp; parameters: readonly string[] }[];

/** The headers that remain in a request for a cacheable page. */
const pageHeaders = ['host', 'if-none-match'].concat(fixedHeaders);

/**
 * The viewer-request function of the site's pages. It decides by syntax alone whether a page may be cached. If so, it
 * removes everything from the request that is not in the cache key.
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
  // Removes the cursor if the path names a file, because only lists of folders use it. Otherwise each cursor would
  // cause a cache miss.
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
    // Does not cache a request with a service account key in any parameter, because the origin refuses it.
    if (field && valuesOf(field).some((value) => carriesServiceAccountKey(`${name}=${value}`))) return false;
  }
  return true;
}
