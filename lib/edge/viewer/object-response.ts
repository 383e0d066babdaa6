import type { ViewerResponseEvent } from './events.ts';

/**
 * A header that the function `shape-response` adds to a response. It says whether CloudFront may cache the response.
 */
export const shapedHeader = 'x-sluice-shaped';

/**
 * Headers that carry storage's values of `Cache-Control` and `Expires` to the viewer-response function, while
 * CloudFront uses other values.
 */
export const asideHeaders = {
  'cache-control': 'x-sluice-storage-cache-control',
  expires: 'x-sluice-storage-expires',
} as const;

/**
 * The viewer-response function for objects. CloudFront runs it for cache hits as well, but only for statuses below 400.
 *
 * It restores storage's `Cache-Control` and `Expires`. From a response with a range, it removes the checksum of the
 * whole object. CloudFront cuts ranges out of a cached object and sends all headers of the object, and SDKs would
 * compare this checksum with the range.
 */
export function handle(event: ViewerResponseEvent): ViewerResponseEvent['response'] {
  const response = event.response;
  const headers = response.headers;
  const shaped = headers[shapedHeader];
  if (shaped) {
    for (const name in asideHeaders) {
      const aside = headers[asideHeaders[name as keyof typeof asideHeaders]];
      delete headers[name];
      if (aside) headers[name] = { value: aside.value };
    }
  }
  const isPart = shaped !== undefined && shaped.value === 'cached' && response.statusCode === 206;
  for (const name in headers) {
    if (name.startsWith('x-sluice-') || (isPart && name.startsWith('x-amz-checksum-'))) delete headers[name];
  }
  return response;
}
