import {
  cacheHeader,
  harmlessHeaders,
  isOpenRead,
  openMark,
  virtualHostLabel,
} from '../../domain/data/open-data-cache.ts';
import { carriesServiceAccountKey } from '../../domain/service-accounts/key-in-url.ts';
import {
  copyHeaders,
  dropOurHeaders,
  fixedHeaders,
  type OwnResponse,
  type ViewerField,
  type ViewerRequest,
  type ViewerRequestEvent,
  type ViewerSettings,
  valuesOf,
} from './events.ts';
import { redirectToPage } from './page-redirect.ts';

/** The headers that remain in a request whose response may be cached. */
const openHeaders = ['host', 'range', 'if-none-match', 'if-modified-since'].concat(fixedHeaders);

/**
 * The viewer-request function for objects. CloudFront allows only one function for each event type, so this function
 * first redirects browsers to pages. Then it decides by syntax alone whether CloudFront may cache the response. If so,
 * it sets `x-sluice-cache: open`, and removes everything else that the response could depend on. If not, it sets the
 * header to the ID of the request.
 */
export function handle(event: ViewerRequestEvent, settings: ViewerSettings): ViewerRequest | OwnResponse {
  const request = event.request;
  const headers = request.headers;
  const hostLabel = virtualHostLabel(headers['host']?.value ?? '', settings.virtualHostBase);
  const redirect = redirectToPage(request, hostLabel, settings.siteUrl);
  if (redirect !== undefined) return redirect;
  dropOurHeaders(headers);
  if (!isSigned(request)) {
    removeHarmlessParts(request);
    request.uri = withPlainAt(request.uri, hostLabel !== undefined);
  }
  if (!isOpen(request, hostLabel)) {
    headers[cacheHeader] = { value: event.context.requestId };
    return copyHeaders(request);
  }
  for (const name in headers) if (openHeaders.indexOf(name) < 0) delete headers[name];
  for (const name in request.cookies) delete request.cookies[name];
  headers[cacheHeader] = { value: openMark };
  return request;
}

function isSigned(request: ViewerRequest): boolean {
  if (request.headers['authorization']) return true;
  for (const name in request.querystring) if (/^(?:x-amz-|signature$|awsaccesskeyid$)/i.test(decode(name))) return true;
  return false;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Removes query parameters and headers that SDKs send with every read but that do not change a response. The
 * origin-request function requests checksums itself.
 */
function removeHarmlessParts(request: ViewerRequest): void {
  const label = request.querystring['x-id'];
  if (label && !carriesKey(label)) delete request.querystring['x-id'];
  harmlessHeaders.forEach((name) => {
    delete request.headers[name];
  });
  delete request.headers['x-amz-checksum-mode'];
}

/**
 * Replaces `%40` by `@` in the segment of the repository. Clients send both forms in the path of a version. With one
 * form, a path has only one cache entry and needs only one invalidation.
 */
function withPlainAt(uri: string, isVirtualHost: boolean): string {
  const segments = uri.split('/');
  const at = isVirtualHost ? 1 : 2;
  const segment = segments[at];
  if (segment) segments[at] = segment.replace(/%40/g, '@');
  return segments.join('/');
}

function carriesKey(field: ViewerField): boolean {
  return carriesServiceAccountKey(valuesOf(field).join('&'));
}

function isOpen(request: ViewerRequest, hostLabel: string | undefined): boolean {
  const headers: Record<string, string> = {};
  for (const name in request.headers) {
    const field = request.headers[name];
    if (field) headers[name] = valuesOf(field).join(',');
  }
  const hasQuery = Object.keys(request.querystring).length > 0;
  return isOpenRead({ method: request.method, path: request.uri, hasQuery, headers, hostLabel });
}
