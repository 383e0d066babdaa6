import { cacheHeader, onePart, openHeaders, openMark, ownHeaders } from '../../domain/data/open-data-cache.ts';
import { harmlessHeaders } from '../../s3/headers.ts';

/**
 * SDKs send these headers with every read. They do not change a response, because the origin function requests
 * checksums itself.
 */
const droppedHeaders = [...harmlessHeaders, 'x-amz-checksum-mode'];

/**
 * Source of `mark(request, id)`, which decides by syntax alone whether CloudFront may cache a response. It sets
 * `x-sluice-cache: open` and removes all else that a response could depend on, or sets the header to the request's ID.
 * The source needs `dropOurs`, `copyHeaders`, and `carriesKey`. `lib/s3/open-read.ts` repeats the rule at the origin.
 */
export function markingSource(virtualHostBase: string | undefined): string {
  return `const below = ${JSON.stringify(virtualHostBase === undefined ? '' : `.${virtualHostBase}`)};
const dropped = ${JSON.stringify(droppedHeaders)};
const own = ${JSON.stringify(ownHeaders)};
const left = ${JSON.stringify(openHeaders)};
const onePart = new RegExp(${JSON.stringify(onePart)});
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch (broken) {
    return text;
  }
}
function isSigned(request) {
  if (request.headers.authorization) return true;
  for (const name in request.querystring) if (/^(?:x-amz-|signature$|awsaccesskeyid$)/i.test(decoded(name))) return true;
  return false;
}
function isLabel(field) {
  return !carriesKey((field.multiValue || [field]).map((one) => one.value).join('&'));
}
function isOpen(request) {
  const headers = request.headers;
  const uri = request.uri;
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  for (const any in request.querystring) return false;
  for (const name in headers) if (own.indexOf(name) >= 0 || name.indexOf('x-amz-') === 0) return false;
  const range = headers.range;
  if (range && (range.multiValue || !onePart.test(range.value))) return false;
  if (headers['content-length'] && headers['content-length'].value !== '0') return false;
  if (uri.charAt(0) !== '/' || /%2e|%2f|%5c|\\\\/i.test(uri)) return false;
  const parts = uri.slice(1).split('/');
  const host = (headers.host ? headers.host.value : '').replace(/:\\d+$/, '');
  if (below !== '' && host.toLowerCase().endsWith(below)) parts.unshift(host.slice(0, -below.length));
  if (parts.length < 3) return false;
  for (let at = 0; at < parts.length; at++) {
    if (parts[at] === '' || parts[at] === '.' || parts[at] === '..') return false;
    if (at < 2 && !/^[a-z0-9-]+$/.test(parts[at])) return false;
  }
  return true;
}
function mark(request, id) {
  const headers = request.headers;
  dropOurs(headers);
  if (!isSigned(request)) {
    const label = request.querystring['x-id'];
    if (label && isLabel(label)) delete request.querystring['x-id'];
    for (let at = 0; at < dropped.length; at++) delete headers[dropped[at]];
  }
  if (!isOpen(request)) {
    headers[${JSON.stringify(cacheHeader)}] = { value: id };
    return copyHeaders(request);
  }
  for (const name in headers) if (left.indexOf(name) < 0) delete headers[name];
  for (const name in request.cookies) delete request.cookies[name];
  headers[${JSON.stringify(cacheHeader)}] = { value: ${JSON.stringify(openMark)} };
  return request;
}
`;
}
