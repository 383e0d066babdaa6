import type { CloudFrontHeaders } from 'aws-lambda';
import type { HeaderFields } from '../domain/data/decision.ts';

/**
 * CloudFront may rewrite Accept-Encoding and Range before an origin-request function sees them, although clients sign
 * them. The viewer-request function copies what the viewer sent into these, and removes what a client put there itself.
 */
export const viewerHeaderCopies = {
  'accept-encoding': 'x-sluice-viewer-accept-encoding',
  range: 'x-sluice-viewer-range',
} as const;

const hiddenNames: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'trailer',
  'upgrade',
  'x-amzn-auth',
  'x-amzn-cf-billing',
  'x-amzn-cf-id',
  'x-amzn-cf-xff',
  'x-amzn-errortype',
  'x-amzn-fle-profile',
  'x-amzn-header-count',
  'x-amzn-header-order',
  'x-amzn-lambda-integration-tag',
  'x-amzn-requestid',
  'x-cache',
  'x-forwarded-proto',
  'x-real-ip',
]);
const hiddenPrefixes = ['proxy-', 'x-accel-', 'x-amz-cf-', 'x-edge-'];

/** Headers that CloudFront keeps from functions; one that returns any of them fails with 502. Names are lower case. */
export function isHiddenFromFunctions(name: string): boolean {
  return hiddenNames.has(name) || hiddenPrefixes.some((prefix) => name.startsWith(prefix));
}

/** Headers that an origin-request function sees and may not add, change or leave out. */
export const readOnlyAtOriginRequest: ReadonlySet<string> = new Set([
  'accept-encoding',
  'cdn-loop',
  'content-length',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'transfer-encoding',
  'via',
]);

/** Headers that an origin-response function sees and may not add, change or leave out. */
export const readOnlyAtOriginResponse: ReadonlySet<string> = new Set(['transfer-encoding', 'via']);

// Loops, and objects without a prototype so that every name is one of their own: each request goes through all of these.

export function joinHeaders(headers: CloudFrontHeaders): Record<string, string> {
  const joined: Record<string, string> = Object.create(null);
  for (const name in headers) {
    const fields = headers[name] ?? [];
    joined[name.toLowerCase()] =
      fields.length === 1 && fields[0] !== undefined ? fields[0].value : fields.map(({ value }) => value).join(',');
  }
  return joined;
}

export function toCloudFrontHeaders(headers: HeaderFields): CloudFrontHeaders {
  const fields: CloudFrontHeaders = Object.create(null);
  for (const key in headers) fields[key.toLowerCase()] = [{ key, value: headers[key] ?? '' }];
  return fields;
}

/** The headers of `names`, as they are in `headers`. */
export function keepHeaders(headers: CloudFrontHeaders, names: ReadonlySet<string>): CloudFrontHeaders {
  const remaining: CloudFrontHeaders = Object.create(null);
  for (const name in headers) {
    const fields = headers[name];
    if (fields !== undefined && names.has(name)) remaining[name] = fields;
  }
  return remaining;
}

export function withoutHeaders(headers: HeaderFields, isLeftOut: (name: string) => boolean): HeaderFields {
  const remaining: Record<string, string> = Object.create(null);
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && !isLeftOut(name.toLowerCase())) remaining[name] = value;
  }
  return remaining;
}
