import { keyInUrlSource } from './viewer/key-in-url.ts';

/** The site's URL, and the host whose subdomains are account names. */
export interface PageRedirectOptions {
  siteUrl: string;
  virtualHostBase?: string | undefined;
}

/** The part of a CloudFront Functions event that the function reads. */
export interface ViewerEvent {
  request: {
    method: string;
    uri: string;
    querystring: Record<string, unknown>;
    headers: Record<string, { value: string } | undefined>;
  };
}

export interface PageRedirect {
  statusCode: 303;
  statusDescription: string;
  headers: Record<string, { value: string }>;
}

/**
 * Returns the source of `toPage(event)` for the runtime 2.0 of CloudFront Functions. It redirects a person who opens a
 * data URL in a browser to the page of the data. It checks syntax only, so the redirect does not reveal what exists.
 * The local CloudFront emulator runs the same source. The source needs `carriesKey`.
 */
export function pageRedirectSource({ siteUrl, virtualHostBase }: PageRedirectOptions): string {
  return `const site = ${JSON.stringify(siteUrl)};
const hostEnd = ${JSON.stringify(virtualHostBase === undefined ? '' : `.${virtualHostBase}`)};
const name = /^[a-z0-9](?:-?[a-z0-9])*$/;
function isName(text) {
  return text.length >= 3 && text.length <= 40 && name.test(text);
}
function toPage(event) {
  const request = event.request;
  const headers = request.headers;
  const accept = headers.accept ? headers.accept.value : '';
  if (request.method !== 'GET' || headers.authorization || !/^\\s*text\\/html\\s*(?:[;,]|$)/i.test(accept)) return undefined;
  for (const any in request.querystring) return undefined;
  if (carriesKey(request.uri)) return undefined;
  const parts = request.uri.split('/').slice(1);
  const host = (headers.host ? headers.host.value : '').toLowerCase().replace(/:\\d+$/, '');
  if (hostEnd !== '' && host.endsWith(hostEnd)) {
    const account = host.slice(0, -hostEnd.length);
    // The root of a virtual host is the account's.
    parts.unshift(account);
    if (parts.length === 2 && parts[1] === '') parts.pop();
  }
  const isFolder = parts[parts.length - 1] === '';
  if (isFolder) parts.pop();
  const depth = parts.length;
  if (depth === 0 || (depth > 2 && !isFolder) || !isName(parts[0]) || (depth > 1 && !isName(parts[1]))) return undefined;
  let location = site + '/' + parts.slice(0, 2).join('/');
  if (depth > 2) {
    try {
      location += '?path=' + encodeURIComponent(decodeURIComponent(parts.slice(2).join('/') + '/'));
    } catch (broken) {
      return undefined;
    }
  }
  return {
    statusCode: 303,
    statusDescription: 'See Other',
    headers: { location: { value: location }, 'cache-control': { value: 'no-store' }, vary: { value: 'accept' } },
  };
}
`;
}

/** Compiles the function from its source. */
export function compilePageRedirects(places: PageRedirectOptions): (event: ViewerEvent) => PageRedirect | undefined {
  return new Function('event', `${keyInUrlSource}${pageRedirectSource(places)}\nreturn toPage(event);`) as ReturnType<
    typeof compilePageRedirects
  >;
}
