import { type ViewerFields, type ViewerRequest, valuesOf } from './events.ts';

/**
 * CloudFront may change Accept-Encoding and Range before origin-request functions, although clients sign them. The
 * viewer-request function copies the original values to these headers, and removes copies that a client sent.
 */
export const viewerHeaderCopies = {
  'accept-encoding': 'x-sluice-viewer-accept-encoding',
  range: 'x-sluice-viewer-range',
} as const;

/** Headers that a viewer function cannot remove. */
export const fixedHeaders = ['cdn-loop', 'content-length', 'transfer-encoding', 'via'];

/** Removes `x-sluice-` headers of the client, which could forge the signed values or the cache mark. */
export function dropOurHeaders(headers: ViewerFields): void {
  for (const name in headers) if (name.startsWith('x-sluice-')) delete headers[name];
}

/** Copies headers that clients sign and CloudFront may change. */
export function copyHeaders(request: ViewerRequest): ViewerRequest {
  for (const name in viewerHeaderCopies) {
    const field = request.headers[name];
    const copy = viewerHeaderCopies[name as keyof typeof viewerHeaderCopies];
    if (field) request.headers[copy] = { value: valuesOf(field).join(',') };
  }
  return request;
}
