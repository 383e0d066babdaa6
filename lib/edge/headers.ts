import type { CloudFrontHeaders } from 'aws-lambda';
import type { HeaderFields } from '../domain/data/decision.ts';

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

/**
 * Returns true for headers that CloudFront hides from functions. A function that returns one of them fails with 502.
 * Names are in lower case.
 */
export function isHiddenFromFunctions(name: string): boolean {
  return hiddenNames.has(name) || hiddenPrefixes.some((prefix) => name.startsWith(prefix));
}

/** Headers that an origin-request function can read but must not add, change, or remove. */
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

/** Headers that an origin-response function can read but must not add, change, or remove. */
export const readOnlyAtOriginResponse: ReadonlySet<string> = new Set(['transfer-encoding', 'via']);

// Every request runs this code, so it uses loops. Objects have no prototype, so that every header name is safe as a
// key.

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

/** Returns the headers whose name is in `names`. */
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
