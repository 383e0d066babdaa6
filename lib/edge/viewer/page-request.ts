import { escapedKey, fitsIntoPath, keyOfPath } from '../../domain/data/page-path.ts';
import { carriesServiceAccountKey } from '../../domain/service-accounts/key-in-url.ts';
import {
  dropOurHeaders,
  fixedHeaders,
  type OwnResponse,
  type ViewerFields,
  type ViewerRequest,
  type ViewerRequestEvent,
  type ViewerSettings,
  valuesOf,
} from './events.ts';

/**
 * A header in the cache key of public pages, which only the viewer function sets. Its value is the host if all readers
 * may share the cached page. For any other page, it is the ID of the request, so that no other request gets the cached
 * page.
 */
export const siteHostHeader = 'x-sluice-host';

/** The query parameters of cacheable pages, by path. Pages with other paths are not cached. */
export const cacheablePages = [
  { path: /^\/$/, parameters: [] },
  { path: /^\/-\/search$/, parameters: ['q', 'tag', 'account_id', 'license', 'format', 'sort', 'cursor'] },
  { path: /^\/sitemap[.]xml$/, parameters: ['cursor'] },
  { path: /^\/[a-z0-9-]{3,40}$/, parameters: ['cursor'] },
  { path: /^\/[a-z0-9-]{3,40}\/[a-z0-9-]{3,40}$/, parameters: ['path', 'cursor', 'version'] },
] satisfies readonly { path: RegExp; parameters: readonly string[] }[];

/** The headers that remain in a request for a cacheable page. */
const pageHeaders = ['host', 'if-none-match'].concat(fixedHeaders);

const repositoryPage = /^\/[a-z0-9-]{3,40}\/[a-z0-9-]{3,40}$/;
const filePage = /^(\/[a-z0-9-]{3,40}\/[a-z0-9-]{3,40})\/(.+)$/;

/**
 * The viewer-request function for the site's pages. It redirects a URL with the parameter `path` to a URL that has this
 * path. For the origin, it moves the path of a file from the URL back into this parameter. Then it decides by syntax
 * alone whether a page may be cached. If so, it removes everything from the request that is not in the cache key.
 */
export function handle(event: ViewerRequestEvent, settings: ViewerSettings): ViewerRequest | OwnResponse {
  const request = event.request;
  const headers = request.headers;
  const query = request.querystring;
  if (isRead(request)) {
    const redirect = redirectToFile(request);
    if (redirect !== undefined) return redirect;
    moveFileToQuery(request);
    if (isWrongUrlInBrowser(request)) request.uri = notFoundPage;
  }
  dropOurHeaders(headers);
  const host = siteHostOf(event, settings);
  const page = cacheablePages.find((one) => one.path.test(request.uri));
  if (host === undefined || page === undefined || !isForAll(request)) {
    headers[siteHostHeader] = { value: event.context.requestId };
    return request;
  }
  const parameters: readonly string[] = page.parameters;
  for (const name in query) if (parameters.indexOf(name) < 0) delete query[name];
  // Remove the parameter `cursor` if the path names a file, because only lists of folders use it. If it stayed, every
  // value of it would cause a cache miss.
  if (query['path'] && !/^$|(?:\/|%2f)$/i.test(valuesOf(query['path']).pop() ?? '')) delete query['cursor'];
  for (const name in headers) if (pageHeaders.indexOf(name) < 0) delete headers[name];
  headers[siteHostHeader] = { value: host };
  return request;
}

/**
 * Moves the key of a file or folder from the path to a parameter. API Gateway decodes the path, and would drop
 * everything after a decoded question mark. All spellings of a path become one parameter value, so they share one cache
 * entry.
 */
function moveFileToQuery(request: ViewerRequest): void {
  const match = filePage.exec(request.uri);
  if (match === null) return;
  const path = match[2] ?? '';
  request.uri = match[1] ?? '';
  // Use a path with an invalid escape sequence literally. The reader then sees the page for a missing file.
  request.querystring['path'] = { value: encodeURIComponent(keyOfPath(path) ?? path) };
}

/** A path that no account and no repository can have. Its page says that the page was not found. */
const notFoundPage = '/-/not-found';

/**
 * Returns true if a browser opens a path that no page has. API Gateway would answer this request with a problem
 * document. A path with one final slash is allowed, because the origin redirects it.
 */
function isWrongUrlInBrowser(request: ViewerRequest): boolean {
  const accept = request.headers['accept'];
  if (!accept || !/(?:^|,)\s*text\/html\s*(?:[;,]|$)/i.test(accept.value)) return false;
  const uri = request.uri;
  if (
    /^\/-\/(?:console\/|sign-in\/callback$|links\/[^/]+$|(?:versions|preview)\/[^/]+\/[^/]+$)/.test(uri) ||
    carriesServiceAccountKey(uri)
  )
    return false;
  return uri.indexOf('//') >= 0 || /^\/[^/]+\/[^/]+\/.*[^/]$/.test(uri);
}

/** Redirects `?path= to the path of the file or folder. Returns undefined for a key that no path can contain. */
function redirectToFile(request: ViewerRequest): OwnResponse | undefined {
  const uri = request.uri;
  const querystring = request.querystring;
  const given = querystring['path'];
  if (given === undefined || !repositoryPage.test(uri) || hasServiceAccountKey(querystring)) return undefined;
  const key = keyOfPath((valuesOf(given).pop() ?? '').replace(/\+/g, ' '));
  if (!key || !fitsIntoPath(key)) return undefined;
  const others: string[] = [];
  for (const name in querystring) {
    const field = querystring[name];
    if (field && name !== 'path')
      others.push(
        valuesOf(field)
          .map((value) => `${name}=${value}`)
          .join('&'),
      );
  }
  const location = `${uri}/${escapedKey(key)}${others.length === 0 ? '' : `?${others.join('&')}`}`;
  return {
    statusCode: 308,
    statusDescription: 'Permanent Redirect',
    headers: { location: { value: location }, 'cache-control': { value: 'no-store' } },
  };
}

function siteHostOf(event: ViewerRequestEvent, settings: ViewerSettings): string | undefined {
  const host = (event.request.headers['host']?.value ?? '').toLowerCase().replace(/:\d+$/, '');
  const isOurs = host === event.context.distributionDomainName || (settings.siteHosts ?? []).indexOf(host) >= 0;
  return host !== '' && isOurs ? host : undefined;
}

function isRead(request: ViewerRequest): boolean {
  return request.method === 'GET' || request.method === 'HEAD';
}

function isForAll(request: ViewerRequest): boolean {
  const headers = request.headers;
  if (!isRead(request)) return false;
  if (headers['authorization'] || headers['cookie'] || Object.keys(request.cookies).length > 0) return false;
  if (headers['transfer-encoding'] || (headers['content-length']?.value ?? '0') !== '0') return false;
  // A request with a service account key in a parameter must reach the origin, which refuses it.
  return !hasServiceAccountKey(request.querystring);
}

function hasServiceAccountKey(query: ViewerFields): boolean {
  for (const name in query) {
    const field = query[name];
    if (field && valuesOf(field).some((value) => carriesServiceAccountKey(`${name}=${value}`))) return true;
  }
  return false;
}
