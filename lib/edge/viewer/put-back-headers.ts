/** Header that shape-response adds to a response. The value tells whether CloudFront may cache it. */
export const shapedHeader = 'x-sluice-shaped';

/** Headers that hold storage's values while CloudFront uses ours. */
export const asideHeaders = {
  'cache-control': 'x-sluice-storage-cache-control',
  expires: 'x-sluice-storage-expires',
} as const;

/**
 * Source of `putBack(response)`, which restores storage's `Cache-Control` and `Expires`. CloudFront serves ranges of a
 * cached object with all its headers. The function removes the checksum of the whole object from such a range, because
 * SDKs would compare it with the range.
 */
export const puttingBackSource = `const aside = ${JSON.stringify(asideHeaders)};
function putBack(response) {
  const headers = response.headers;
  const shaped = headers['${shapedHeader}'];
  if (shaped) {
    for (const name in aside) {
      delete headers[name];
      if (headers[aside[name]]) headers[name] = { value: headers[aside[name]].value };
    }
  }
  const isPart = shaped && shaped.value === 'kept' && response.statusCode === 206;
  for (const name in headers) {
    if (name.indexOf('x-sluice-') === 0 || (isPart && name.indexOf('x-amz-checksum-') === 0)) delete headers[name];
  }
  return response;
}
`;
