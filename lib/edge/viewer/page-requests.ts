/**
 * A header of the cache key of public pages. Only the viewer function sets it. The value is the host for a page that
 * may be shared, and otherwise the request's ID, which never produces a cache hit.
 */
export const siteHostHeader = 'x-sluice-host';

/** The parameters of cacheable pages by path pattern. Other paths are not cached. */
const parametersOfPaths: readonly (readonly [string, readonly string[]])[] = [
  ['^/$', []],
  ['^/-/search$', ['q', 'tag', 'account_id', 'license', 'sort', 'cursor']],
  ['^/sitemap[.]xml$', ['cursor']],
  ['^/[a-z0-9-]{3,40}$', ['cursor']],
  ['^/[a-z0-9-]{3,40}/[a-z0-9-]{3,40}$', ['path', 'cursor']],
];

/** The headers that remain in a request for a cacheable page. A viewer function cannot remove the last four. */
const pageHeaders = ['host', 'if-none-match', 'cdn-loop', 'content-length', 'transfer-encoding', 'via'];

/**
 * Source of `markPage(request, id, ownName)`, which decides by syntax alone whether a page may be cached. It removes
 * everything from a cacheable request that is not in the cache key. It needs `dropOurs` and `carriesKey`.
 *
 * @param hosts host names of the site, in addition to the distribution's own name
 */
export function pageMarkingSource(hosts: readonly string[]): string {
  return `const hosts = ${JSON.stringify(hosts)};
const paths = ${JSON.stringify(parametersOfPaths)};
const leftOfPage = ${JSON.stringify(pageHeaders)};
function isEmpty(object) {
  for (const any in object) return false;
  return true;
}
function hostOf(headers, ownName) {
  const host = (headers.host ? headers.host.value : '').toLowerCase().replace(/:\\d+$/, '');
  return host !== '' && (host === ownName || hosts.indexOf(host) >= 0) ? host : undefined;
}
function parametersOf(uri) {
  for (let at = 0; at < paths.length; at++) if (new RegExp(paths[at][0]).test(uri)) return paths[at][1];
  return undefined;
}
function isForAll(request) {
  const headers = request.headers;
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  if (headers.authorization || headers.cookie || !isEmpty(request.cookies)) return false;
  if (headers['transfer-encoding'] || (headers['content-length'] && headers['content-length'].value !== '0')) return false;
  for (const name in request.querystring) {
    const given = request.querystring[name];
    const values = given.multiValue || [given];
    // What is refused for a key in its URL is refused with other parameters too.
    for (let at = 0; at < values.length; at++) if (carriesKey(name + '=' + values[at].value)) return false;
  }
  return true;
}
function isFolder(path) {
  const values = path.multiValue || [path];
  return /^$|(?:\\/|%2f)$/i.test(values[values.length - 1].value);
}
function markPage(request, id, ownName) {
  const headers = request.headers;
  dropOurs(headers);
  const host = hostOf(headers, ownName);
  const taken = parametersOf(request.uri);
  if (host === undefined || taken === undefined || !isForAll(request)) {
    headers[${JSON.stringify(siteHostHeader)}] = { value: id };
    return request;
  }
  for (const name in request.querystring) if (taken.indexOf(name) < 0) delete request.querystring[name];
  // A file has a single page: a cursor would make each view of it a cache miss.
  if (request.querystring.path && !isFolder(request.querystring.path)) delete request.querystring.cursor;
  for (const name in headers) if (leftOfPage.indexOf(name) < 0) delete headers[name];
  headers[${JSON.stringify(siteHostHeader)}] = { value: host };
  return request;
}
`;
}
