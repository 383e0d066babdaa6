import type { ViewerResponseEvent } from './events.ts';

/** Header that shape-response adds to a response. The value tells whether CloudFront may cache it. */
export const shapedHeader = 'x-sluice-shaped';

/** Headers that hold storage's values while CloudFront uses ours. */
export const asideHeaders = {
  'cache-control': 'x-sluice-storage-cache-control',
  expires: 'x-sluice-storage-expires',
} as const;

/**
 * The viewer-response function. CloudFront runs it for statuses below 400 only, and also for cache hits. It restores
 * storage's `Cache-Control` and `Expires`. CloudFront serves ranges of a cached object with all its headers. The
 * function removes the checksum of the whole object from such a range, because SDKs would compare it with the range.
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
