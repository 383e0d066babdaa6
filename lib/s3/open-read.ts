import type { EdgeRequest } from '../domain/data/decision.ts';
import { cacheHeader, onePart, openMark, ownHeaders } from '../domain/data/open-data-cache.ts';
import { headerValue } from '../sigv4/canonical.ts';
import { virtualHostAccount } from './resource.ts';

const onePartPattern = new RegExp(onePart);

/**
 * Returns true when every caller who sends this request may get the same response. Requires the viewer function's mark
 * and repeats its rule (`lib/edge/viewer/marked-requests.ts`), because this function decides the response.
 */
export function isOpenRead(request: EdgeRequest, virtualHostBase: string | undefined): boolean {
  const { method, rawPath, rawQuery, headers } = request;
  if (headers[cacheHeader] !== openMark) return false;
  if ((method !== 'GET' && method !== 'HEAD') || rawQuery !== '') return false;
  if (ownHeaders.some((name) => headers[name] !== undefined)) return false;
  for (const name in headers) if (name.startsWith('x-amz-')) return false;
  if (headers['range'] !== undefined && !onePartPattern.test(headers['range'])) return false;
  return (headers['content-length'] ?? '0') === '0' && isPlainPath(request, rawPath, virtualHostBase);
}

/**
 * Returns true when every parser reads the same object from the path: no dot segments, empty segments, or encoded
 * slashes.
 */
function isPlainPath(
  request: Pick<EdgeRequest, 'headers'>,
  rawPath: string,
  virtualHostBase: string | undefined,
): boolean {
  if (!rawPath.startsWith('/') || /%2e|%2f|%5c|\\/i.test(rawPath)) return false;
  const segments = rawPath.slice(1).split('/');
  if (virtualHostAccount(request, virtualHostBase) !== undefined && virtualHostBase !== undefined) {
    const host = (headerValue(request.headers, 'host') ?? '').replace(/:\d+$/, '');
    segments.unshift(host.slice(0, -virtualHostBase.length - 1));
  }
  if (segments.length < 3 || segments.some((segment) => segment === '' || segment === '.' || segment === '..')) {
    return false;
  }
  return segments.slice(0, 2).every((segment) => /^[a-z0-9-]+$/.test(segment));
}
