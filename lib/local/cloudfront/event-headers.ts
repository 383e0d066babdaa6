import type { CloudFrontHeaders } from 'aws-lambda';
import { isHiddenFromFunctions } from '../../edge/cloudfront-events.ts';

/**
 * Returns the headers for an event, without headers that CloudFront hides from functions. Repeated fields stay in their
 * order.
 */
export function visibleHeaders(rawHeaders: readonly string[]): CloudFrontHeaders {
  const headers: CloudFrontHeaders = Object.create(null);
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const key = rawHeaders[index] ?? '';
    const name = key.toLowerCase();
    if (isHiddenFromFunctions(name)) continue;
    const field = { key, value: rawHeaders[index + 1] ?? '' };
    const earlier = headers[name];
    if (earlier === undefined) headers[name] = [field];
    else earlier.push(field);
  }
  return headers;
}

/** Copies the headers with these names, because the function gets the originals and could change them. */
export function copyHeaders(headers: CloudFrontHeaders, names: Iterable<string>): CloudFrontHeaders {
  const copies: CloudFrontHeaders = {};
  for (const name of names) {
    const fields = headers[name];
    if (fields !== undefined) copies[name] = fields.map((field) => ({ ...field }));
  }
  return copies;
}

/**
 * Converts headers for Node. Content-Length is last, because Node encodes a Content-Disposition after it differently.
 */
export function toNodeHeaders(headers: CloudFrontHeaders): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = {};
  for (const [name, lines] of Object.entries(headers)) {
    const [first] = lines;
    if (first !== undefined) fields[name] = lines.length === 1 ? first.value : lines.map(({ value }) => value);
  }
  const length = fields['content-length'];
  if (length === undefined) return fields;
  delete fields['content-length'];
  fields['content-length'] = length;
  return fields;
}
