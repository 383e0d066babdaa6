import type { ViewerResponseEvent } from './events.ts';

/**
 * A header that the function `shape-response` adds to a response. Its value tells whether CloudFront may cache the
 * response.
 */
export const shapedHeader = 'x-sluice-shaped';

/** Headers that carry storage's values of `Cache-Control` and `Expires`, while CloudFront uses other values. */
export const asideHeaders = {
  'cache-control': 'x-sluice-storage-cache-control',
  expires: 'x-sluice-storage-expires',
} as const;

/**
 * The viewer-response function. CloudFront runs it also for cache hits, but only for statuses below 400.
 *
 * It restores storage's `Cache-Control` and `Expires`. It also removes the checksum of the whole object from a
 * response with a range. CloudFront cuts ranges out of a cached object and sends all its headers, and SDKs would
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
